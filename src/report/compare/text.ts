import type { Comparison, Flip, MetricComparison } from "../../results/compare.js";
import type { Interval } from "../../results/inference.js";
import { countOf } from "../../text/count.js";
import { headingMark } from "../simulated.js";
import { type ColumnOf, rowsOfItems, type Table, withColumns } from "../table.js";
import { formatGain, formatP, formatScore } from "../tables/format.js";
import { renderText } from "../tables/text.js";

/** A comparison with what its reader must know of the two arms. */
export interface TitledComparison {
  /** `LaMP-3: ...`. */
  readonly title: string;
  readonly dataset: string;
  /** `rag, offline/lexical`. */
  readonly a: string;
  readonly b: string;
  readonly simulated: boolean;
  /** Settings in which the arms differ, unfinished runs, ... */
  readonly remarks: readonly string[];
  readonly comparison: Comparison & { readonly flipped: readonly Flip[] };
}

/** Text for a terminal. `flipped`: how many flipped questions are listed in either direction; `wide`: every column. */
export function renderComparisons(
  comparisons: readonly TitledComparison[],
  { flipped, wide = false }: { readonly flipped: number; readonly wide?: boolean | undefined },
): string {
  const blocks = comparisons.map((titled) => renderOne(titled, flipped, wide));
  return [...blocks, [LEGEND, ...(wide ? [WIDE] : [])].join("\n")].join("\n\n");
}

const LEGEND = "gain: how much better B is than A, with its 95 % interval over users; p: of this pair alone";
const WIDE =
  "found in 80 %: the smallest gain that these users find in 80 % of cases; W/T/L: users for whom B is better, equal, worse";

function renderOne(titled: TitledComparison, flipped: number, wide: boolean): string {
  const { title, dataset, a, b, simulated, remarks, comparison } = titled;
  return [
    verdict(titled),
    `${title} · data: ${dataset}${headingMark([{ simulated }])}`,
    `A: ${a}`,
    `B: ${b}`,
    [
      `${countOf(comparison.questions, "question")} of ${countOf(comparison.users, "user")}`,
      ...leftOut(comparison),
      ...remarks,
    ].join("; "),
    renderText(...withColumns([tableOf(comparison.metrics)], { wide })),
    ...spreadLines(comparison.metrics),
    ...flippedLines(comparison, flipped),
  ].join("\n");
}

/** By the first metric: `rag .675, +.013 over pag (95 % CI -.021 to .047)`. */
function verdict({ a, b, comparison: { metrics } }: TitledComparison): string {
  const [metric] = metrics;
  const [nameA, nameB] = methodsApart(a, b);
  return metric === undefined
    ? "nothing to compare by"
    : gainSentence({ name: nameB, score: metric.b, over: nameA, gain: metric.gain, interval: metric.interval });
}

/** Says how much better one arm is than another, with its interval where it has one. */
export function gainSentence(given: {
  readonly name: string;
  readonly score: number | undefined;
  readonly over: string;
  readonly gain: number;
  readonly interval: Interval | undefined;
}): string {
  const { name, score, over, gain, interval } = given;
  const bounds =
    interval === undefined ? "" : ` (95 % CI ${formatScore(interval.low)} to ${formatScore(interval.high)})`;
  return `${name} ${formatScore(score)}, ${formatGain(gain)} over ${over}${bounds}`;
}

/** The methods, or all that is known of the arms where they are of one method. */
function methodsApart(a: string, b: string): readonly [string, string] {
  const [methodA = a, methodB = b] = [a.split(", ")[0], b.split(", ")[0]];
  return methodA === methodB ? [`A (${a})`, `B (${b})`] : [methodA, methodB];
}

function leftOut({ leftOut: { onlyA, onlyB, failed, noGold } }: Comparison): string[] {
  return [
    ...(onlyA > 0 ? [`${onlyA} only in A`] : []),
    ...(onlyB > 0 ? [`${onlyB} only in B`] : []),
    ...(failed > 0 ? [`${failed} failed in A or B and left out`] : []),
    ...(noGold > 0 ? [`${noGold} without gold`] : []),
  ];
}

const columns: readonly ColumnOf<MetricComparison>[] = [
  { title: "metric", cell: ({ name, better }) => `${name} (${better === "higher" ? "up" : "down"})` },
  { title: "A", format: formatScore, cell: ({ a }) => a },
  { title: "B", format: formatScore, cell: ({ b }) => b },
  {
    title: "gain",
    format: formatGain,
    interval: true,
    cell: ({ gain, interval }) => ({ value: gain, interval }),
  },
  { title: "p", format: formatP, cell: ({ p }) => p },
  { title: "found in 80 %", wide: true, format: formatScore, cell: ({ detectable }) => detectable },
  {
    title: "W/T/L",
    wide: true,
    align: "right",
    cell: ({ perUser: { wins, ties, losses } }) => `${wins}/${ties}/${losses}`,
  },
];

const tableOf = (metrics: readonly MetricComparison[]): Table => rowsOfItems(columns, metrics);

/** Only where an arm was repeated. */
function spreadLines(metrics: readonly MetricComparison[]): string[] {
  const repeated = metrics.filter(({ spread }) => spread.a !== undefined || spread.b !== undefined);
  if (repeated.length === 0) return [];
  const one = ({ name, spread }: MetricComparison) => `${name} A ${formatScore(spread.a)} B ${formatScore(spread.b)}`;
  return [`sd between repeats: ${repeated.map(one).join(", ")}`];
}

function flippedLines({ flipped }: TitledComparison["comparison"], most: number): string[] {
  const part = (wanted: readonly Flip[], what: string) =>
    wanted.length === 0 || most === 0
      ? []
      : [
          `${what} on ${countOf(wanted.length, "question")}${wanted.length > most ? `, the first ${most}` : ""}:`,
          ...wanted.slice(0, most).map(flipLine),
        ];
  const [gains, losses] = [flipped.filter(({ gain }) => gain), flipped.filter(({ gain }) => !gain)];
  return [...part(losses, "B is worse"), ...part(gains, "B is better")];
}

const flipLine = ({ question, user, gold, a, b }: Flip): string =>
  `  question ${question} · user ${user} · gold ${quote(gold)} · A ${quote(a.reply)} (${formatScore(a.value)}) · B ${quote(b.reply)} (${formatScore(b.value)})`;

const QUOTE_CHARS = 60;

function quote(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return JSON.stringify(line.length <= QUOTE_CHARS ? line : `${line.slice(0, QUOTE_CHARS)}...`);
}
