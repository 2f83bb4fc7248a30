import { scoreAll } from "../../metrics/score-all.js";
import { armLabel } from "../../results/arms.js";
import { type Gains, pLegend } from "../../results/gains.js";
import { isScored } from "../../results/pairs.js";
import type { ModelSpend } from "../../results/spending.js";
import type { Summary } from "../../results/summary.js";
import { countOf, nounOf } from "../../text/count.js";
import type { Metric, Row } from "../../types/index.js";
import { headingMark, simulatedLegend } from "../simulated.js";
import { type ColumnOf, dash, rowsOfItems, type Table } from "../table.js";
import { type ArmLine, armColumns, type Floor, isBelow } from "./arm-columns.js";
import { formatAmount, formatScore, formatUsd, staleLine } from "./format.js";

/** What is to be known of one task's table besides its arms. */
export interface TaskFacts {
  readonly task: string;
  readonly title: string;
  readonly dataset: string;
  /** `others: leave-one-out`, `temperature not applied`, ...: what a reader must know to compare. */
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

/** What answers without a model would score, on the questions that any of these rows is scored on. */
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
    const values = metrics.flatMap((metric) =>
      pairs.length === 0 ? [] : [[metric.name, scoreAll(metric, pairs)] as const],
    );
    return pairs.length === 0 ? [] : [{ name, count: pairs.length, values: Object.fromEntries(values) }];
  });
}

/** The best of them by the first metric. */
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

/**
 * One table per task and data set. `detail`: the notes of every arm that a reader of one table rarely needs. Columns beyond the
 * eight that matter most are wide.
 */
export function resultsTables({ summaries, facts, gains }: Results, { detail = false } = {}): Table[] {
  const isShared = facts.length > 1 && new Set(facts.flatMap(settingsOf)).size === 1;
  return facts.map((fact) => {
    const ofTask = summaries.filter(({ task, dataset }) => task === fact.task && dataset === fact.dataset);
    const { floor, floors = floor === undefined ? [] : [floor], unfit = [] } = fact;
    const lines: Line[] = [
      ...ofTask.map((summary) => ({ name: armLabel(summary), summary })),
      ...unfit.map(({ method }) => ({ name: method })),
      ...floors.map((one) => ({ name: `(${one.name})`, floor: one })),
    ];
    const columns: ColumnOf<Line>[] = [
      { title: "method", cell: ({ name }) => name },
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
      notes: [...notesOf(ofTask, fact), ...(isShared ? [] : settingsOf(fact)), ...(detail ? detailsOf(ofTask) : [])],
      legend: [
        ...(columns.some(({ key }) => key === "gain")
          ? ["gain: on the questions that both answered; positive is better", ...pLegend(gains?.of, ofTask)]
          : []),
        ...(isShared ? settingsOf(fact) : []),
        ...simulatedLegend(ofTask),
      ],
    };
  });
}

export const settingsOf = ({ remarks }: TaskFacts): string[] =>
  remarks.length === 0 ? [] : [`settings: ${remarks.join("; ")}`];

/** Questions behind PersonaAgent's tables (datasets/papers/personaagent.yaml). */
const paperSamples: Readonly<Record<string, number>> = { lamp1: 123, lamp2m: 300, lamp3: 112 };

