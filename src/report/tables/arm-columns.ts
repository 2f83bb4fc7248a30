import { type Comparison, type Gains, gainOf, signOf, upwards } from "../../results/compare.js";
import { isSignificant } from "../../results/inference.js";
import type { Amounts, MetricSummary, Summary } from "../../results/summary.js";
import { countOf } from "../../text/count.js";
import type { ColumnOf, Estimate, TableCell } from "../table.js";
import { formatAmount, formatGain, formatP, formatScore, formatUsd } from "./format.js";

/** Score of a baseline that calls no model (each user's most frequent label), and on how many questions. */
export interface BaselineScore {
  readonly name: string;
  readonly count: number;
  readonly values: Readonly<Record<string, number>>;
}

/** A row: an arm, the majority label, or a method that says nothing on the task (neither). */
export interface ArmLine {
  readonly summary?: Summary;
  readonly baseline?: BaselineScore;
}

type ComparisonOf = (summary: Summary) => Comparison | undefined;

interface Shown {
  readonly gain?: { readonly title: string; readonly of: ComparisonOf };
  /** Arms below it are marked `†`. */
  readonly baseline?: BaselineScore | undefined;
  /** Metrics besides those of the task: shown, whatever their number. */
  readonly added?: readonly string[] | undefined;
}

/** Returns the columns of all tables of arms; all but about eight have `wide` set. */
export function armColumns<T extends ArmLine>(
  summaries: readonly Summary[],
  { gain, baseline, added = [] }: Shown,
): ColumnOf<T>[] {
  const any = (test: (summary: Summary) => boolean): boolean => summaries.some(test);
  const of = (cell: (summary: Summary) => TableCell) => (line: T) => line.summary && cell(line.summary);
  const fact = (key: string, cell: (summary: Summary) => TableCell): ColumnOf<T> => ({
    ...{ key, title: key, wide: "data", cell: of(cell) },
  });
  const amount = (key: string, title: string, cell: (summary: Summary) => TableCell): ColumnOf<T> => ({
    ...{ key, title, format: formatAmount, cell: of(cell) },
  });
  const wideAmount: typeof amount = (...given) => ({ ...amount(...given), wide: true });
  /** Of an arm that may lack calls, its known part. */
  const spent = ([key, title]: readonly [string, string], name: keyof Amounts, format = formatAmount) => ({
    ...amount(key, title, ({ [name]: value, atLeast }) => {
      const least = atLeast?.[name];
      return least === undefined ? value : `≥${format(least)}`;
    }),
    format,
  });
  const wideSpent: typeof spent = (...given) => ({ ...spent(...given), wide: true });
  const isRepeated = any(({ repeats }) => repeats > 1);
  const hasUnparsed = any(({ counts }) => counts.unparsed > 0);
  const hasFailed = any(({ counts }) => counts.failed > 0);
  const [primary, ...others] = (summaries[0]?.metrics ?? []).map(
    ({ name }, m): ColumnOf<T> => ({
      title: name,
      format: formatScore,
      interval: m === 0 ? true : "wide",
      wide: m > 1 && !added.includes(name),
      cell: (line) => line.baseline?.values[name] ?? (line.summary && scoreCell(line.summary, m, summaries, baseline)),
    }),
  );
  const settings = new Set(summaries.flatMap(({ settings: own }) => Object.keys(own)));
  settings.delete("model");
  return [
    fact("task", ({ task }) => task),
    fact("dataset", ({ dataset }) => dataset),
    fact("model", ({ model }) => model),
    fact("method", ({ method }) => method),
    ...[...settings].map((name) => fact(name, ({ settings: own }) => own[name]?.toString())),
    fact("made", (summary) => madeOf(summary) ?? "by model"),
    ...(primary === undefined ? [] : [primary]),
    ...(gain !== undefined && any((summary) => gain.of(summary) !== undefined)
      ? gainColumns<T>(gain.title, (line) => line.summary && gain.of(line.summary))
      : []),
    ...others,
    ...(isRepeated ? [{ ...amount("sd_repeats", "sd", (arm) => arm.metrics[0]?.spread), format: formatScore }] : []),
    { ...wideAmount("lenient", "lenient", ({ metrics }) => metrics[0]?.lenient), format: formatScore },
    {
      ...{ title: "n", format: formatAmount },
      cell: ({ summary, baseline: own }) => (summary === undefined ? own?.count : sampleSize(summary)),
    },
    fact("questions", ({ counts, repeats }) => Math.ceil(counts.questions / repeats)),
    fact("users", ({ users }) => users),
    wideAmount("n_e", "n_e", ({ effective }) => effective),
    fact("repeats", ({ repeats }) => repeats),
    fact("state", ({ planned }) => (planned === undefined ? "complete" : "PARTIAL")),
    wideAmount("answered", "answered", ({ counts }) => counts.answered),
    { ...amount("unparsed", "unparsed", ({ counts }) => counts.unparsed), wide: !hasUnparsed },
    { ...amount("failed", "failed", ({ counts }) => counts.failed), wide: !hasFailed },
    fact("no_gold", ({ counts }) => counts.unscored),
    wideSpent(["calls", "calls/q"], "callsPerQuery"),
    wideSpent(["calls_user", "calls/user"], "callsPerUser"),
    spent(["tokens", "tok/q"], "tokens"),
    wideSpent(["tokens_user", "tok/user"], "tokensPerUser"),
    ...(any(({ secondsPerQuery }) => secondsPerQuery !== undefined)
      ? [wideAmount("seconds", "s/q", ({ secondsPerQuery }) => secondsPerQuery)]
      : []),
    ...(any(({ secondsPerUser }) => secondsPerUser !== undefined)
      ? [wideAmount("seconds_user", "s/user", ({ secondsPerUser }) => secondsPerUser)]
      : []),
    { ...spent(["usd", "cost"], "usd", formatUsd), wide: summaries.every(({ simulated }) => simulated) },
    ...(any(({ usdPrepared = 0 }) => usdPrepared > 0)
      ? [
          wideSpent(["usd_users", "cost of users"], "usdPrepared", formatUsd),
          wideSpent(["usd_answers", "cost of answers"], "usdAnswers", formatUsd),
        ]
      : []),
  ];
}

