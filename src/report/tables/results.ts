import { scoreAll } from "../../metrics/score-all.js";
import { armLabel } from "../../results/arms.js";
import type { Gains } from "../../results/gains.js";
import { isScored } from "../../results/pairs.js";
import type { ModelSpend } from "../../results/spending.js";
import type { Summary } from "../../results/summary.js";
import { countOf, nounOf } from "../../text/count.js";
import type { Metric, Row } from "../../types/index.js";
import { headingMark, simulatedLegend } from "../simulated.js";
import { type ColumnOf, dash, rowsOfItems, type Table } from "../table.js";
import { type ArmLine, armColumns, type Floor, isBelow, madeOf, markedP, pLegend } from "./arm-columns.js";
import { formatAmount, formatScore, formatUsd, staleLine } from "./format.js";

/** What is to be known of one task's table besides its arms. */
export interface TaskFacts {
  readonly task: string;
  readonly title: string;
  readonly dataset: string;
  /** Settings of the pool, the encoder, Wikipedia. */
  readonly remarks: readonly string[];
  readonly warnings?: readonly string[];
  /** Metrics besides those of the task. */
  readonly added?: readonly string[];
  /** What answers without a model score, a line each; `floor` is the best of them. Absent: there are none. */
  readonly floors?: readonly Floor[];
  readonly floor?: Floor;
  /** Methods that say nothing on the task: a line of dashes each, and why. */
  readonly unfit?: readonly { readonly method: string; readonly why: string }[];
  /** What is to be known, or done, about failed questions. Absent: the run can be taken up again. */
  readonly aboutFailed?: string;
}

/** Answers to all questions that need no model: by question, or one for all. */
interface Baseline {
  readonly name: string;
  readonly answers: string | Readonly<Record<string, string>>;
}

/** Returns what answers without a model would score, on the questions that any of these rows is scored on. */
export function floorsOf(
  baselines: readonly Baseline[],
  rows: readonly Row[],
  metrics: readonly Metric[],
): readonly Floor[] {
  const golds = new Map(rows.filter(isScored).map(({ question, gold }) => [question, gold]));
  return baselines.flatMap(({ name, answers }) => {
    const pairs = [...golds].flatMap(([question, gold]) => {
      const prediction = typeof answers === "string" ? answers : answers[question];
      return prediction === undefined ? [] : [{ prediction, gold }];
    });
    if (pairs.length === 0) return [];
    const values = metrics.map((metric) => [metric.name, scoreAll(metric, pairs)] as const);
    return [{ name, count: pairs.length, values: Object.fromEntries(values) }];
  });
}

/** Returns the best of them by the first metric. */
export function highestFloor(floors: readonly Floor[], [metric]: readonly Metric[]): Floor | undefined {
  const value = ({ values }: Floor): number =>
    (values[metric?.name ?? ""] ?? 0) * (metric?.better === "lower" ? -1 : 1);
  return floors.toSorted((a, b) => value(b) - value(a))[0];
}

export interface Results {
  readonly summaries: readonly Summary[];
  readonly facts: readonly TaskFacts[];
  /** Over the method that gains are counted from. */
  readonly gains?: Gains;
}

interface Line extends ArmLine {
  readonly name: string;
}

