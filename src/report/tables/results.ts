import { scoreAll, takes } from "../../metrics/score-all.js";
import { isScored } from "../../results/answers.js";
import { armLabel } from "../../results/arms.js";
import type { Gains } from "../../results/compare.js";
import type { Summary } from "../../results/summary.js";
import { countOf, nounOf } from "../../text/count.js";
import type { Metric, Row } from "../../types/index.js";
import { type ColumnOf, dash, rowsOfItems, type Table } from "../table.js";
import {
  type ArmLine,
  armColumns,
  type BaselineScore,
  gainEstimate,
  isBelow,
  madeOf,
  markedP,
  pLegend,
} from "./arm-columns.js";
import { formatAmount, formatScore, headingMark, simulatedLegend, staleLine } from "./format.js";

/** Facts of one task's table besides its arms. */
export interface TaskFacts {
  readonly task: string;
  readonly title: string;
  readonly dataset: string;
  /** Settings of the pool, the encoder, Wikipedia. */
  readonly remarks: readonly string[];
  readonly warnings?: readonly string[];
  /** What was learned of the servers, printed under the table. */
  readonly notes?: readonly string[];
  /** Metrics besides those of the task. */
  readonly added?: readonly string[];
  /** Scores of baselines that call no model, a line each; `baseline` is the best. Absent: there are none. */
  readonly baselines?: readonly BaselineScore[];
  readonly baseline?: BaselineScore;
  /** Methods that say nothing on the task: a line of dashes each, and why. */
  readonly unfit?: readonly { readonly method: string; readonly why: string }[];
  /** Advice on failed questions. Absent: the run can be taken up again. */
  readonly aboutFailed?: string;
}

/** Answers to all questions that need no model: by question, or one for all. */
interface Baseline {
  readonly name: string;
  readonly answers: string | Readonly<Record<string, string>>;
}

/** Returns what answers without a model would score, on the questions that any of these rows is scored on. */
export function baselineScores(
  baselines: readonly Baseline[],
  rows: readonly Row[],
  metrics: readonly Metric[],
): BaselineScore[] {
  const golds = new Map(
    rows.filter(isScored).flatMap(({ question, gold }) => (gold === undefined ? [] : [[question, gold]])),
  );
  return baselines.flatMap(({ name, answers }) => {
    const pairs = [...golds].flatMap(([question, gold]) => {
      const prediction = typeof answers === "string" ? answers : answers[question];
      return prediction === undefined ? [] : [{ prediction, gold }];
    });
    if (pairs.length === 0) return [];
    const fit = metrics.filter((metric) => pairs.some((pair) => takes(metric, pair))); // no judge has judged a baseline
    const values = fit.map((metric) => [metric.name, scoreAll(metric, pairs)] as const);
    return [{ name, count: pairs.length, values: Object.fromEntries(values) }];
  });
}

export function bestBaseline(
  baselines: readonly BaselineScore[],
  [metric]: readonly Metric[],
): BaselineScore | undefined {
  const value = ({ values }: BaselineScore): number =>
    (values[metric?.name ?? ""] ?? 0) * (metric?.better === "lower" ? -1 : 1);
  return baselines.toSorted((a, b) => value(b) - value(a))[0];
}

export interface Results {
  readonly summaries: readonly Summary[];
  readonly facts: readonly TaskFacts[];
  readonly gains?: Gains;
}

interface Line extends ArmLine {
  readonly name: string;
}