function gainColumns<T>(title: string, of: (line: T) => Comparison | undefined): ColumnOf<T>[] {
  return [
    { key: "gain", title, format: formatGain, interval: true, cell: (line) => gainEstimate(of(line)) },
    { title: "p", format: formatP, cell: (line) => markedP(of(line)) },
    { key: "p_holm", title: "p Holm", format: formatP, wide: "data", cell: (line) => of(line)?.metrics[0]?.holm },
    {
      ...{ key: "detectable", title: "MDE (80 % power)", format: formatScore, wide: true },
      cell: (line) => of(line)?.metrics[0]?.detectable,
    },
  ];
}

/** Returns the gain by the primary metric. */
export function gainEstimate(comparison: Comparison | undefined): Estimate | undefined {
  const metric = comparison?.metrics[0];
  return metric && { value: metric.gain, interval: metric.interval };
}

/** Returns the p of the primary metric, marked where it survives its family's correction. */
export function markedP(comparison: Comparison | undefined): Estimate | undefined {
  const metric = comparison?.metrics[0];
  return metric && { value: metric.p, ...(isSignificant(metric.holm) ? { mark: "*" } : {}) };
}

/** Returns the legend of a column of p, with the sizes of the families; none where nothing has a p. */
export function pLegend({ over, of }: Gains, summaries: readonly Summary[], star = "p: this pair alone; *:"): string[] {
  const sizes = summaries.flatMap((summary) => of(summary)?.family ?? []);
  if (sizes.length === 0) return [];
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const family = least === most ? countOf(most, "comparison") : `${least} to ${countOf(most, "comparison")}`;
  return [`${star} p ≤ .05 after Holm over ${family} with ${over}`];
}

/** Returns how an arm's answers were made, where no model was asked for them. */
export const madeOf = ({ simulated, imported }: Summary): string | undefined =>
  simulated ? "SIMULATED" : imported === true ? "imported" : undefined;

/** The mark `†` where the arm is below the majority label. */
function scoreCell(
  summary: Summary,
  m: number,
  summaries: readonly Summary[],
  baseline: BaselineScore | undefined,
): TableCell {
  const metric = summary.metrics[m];
  if (metric === undefined) return undefined;
  const rank = summary.planned === undefined ? rankOf(metric, m, summaries) : undefined;
  return {
    value: metric.strict,
    interval: metric.interval,
    ...(m === 0 && isBelow(summary, baseline) ? { mark: "†" } : {}),
    ...(rank === undefined ? {} : { rank }),
  };
}

/** By the different scores as they are printed: arms that print alike share a rank. */
function rankOf(metric: MetricSummary, m: number, summaries: readonly Summary[]): 1 | 2 | undefined {
  const scores = summaries
    .filter(({ planned }) => planned === undefined)
    .flatMap(({ metrics }) => metrics[m]?.strict ?? [])
    .sort((a, b) => upwards(metric, b - a));
  const printed = [...new Set(scores.map(formatScore))];
  const place = printed.indexOf(formatScore(metric.strict));
  return place === 0 && printed.length > 1 ? 1 : place === 1 && printed.length > 2 ? 2 : undefined;
}

/** Returns whether an arm is worse than the majority label, by the first metric. */
export function isBelow({ metrics: [metric] }: Summary, baseline: BaselineScore | undefined): boolean {
  const least = baseline?.values[metric?.name ?? ""];
  return metric?.strict !== undefined && least !== undefined && signOf(gainOf(metric, least, metric.strict)) < 0;
}

/** Scored answers; of an arm that has not had all its questions yet, with how many it will have. */
const sampleSize = ({ counts, planned }: Summary): number | string =>
  planned === undefined ? counts.scored : `${counts.scored}/${planned}`;
