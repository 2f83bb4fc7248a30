import { type Comparison, gainOf, signOf } from "../../results/compare.js";
import { gainEstimate, markedP } from "../../results/gains.js";
import type { MetricSummary } from "../../results/metric-summary.js";
import type { Summary } from "../../results/summary.js";
import type { Cell, ColumnOf } from "../table.js";
import { formatAmount, formatCost, formatGain, formatP, formatScore } from "./format.js";

/** What answers without a model score (each user's most frequent past label), and on how many questions. */
export interface Floor {
  readonly name: string;
  readonly count: number;
  readonly values: Readonly<Record<string, number>>;
}

/** A row: an arm, the majority label, or a method that says nothing on the task (neither). */
export interface ArmLine {
  readonly summary?: Summary;
  readonly floor?: Floor;
}

interface Shown {
  /** The column of gains. */
  readonly gain?: { readonly title: string; of(summary: Summary): Comparison | undefined };
  /** Arms below it are marked `†`. */
  readonly floor?: Floor | undefined;
  /** Metrics besides those of the task: shown, whatever their number. */
  readonly added?: readonly string[] | undefined;
  /** Columns in front of these. */
  readonly keys?: number;
}

/** A terminal of 80 to 120 columns shows so many, and a reader takes them in. */
const MOST_COLUMNS = 8;
/** Accuracy and F1, MAE and RMSE, ROUGE-1 and ROUGE-L: what the papers' main tables show of a task. */
const MAIN_METRICS = 2;

/** What tables say of arms: score, gain, other metrics, n, what went wrong, tokens, cost. What says nothing here is wide. */
export function armColumns<T extends ArmLine>(
  summaries: readonly Summary[],
  { gain, floor, added = [], keys = 1 }: Shown,
): ColumnOf<T>[] {
  const [headline, ...others] = summaries[0]?.metrics ?? [];
  const anyArm = (test: (summary: Summary) => boolean): boolean => summaries.some(test);
  const of = (cell: (summary: Summary) => Cell) => (line: T) => line.summary && cell(line.summary);
  const amount = (key: string, title: string, help: string, cell: (summary: Summary) => Cell): ColumnOf<T> => ({
    ...{ key, title, help, format: formatAmount, cell: of(cell) },
  });
  const score = (metric: MetricSummary, m: number): ColumnOf<T> => ({
    title: metric.name,
    format: formatScore,
    interval: m === 0 ? true : "wide",
    help: `${metric.title}; ${metric.better} is better`,
    wide: m >= MAIN_METRICS && !added.includes(metric.name),
    cell: (line) => line.floor?.values[metric.name] ?? (line.summary && scoreCell(line.summary, m, summaries, floor)),
  });
  const first = (summary: Summary) => gain?.of(summary)?.metrics[0];
  const gained: ColumnOf<T>[] =
    gain === undefined || !anyArm((summary) => gain.of(summary) !== undefined)
      ? []
      : [
          {
            ...{ key: "gain", title: gain.title, format: formatGain, interval: true },
            cell: of((summary) => gainEstimate(gain.of(summary))),
          },
          {
            ...{ key: "p", title: "p", format: formatP },
            help: "of this pair alone, over users; *: at most .05 after Holm over the family",
            cell: of((summary) => markedP(gain.of(summary))),
          },
          {
            ...{ key: "detectable", title: "found in 80 %", format: formatScore, wide: true },
            help: "the smallest gain that these users find in 80 % of cases",
            cell: of((summary) => first(summary)?.detectable),
          },
          {
            ...{ title: "W/T/L", align: "right", wide: true },
            help: "users for whom it is better, equal, worse",
            cell: of((summary) => {
              const users = first(summary)?.perUser;
              return users && `${users.wins}/${users.ties}/${users.losses}`;
            }),
          },
        ];
  const wide = { wide: true };
  const columns: ColumnOf<T>[] = [
    ...(headline === undefined ? [] : [score(headline, 0)]),
    ...gained,
    ...others.map((metric, m) => score(metric, m + 1)),
    ...(anyArm(({ repeats }) => repeats > 1)
      ? [
          {
            ...{ key: "sd_repeats", title: "sd", format: formatScore },
            help: "standard deviation of the first metric between repeats",
            cell: of(({ metrics }) => metrics[0]?.spread),
          },
        ]
      : []),
    {
      ...{ title: "lenient", format: formatScore },
      help: "the first metric over what a forgiving reading finds in the replies",
      wide: !anyArm(({ metrics: [one] }) => formatScore(one?.lenient) !== formatScore(one?.strict)),
      cell: of(({ metrics }) => metrics[0]?.lenient),
    },
    {
      ...{ title: "n", format: formatAmount, help: "scored answers" },
      cell: ({ summary, floor: own }) => (summary === undefined ? own?.count : sampleSize(summary)),
    },
    { ...amount("answered", "answered", "replies that could be read", ({ counts }) => counts.answered), ...wide },
    {
      ...amount(
        "unparsed",
        "unparsed",
        "replies that the official reading does not accept; scored as wrong",
        (one) => one.counts.unparsed,
      ),
      wide: !anyArm(({ counts }) => counts.unparsed > 0),
    },
    {
      ...amount("failed", "failed", "questions without a reply; not scored", ({ counts }) => counts.failed),
      wide: !anyArm(({ counts }) => counts.failed > 0),
    },
    { ...amount("calls_per_query", "calls/q", "model calls a question", (one) => one.callsPerQuery), ...wide },
    { ...amount("calls_per_user", "calls/user", "model calls to prepare a user", (one) => one.callsPerUser), ...wide },
    amount("tokens", "tok/q", "tokens a question, preparation included", ({ tokens }) => tokens),
    {
      ...amount(
        "tokens_per_query",
        "tok/q asking",
        "tokens a question, without preparation",
        (one) => one.tokensPerQuery,
      ),
      ...wide,
    },
    { ...amount("tokens_per_user", "tok/user", "tokens to prepare a user", (one) => one.tokensPerUser), ...wide },
    ...(anyArm(({ secondsPerQuery }) => secondsPerQuery !== undefined)
      ? [{ ...amount("seconds", "s/q", "median seconds a question", (one) => one.secondsPerQuery), ...wide }]
      : []),
    {
      ...{ key: "usd", title: "cost", align: "right", help: "all calls, US dollars" },
      wide: summaries.every(({ simulated }) => simulated),
      cell: of(formatCost),
    },
  ];
  const shown = columns.filter((column) => column.wide !== true);
  const spare = shown.filter(({ key, title }) => [others[0]?.name, "sd_repeats", "lenient"].includes(key ?? title));
  const left = spare.slice(0, Math.max(0, shown.length + keys - MOST_COLUMNS));
  return columns.map((column) => (left.includes(column) ? { ...column, ...wide } : column));
}

