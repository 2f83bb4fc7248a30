import { nounOf } from "../../text/count.js";
import { armLabel } from "../arms.js";
import type { MetricSummary } from "../metric-summary.js";
import { personaagent } from "../reproduce/papers/personaagent.js";
import { headingMark } from "../simulated.js";
import type { ModelSpend } from "../spending.js";
import type { Summary } from "../summary.js";
import { dash, type Table } from "../table.js";
import { formatAmount, formatCost, formatInterval, formatScore, formatUsd, staleLine } from "./format.js";
import { renderMarkdown } from "./markdown.js";
import { renderText } from "./text.js";

/** What stands above and below the rows of one task's table. */
export interface TaskFacts {
  readonly task: string;
  readonly title: string;
  readonly dataset: string;
  /** `others: leave-one-out`, `temperature not applied`, ...: what a reader must know to compare. */
  readonly remarks: readonly string[];
  /** Scores of each user's most frequent past label, by metric; absent where there is none. */
  readonly floor?: { readonly count: number; readonly values: Readonly<Record<string, number>> };
  /** Methods that say nothing on the task: a line of dashes each, and why. */
  readonly unfit?: readonly { readonly method: string; readonly why: string }[];
  /** What is to be known, or done, about failed questions. Absent: the run can be taken up again. */
  readonly aboutFailed?: string;
}

export interface Results {
  readonly summaries: readonly Summary[];
  readonly facts: readonly TaskFacts[];
}

/** One table per task and data set, for a terminal (`text`) or a document (`markdown`). */
export function renderResults({ summaries, facts }: Results, form: "text" | "markdown"): string {
  return facts
    .map((fact) => {
      const taskSummaries = summaries.filter(({ task, dataset }) => task === fact.task && dataset === fact.dataset);
      const table = taskTable(taskSummaries, fact);
      const heading = headingOf(fact, taskSummaries);
      const notes = footnotes(taskSummaries, fact);
      return form === "text"
        ? [heading, ...contextOf(fact, taskSummaries), renderText(table), ...notes].join("\n")
        : [
            `### ${heading}`,
            "",
            ...contextOf(fact, taskSummaries).map((line) => `${line}  `),
            "",
            renderMarkdown(table),
            "",
            ...notes.map((note) => `${note}  `),
          ].join("\n");
    })
    .join("\n\n");
}

/**
 * Median seconds per question, and how many times are lost. Apart from the results, because times are never the same twice
 * and results must be. Undefined when every reply came from the store.
 */
export function renderSpeed(summaries: readonly Summary[]): string | undefined {
  const timed = summaries.filter(({ secondsPerQuery }) => secondsPerQuery !== undefined);
  const parts = timed.map((summary) => `${summary.task} ${armLabel(summary)} ${formatAmount(summary.secondsPerQuery)}`);
  const lost = summaries.reduce((sum, { untimed = 0 }) => sum + untimed, 0);
  const lines = [
    ...(parts.length === 0 ? [] : [`median seconds per question: ${parts.join(", ")}`]),
    ...(lost === 0 ? [] : [`questions whose time is lost, its record was damaged: ${lost}`]),
  ];
  return lines.length === 0 ? undefined : lines.join("\n");
}

/** The sample in a line: users, questions against the paper's, remarks. Empty without summaries. */
export function contextOf({ task, remarks }: TaskFacts, summaries: readonly Summary[]): string[] {
  const first = summaries[0];
  if (first === undefined) return [];
  const n = first.counts.questions / first.repeats;
  return [[`${first.users} ${nounOf(first.users, "user")}`, sampleNote(task, n), ...remarks].join("; ")];
}

/** Scored answers; of an arm that has not had all its questions yet, with how many it will have. */
export const sampleSize = ({ counts, planned }: Summary): string =>
  planned === undefined ? String(counts.scored) : `${counts.scored}/${planned}`;