/** Makes one table for each task and data set. */
export function resultsTables({ summaries, facts, gains }: Results): Table[] {
  return facts.map((fact) => {
    const ofTask = summariesOfTask(fact, summaries);
    const { baseline, baselines = baseline === undefined ? [] : [baseline], unfit = [], remarks } = fact;
    const isMixed = new Set(ofTask.map(madeOf)).size > 1;
    const nameOf = (summary: Summary): string => {
      const made = isMixed ? madeOf(summary) : undefined;
      return made === undefined ? armLabel(summary) : `${armLabel(summary)} (${made})`;
    };
    const lines: Line[] = [
      ...ofTask.map((summary) => ({ name: nameOf(summary), summary })),
      ...unfit.map(({ method }) => ({ name: method })),
      ...baselines.map((one) => ({ name: `(${one.name})`, baseline: one })),
    ];
    const columns: ColumnOf<Line>[] = [
      { key: "arm", title: "method", cell: ({ name }) => name },
      ...armColumns<Line>(ofTask, {
        ...(gains === undefined ? {} : { gain: { title: `gain over ${gains.over}`, of: gains.of } }),
        ...{ baseline, added: fact.added },
      }),
    ];
    const hasGains = columns.some(({ key }) => key === "gain");
    return {
      name: `${fact.task}-${fact.dataset}`,
      title: headOf(fact, ofTask),
      warnings: warningsOf(fact, ofTask),
      ...rowsOfItems(columns, lines),
      notes: notesOf(ofTask, fact),
      details: [...(remarks.length === 0 ? [] : [`settings: ${remarks.join("; ")}`]), ...ofTask.flatMap(detailsOf)],
      legend: [
        ...(hasGains ? ["gain: on the questions that both answered; positive is better"] : []),
        ...(hasGains && gains !== undefined ? pLegend(gains, summaries) : []),
        ...(ofTask.some(({ atLeast }) => atLeast !== undefined) ? [AT_LEAST] : []),
        ...simulatedLegend(ofTask),
      ],
    };
  });
}

/** Makes the table of methods by tasks, with each task's first two metrics; none for one task. */
export function methodsByTasks({ summaries, facts, gains }: Results): Table[] {
  if (facts.length < 2) return [];
  const isOneModel = new Set(summaries.map(({ model }) => model)).size === 1;
  const nameOf = (summary: Summary): string => `${armLabel(summary)}${isOneModel ? "" : ` · ${summary.model}`}`;
  const columns = facts.flatMap((fact): ColumnOf<string>[] => {
    const ofTask = summariesOfTask(fact, summaries);
    const wanted = (ofTask[0]?.metrics ?? []).slice(0, 2).map(({ name }) => name);
    const scores = armColumns<ArmLine>(ofTask, {}).filter(({ title }) => wanted.includes(title));
    return scores.map(({ cell, ...column }, m) => ({
      ...{ ...column, wide: false, interval: false, group: shortTitle(fact.title) },
      cell(name) {
        const summary = ofTask.find((one) => nameOf(one) === name);
        const score = summary && cell({ summary });
        const comparison = m === 0 && summary ? gains?.of(summary) : undefined;
        const isBetter = (gainEstimate(comparison)?.value ?? 0) > 0; // no p and no gain stands beside it
        const mark = isBetter ? markedP(comparison)?.mark : undefined;
        return typeof score === "object" && mark !== undefined ? { ...score, mark } : score;
      },
    }));
  });
  const methods = [...new Set(summaries.map(nameOf))];
  return [
    {
      ...{ name: "main", title: `Results by method and task${headingMark(summaries)}` },
      ...rowsOfItems([{ title: "method", cell: (name: string) => name }, ...columns], methods),
      legend: gains === undefined ? [] : pLegend(gains, summaries, "*: better,"),
    },
  ];
}

const AT_LEAST = "≥: without calls that the program may have made by itself";

export const summariesOfTask = (
  { task, dataset }: Pick<TaskFacts, "task" | "dataset">,
  summaries: readonly Summary[],
) => summaries.filter((summary) => summary.task === task && summary.dataset === dataset);

/** `LaMP-2M` of `LaMP-2M: Personalized Movie Tagging`. */
export const shortTitle = (title: string): string => title.split(":")[0] ?? title;

/** `LaMP-2M · demo data · openai/gpt-4o · 24 users, 80 questions`. */
function headOf({ title, dataset }: TaskFacts, summaries: readonly Summary[]): string {
  const [first] = summaries;
  const parts = [shortTitle(title), `${dataset} data`];
  if (first === undefined) return parts.join(" · ");
  const models = [...new Set(summaries.map(({ model }) => model))].join(", ");
  const mark = summaries.every(({ simulated }) => simulated) ? headingMark(summaries) : "";
  const questions = Math.max(...summaries.map(({ counts, repeats }) => counts.questions / repeats));
  const planned = Math.max(...summaries.map((one) => (one.planned ?? one.counts.questions) / one.repeats));
  const users = first.users === 0 ? "" : `${countOf(first.users, "user")}, `;
  const soFar = questions < planned ? `${questions} of ` : "";
  return [...parts, `${models}${mark}`, `${users}${soFar}${countOf(planned, "question")}`].join(" · ");
}