/** The mark `†` where the arm is below the majority label. */
function scoreCell(summary: Summary, m: number, summaries: readonly Summary[], floor: Floor | undefined): Cell {
  const metric = summary.metrics[m];
  if (metric === undefined) return undefined;
  const isBest = metric.strict !== undefined && summary.planned === undefined && metric.strict === bestOf(summaries, m);
  return {
    value: metric.strict,
    interval: metric.interval,
    ...(m === 0 && isBelow(summary, floor) ? { mark: "†" } : {}),
    ...(isBest ? { rank: 1 } : {}),
  };
}

/** Undefined where fewer than two arms have all their questions: only such arms are ranked. */
function bestOf(summaries: readonly Summary[], m: number): number | undefined {
  const whole = summaries.filter(({ planned }) => planned === undefined).flatMap(({ metrics }) => metrics[m] ?? []);
  const values = whole.flatMap(({ strict }) => strict ?? []);
  if (whole.length < 2 || values.length === 0) return undefined;
  return whole[0]?.better === "lower" ? Math.min(...values) : Math.max(...values);
}

/** Whether an arm is worse than the majority label, by the first metric. */
export function isBelow({ metrics: [metric] }: Summary, floor: Floor | undefined): boolean {
  const least = floor?.values[metric?.name ?? ""];
  return metric?.strict !== undefined && least !== undefined && signOf(gainOf(metric, least, metric.strict)) < 0;
}

/** Scored answers; of an arm that has not had all its questions yet, with how many it will have. */
export const sampleSize = ({ counts, planned }: Summary): string =>
  planned === undefined ? String(counts.scored) : `${counts.scored}/${planned}`;