/** Makes one table for each task and data set. */
export function resultsTables({ summaries, facts, gains }: Results): Table[] {
  return facts.map((fact) => {
    const ofTask = summaries.filter(isOf(fact));
    const { floor, floors = floor === undefined ? [] : [floor], unfit = [], remarks } = fact;
    const isMixed = new Set(ofTask.map(madeOf)).size > 1;
    const nameOf = (summary: Summary): string =>
      `${armLabel(summary)}${isMixed && madeOf(summary) !== undefined ? ` (${madeOf(summary)})` : ""}`;
    const lines: Line[] = [
      ...ofTask.map((summary) => ({ name: nameOf(summary), summary })),
      ...unfit.map(({ method }) => ({ name: method })),
      ...floors.map((one) => ({ name: `(${one.name})`, floor: one })),
    ];
    const columns: ColumnOf<Line>[] = [
      { key: "arm", title: "method", cell: ({ name }) => name },
      ...armColumns<Line>(ofTask, {
        ...(gains === undefined ? {} : { gain: { title: `gain over ${gains.over}`, of: gains.of } }),
        ...{ floor, added: fact.added },
      }),
    ];
    return {
      name: `${fact.task}-${fact.dataset}`,
      title: headOf(fact, ofTask),
      warnings: warningsOf(fact, ofTask),
      ...rowsOfItems(columns, lines),
      pinned: floors.length,
      notes: notesOf(ofTask, fact),
      details: [...(remarks.length === 0 ? [] : [`settings: ${remarks.join("; ")}`]), ...detailsOf(ofTask)],
      legend: [
        ...(columns.some(({ key }) => key === "gain")
          ? ["gain: on the questions that both answered; positive is better", ...pLegend(gains?.of, summaries)]
          : []),
        ...simulatedLegend(ofTask),
      ],
    };
  });
}

/** Makes the table of methods by tasks that papers print, with each task's first two metrics; none for one task. */
export function methodsByTasks({ summaries, facts, gains }: Results): Table[] {
  if (facts.length < 2) return [];
  const isOneModel = new Set(summaries.map(({ model }) => model)).size === 1;
  const nameOf = (summary: Summary): string => `${armLabel(summary)}${isOneModel ? "" : ` · ${summary.model}`}`;
  const columns = facts.flatMap((fact): ColumnOf<string>[] => {
    const ofTask = summaries.filter(isOf(fact));
    const wanted = (ofTask[0]?.metrics ?? []).slice(0, 2).map(({ name }) => name);
    return armColumns<ArmLine>(ofTask, {})
      .filter(({ title }) => wanted.includes(title))
      .map(({ cell, ...column }, m) => ({
        ...{ ...column, wide: false, interval: false, group: shortTitle(fact.title) },
        cell(name) {
          const summary = ofTask.find((one) => nameOf(one) === name);
          const score = summary && cell({ summary });
          const { mark } = (m === 0 && summary && markedP(gains?.of(summary))) || {};
          return typeof score === "object" && mark !== undefined ? { ...score, mark } : score;
        },
      }));
  });
  return [
    {
      ...{ name: "main", title: `Results by method and task${headingMark(summaries)}` },
      ...rowsOfItems(
        [{ title: "method", cell: (name: string) => name }, ...columns],
        [...new Set(summaries.map(nameOf))],
      ),
      legend: pLegend(gains?.of, summaries),
    },
  ];
}

const isOf =
  ({ task, dataset }: TaskFacts) =>
  (summary: Summary): boolean =>
    summary.task === task && summary.dataset === dataset;

/** `LaMP-2M` of `LaMP-2M: Personalized Movie Tagging`. */
export const shortTitle = (title: string): string => title.split(":")[0] ?? title;

/** `LaMP-2M · demo data · openai/gpt-4o · 24 users, 80 questions`. */
function headOf({ title, dataset }: TaskFacts, summaries: readonly Summary[]): string {
  const [first] = summaries;
  const models = [...new Set(summaries.map(({ model }) => model))].join(", ");
  const mark = summaries.every(({ simulated }) => simulated) ? headingMark(summaries) : "";
  const parts = [shortTitle(title), `${dataset} data`, `${models}${mark}`];
  if (first === undefined) return parts.slice(0, 2).join(" · ");
  const questions = Math.max(...summaries.map(({ counts, repeats }) => counts.questions / repeats));
  const planned = Math.max(...summaries.map((one) => (one.planned ?? one.counts.questions) / one.repeats));
  const users = first.users === 0 ? "" : `${countOf(first.users, "user")}, `;
  return [...parts, `${users}${questions < planned ? `${questions} of ` : ""}${countOf(planned, "question")}`].join(
    " · ",
  );
}