/** What a reader must know of single arms: questions still to come, failures, questions without gold, shared costs, incidents. */
export function footnotes(
  summaries: readonly Summary[],
  { aboutFailed = "run again to try them", unfit = [] }: TaskFacts,
): string[] {
  const notes: string[] = [];
  const areEven = new Set(summaries.map(({ counts }) => counts.questions)).size === 1;
  for (const summary of summaries) {
    const { counts, planned } = summary;
    const name = armLabel(summary);
    if (planned !== undefined)
      notes.push(
        `${name}: ${counts.questions} of ${planned} ${nounOf(planned, "question")} so far${areEven || counts.questions === 0 ? "" : ": not comparable with the other lines"}`,
      );
    if (counts.failed > 0)
      notes.push(`* ${name}: ${counts.failed} of ${counts.questions} failed and are not in the scores; ${aboutFailed}`);
    if (summary.stream !== undefined)
      notes.push(
        `${name}: ${summary.metrics[0]?.name} by position in the stream (quarters): ${summary.stream.map(formatScore).join(" ")}`,
      );
    if (counts.unscored > 0)
      notes.push(
        `${name}: ${counts.unscored} ${nounOf(counts.unscored, "answered question has", "answered questions have")} no gold and ${nounOf(counts.unscored, "is", "are")} not scored`,
      );
    if (summary.shared !== undefined) {
      const { calls, in: tokensIn, out } = summary.shared;
      notes.push(
        `${name}: shared by all users: ${formatAmount(calls)} ${nounOf(calls, "call")}, ${formatAmount(tokensIn + out)} tokens; in cost, not in calls/user`,
      );
    }
    if (summary.spent !== undefined) notes.push(`${name}: by model: ${summary.spent.map(spentText).join("; ")}`);
    if (summary.cached !== undefined) notes.push(`${name}: ${cacheNote(summary.cached)}`);
    if (summary.usdAtMost === true)
      notes.push(`${name}: the cost is a bound: a price of cached tokens, or the length of single calls, is not known`);
    const incidents = Object.entries(summary.incidents).map(([incident, count]) => `${incident} ${count}`);
    if (incidents.length > 0) notes.push(`${name}: ${incidents.join(", ")}`);
  }
  const stale = summaries.flatMap(({ model, pricesOf }) => staleLine(model, pricesOf) ?? []);
  return [...notes, ...unfit.map(({ method, why }) => `${method}: ${dash}, ${why}`), ...new Set(stale)];
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

function headingOf({ title, dataset }: TaskFacts, summaries: readonly Summary[]): string {
  const models = [...new Set(summaries.map(({ model }) => model))].join(", ");
  return `${title} · data: ${dataset} · model: ${models}${headingMark(summaries)}`;
}

function taskTable(summaries: readonly Summary[], { floor, unfit = [] }: TaskFacts): Table {
  const metrics = summaries[0]?.metrics ?? [];
  const repeated = summaries.some(({ repeats }) => repeats > 1);
  const columns: Table["columns"] = [
    { title: "method", align: "left" },
    ...metrics.map(({ name }, m) => ({ title: m === 0 ? `${name} [95 %]` : name, align: "right" }) as const),
    ...(repeated ? ([{ title: "sd repeats", align: "right" }] as const) : []),
    { title: "lenient", align: "right" },
    { title: "n", align: "right" },
    { title: "ok/unparsed/failed", align: "right" },
    { title: "calls/q", align: "right" },
    { title: "calls/user", align: "right" },
    { title: "tok/q", align: "right" },
    { title: "tok/user", align: "right" },
    { title: "cost", align: "right" },
  ];
  const rows = summaries.map((summary) => [
    armLabel(summary),
    ...summary.metrics.map((metric, m) =>
      m === 0 ? formatInterval(metric.strict, metric.interval) : formatScore(metric.strict),
    ),
    ...(repeated ? [formatScore(summary.metrics[0]?.spread)] : []),
    formatScore(summary.metrics[0]?.lenient),
    sampleSize(summary),
    `${summary.counts.answered}/${summary.counts.unparsed}/${summary.counts.failed}${summary.counts.failed > 0 ? "*" : ""}`,
    formatAmount(summary.callsPerQuery),
    formatAmount(summary.callsPerUser),
    formatAmount(summary.tokensPerQuery),
    formatAmount(summary.tokensPerUser),
    formatCost(summary),
  ]);
  for (const { method } of unfit) rows.push([method, ...Array<string>(columns.length - 1).fill(dash)]);
  if (floor !== undefined) rows.push(floorRow(floor, metrics, columns.length, repeated));
  return { columns, rows };
}

function floorRow(
  floor: NonNullable<TaskFacts["floor"]>,
  metrics: readonly MetricSummary[],
  width: number,
  repeated: boolean,
): string[] {
  const cells = ["(majority label)", ...metrics.map(({ name }) => formatScore(floor.values[name]))];
  const before = cells.length + (repeated ? 1 : 0) + 1;
  return [
    ...cells,
    ...Array<string>(before - cells.length).fill(dash),
    String(floor.count),
    ...Array<string>(width - before - 1).fill(dash),
  ];
}

/** Questions behind the published numbers of PersonaAgent, by task; a task is absent where they cannot be derived. */
const paperSamples: Readonly<Record<string, number>> = personaagent.samples;

/** `n=983; paper: not derivable` or `n=100, paper n=300: different sample`. */
function sampleNote(task: string, ours: number): string {
  const theirs = paperSamples[task];
  if (theirs === undefined) return `n=${ours}; the paper's n cannot be derived`;
  return ours === theirs
    ? `n=${ours}, as derived for the paper`
    : `n=${ours}, paper n=${theirs} (derived): different sample`;
}