/** `LaMP-2M · demo data · openai/gpt-4o · 24 users, 80 questions (PersonaAgent: 300)`. */
function headOf({ task, title, dataset }: TaskFacts, summaries: readonly Summary[]): string {
  const [first] = summaries;
  const models = [...new Set(summaries.map(({ model }) => model))].join(", ");
  const mark = headingMark(summaries);
  const parts = [title.split(":")[0] ?? title, `${dataset} data`, `${models}${mark}`];
  if (first === undefined) return parts.slice(0, 2).join(" · ");
  const questions = Math.max(...summaries.map(({ counts, repeats }) => counts.questions / repeats));
  const planned = Math.max(...summaries.map((one) => (one.planned ?? one.counts.questions) / one.repeats));
  const theirs = paperSamples[task];
  const paper = theirs === undefined || theirs === planned ? "" : ` (PersonaAgent: ${theirs})`;
  return [
    ...parts,
    `${first.users === 0 ? "" : `${countOf(first.users, "user")}, `}${questions < planned ? `${questions} of ` : ""}${countOf(planned, "question")}${paper}`,
  ].join(" · ");
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
export function notesOf(
  summaries: readonly Summary[],
  { aboutFailed = "run again to try them", unfit = [], floor }: TaskFacts,
): string[] {
  const areEven = new Set(summaries.map(({ counts }) => counts.questions)).size === 1;
  const below = summaries.filter((summary) => isBelow(summary, floor)).map(armLabel);
  const ofArms = summaries.flatMap((summary) => {
    const { counts, planned, stream, metrics, usdAtMost, incidents } = summary;
    const estimated = incidents["usage-estimated"] ?? 0;
    const name = armLabel(summary);
    return [
      ...(planned === undefined
        ? []
        : [
            `${name}: ${counts.questions} of ${planned} ${nounOf(planned, "question")} so far${areEven || counts.questions === 0 ? "" : ": not comparable with the other lines"}`,
          ]),
      ...(counts.failed > 0
        ? [`${name}: ${counts.failed} of ${counts.questions} failed and are not in the scores; ${aboutFailed}`]
        : []),
      ...(stream === undefined
        ? []
        : [`${name}: ${metrics[0]?.name} by position in the stream (quarters): ${stream.map(formatScore).join(" ")}`]),
      ...(counts.unscored > 0
        ? [
            `${name}: ${counts.unscored} ${nounOf(counts.unscored, "answered question has", "answered questions have")} no gold and ${nounOf(counts.unscored, "is", "are")} not scored`,
          ]
        : []),
      ...(estimated > 0
        ? [`${name}: the server counted no tokens of ${countOf(estimated, "reply", "replies")}, so they are estimated`]
        : []),
      ...(usdAtMost === true
        ? [
            `${name}: the cost is a bound: a price of cached tokens, or the length of single calls, is not known; --prices FILE gives cacheRead, cacheWrite1h`,
          ]
        : []),
    ];
  });
  return [
    ...(below.length === 0 ? [] : [`† below the ${floor?.name}: ${below.join(", ")}`]),
    ...ofArms,
    ...unfit.map(({ method, why }) => `${method}: ${dash}, ${why}`),
  ];
}

/** Spending and counts of every arm. */
export function detailsOf(summaries: readonly Summary[]): string[] {
  return summaries.flatMap((summary) => {
    const { shared, spent, cached, incidents } = summary;
    const name = armLabel(summary);
    const counted = Object.entries(incidents).map(([incident, count]) => `${incident} ${count}`);
    return [
      ...(shared === undefined
        ? []
        : [
            `${name}: shared by all users: ${formatAmount(shared.calls)} ${nounOf(shared.calls, "call")}, ${formatAmount(shared.in + shared.out)} tokens; not in calls/user and tok/user`,
          ]),
      ...(spent === undefined ? [] : [`${name}: by model: ${spent.map(spentText).join("; ")}`]),
      ...(cached === undefined ? [] : [`${name}: ${cacheNote(cached)}`]),
      ...(counted.length === 0 ? [] : [`${name}: ${counted.join(", ")}`]),
    ];
  });
}

/** `select@reference of openai/gpt-4o 67 calls, 12,961 in, 198 out, $0.039`. */
const spentText = ({ model, phase, calls, in: tokensIn, out, usd }: ModelSpend): string =>
  `${phase} of ${model} ${formatAmount(calls)} ${nounOf(calls, "call")}, ${formatAmount(tokensIn)} in, ${formatAmount(out)} out${usd === undefined ? "" : `, ${formatUsd(usd)}`}`;

/** `48 % of prompt tokens read from the provider's cache, 12 % written to it; saved $0.012`. */
function cacheNote({ in: all, read, written, savedUsd }: NonNullable<Summary["cached"]>): string {
  const share = (part: number): string => `${Math.round((100 * part) / Math.max(1, all))} %`;
  const kind = savedUsd === undefined ? "" : savedUsd < 0 ? "; cost more by" : "; saved";
  const money = savedUsd === undefined ? "" : ` ${formatUsd(Math.abs(savedUsd))}`;
  return `${share(read)} of prompt tokens read from the provider's cache, ${share(written)} written to it${kind}${money}`;
}