function warningsOf({ warnings = [], aboutFailed }: TaskFacts, summaries: readonly Summary[]): string[] {
  const bought = aboutFailed === undefined ? summaries : []; // a replay buys nothing
  const ofPrices = bought.flatMap(({ model, usd, simulated, tokens = 0, pricesOf }) =>
    usd === undefined && !simulated && tokens > 0
      ? `the price of ${model} is unknown; give it with --prices FILE`
      : (staleLine(model, pricesOf) ?? []),
  );
  return [...warnings, ...new Set(ofPrices)];
}

/** Returns what changes the meaning of single rows. */
function notesOf(summaries: readonly Summary[], fact: TaskFacts): string[] {
  const { unfit = [], baseline, notes = [] } = fact;
  const below = summaries.filter((summary) => isBelow(summary, baseline)).map(armLabel);
  const isEven = new Set(summaries.map(({ counts }) => counts.questions)).size === 1;
  return [
    ...(below.length === 0 ? [] : [`† below the ${baseline?.name}: ${below.join(", ")}`]),
    ...summaries.flatMap((summary) => notesOfArm(summary, fact, isEven).map((note) => `${armLabel(summary)}: ${note}`)),
    ...unfit.map(({ method, why }) => `${method}: ${dash}, ${why}`),
    ...notes,
  ];
}

function notesOfArm(summary: Summary, { aboutFailed = "run again to try them" }: TaskFacts, isEven: boolean): string[] {
  const { counts, planned, stream, incidents, lacks = [], findings, metrics } = summary;
  const { questions, failed, unscored } = counts;
  const estimated = incidents["usage-estimated"] ?? 0;
  const notes: string[] = [];
  if (planned !== undefined) {
    const uneven = isEven || questions === 0 ? "" : ": not comparable with the other lines";
    notes.push(`${questions} of ${planned} ${nounOf(planned, "question")} so far${uneven}`);
  }
  if (failed > 0) notes.push(`${failed} of ${questions} failed and are not in the scores; ${aboutFailed}`);
  for (const { why } of lacks) notes.push(why);
  if (findings.length > 0) notes.push(findings.join("; "));
  if (stream !== undefined) {
    const quarters = stream.map(formatScore).join(" ");
    notes.push(`${metrics[0]?.name} by position in the stream (quarters): ${quarters}`);
  }
  if (unscored > 0) notes.push(`${countOf(unscored, "answer")} without gold, not scored`);
  if (estimated > 0)
    notes.push(`tokens of ${countOf(estimated, "reply", "replies")} are estimated: the server sent no count`);
  const shorter = incidents["control-shorter-history"] ?? 0;
  if (shorter > 0)
    notes.push(
      `${countOf(shorter, "history", "histories")} of another user ${nounOf(shorter, "is", "are")} shorter than the user's own`,
    );
  if (summary.usdAtMost === true)
    notes.push("the cost is a bound: give prices of cached tokens and long calls with --prices FILE");
  return notes;
}

/** Returns spending and counts of an arm. */
function detailsOf(summary: Summary): string[] {
  const { shared, cached, incidents } = summary;
  const details: string[] = [];
  if (shared !== undefined) {
    const spent = `${countOf(shared.calls, "call")}, ${formatAmount(shared.in + shared.out)} tokens`;
    details.push(`shared by all users: ${spent}; not in calls/user and tok/user`);
  }
  if (cached !== undefined) {
    const share = (part: number): string => `${Math.round((100 * part) / Math.max(1, cached.in))} %`;
    details.push(`${share(cached.read)} of prompt tokens read from the cache, ${share(cached.written)} written to it`);
  }
  const counted = Object.entries(incidents).map(([incident, count]) => `${incident} ${count}`);
  if (counted.length > 0) details.push(counted.join(", "));
  return details.map((detail) => `${armLabel(summary)}: ${detail}`);
}