function warningsOf({ warnings = [] }: TaskFacts, summaries: readonly Summary[]): string[] {
  const isUnpriced = ({ usd, simulated, tokens = 0 }: Summary): boolean =>
    usd === undefined && !simulated && tokens > 0;
  const ofPrices = summaries.flatMap((one) => [
    ...(isUnpriced(one) ? [`the price of ${one.model} is unknown; give it with --prices FILE`] : []),
    ...(staleLine(one.model, one.pricesOf) ?? []),
  ]);
  return [...warnings, ...new Set(ofPrices)];
}

/** What changes the meaning of single rows. */
function notesOf(
  summaries: readonly Summary[],
  { aboutFailed = "run again to try them", unfit = [], floor }: TaskFacts,
): string[] {
  const below = summaries.filter((summary) => isBelow(summary, floor)).map(armLabel);
  const areEven = new Set(summaries.map(({ counts }) => counts.questions)).size === 1;
  const ofArms = summaries.flatMap(({ counts, planned, stream, metrics, usdAtMost, incidents, ...summary }) => {
    const { questions, failed, unscored } = counts;
    const uneven = areEven || questions === 0 ? "" : ": not comparable with the other lines";
    const estimated = incidents["usage-estimated"] ?? 0;
    const told: readonly (readonly [boolean, () => string])[] = [
      [planned !== undefined, () => `${questions} of ${planned} ${nounOf(planned ?? 0, "question")} so far${uneven}`],
      [failed > 0, () => `${failed} of ${questions} failed and are not in the scores; ${aboutFailed}`],
      [
        stream !== undefined,
        () => `${metrics[0]?.name} by position in the stream (quarters): ${stream?.map(formatScore).join(" ")}`,
      ],
      [unscored > 0, () => `${countOf(unscored, "answer")} without gold, not scored`],
      [
        estimated > 0,
        () => `tokens of ${countOf(estimated, "reply", "replies")} are estimated: the server sent no count`,
      ],
      [
        usdAtMost === true,
        () =>
          "the cost is a bound: a price of cached tokens or of long calls is not known; --prices FILE gives cacheRead, cacheWrite1h",
      ],
    ];
    return told.flatMap(([isSo, text]) => (isSo ? [`${armLabel(summary)}: ${text()}`] : []));
  });
  return [
    ...(below.length === 0 ? [] : [`† below the ${floor?.name}: ${below.join(", ")}`]),
    ...ofArms,
    ...unfit.map(({ method, why }) => `${method}: ${dash}, ${why}`),
  ];
}

/** Spending and counts of every arm. */
function detailsOf(summaries: readonly Summary[]): string[] {
  return summaries.flatMap((summary) => {
    const { shared, spent, cached, incidents } = summary;
    const name = armLabel(summary);
    const counted = Object.entries(incidents).map(([incident, count]) => `${incident} ${count}`);
    return [
      ...(shared === undefined
        ? []
        : [
            `${name}: shared by all users: ${countOf(shared.calls, "call")}, ${formatAmount(shared.in + shared.out)} tokens; not in calls/user and tok/user`,
          ]),
      ...(spent === undefined ? [] : [`${name}: by model: ${spent.map(spentText).join("; ")}`]),
      ...(cached === undefined ? [] : [`${name}: ${cacheNote(cached)}`]),
      ...(counted.length === 0 ? [] : [`${name}: ${counted.join(", ")}`]),
    ];
  });
}

/** `select@reference of openai/gpt-4o 67 calls, 12,961 in, 198 out, $0.039`. */
const spentText = ({ model, phase, calls, in: tokensIn, out, usd }: ModelSpend): string =>
  `${phase} of ${model} ${countOf(calls, "call")}, ${formatAmount(tokensIn)} in, ${formatAmount(out)} out${usd === undefined ? "" : `, ${formatUsd(usd)}`}`;

/** `48 % of prompt tokens read from the provider's cache, 12 % written to it`. */
function cacheNote({ in: all, read, written }: NonNullable<Summary["cached"]>): string {
  const share = (part: number): string => `${Math.round((100 * part) / Math.max(1, all))} %`;
  return `${share(read)} of prompt tokens read from the provider's cache, ${share(written)} written to it`;
}
