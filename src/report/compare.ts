import type { Comparison, Flip, MetricComparison } from "../results/compare.js";
import type { Interval } from "../results/inference.js";
import { countOf } from "../text/count.js";
import { type ColumnOf, rowsOfItems, withColumns } from "./table.js";
import { formatAmount, formatGain, formatP, formatScore, headingMark } from "./tables/format.js";
import { renderText } from "./tables/text.js";

/** A comparison with what its reader must know of the two arms. */
export interface TitledComparison {
  readonly title: string;
  readonly dataset: string;
  /** `rag (rag.k=4), offline/lexical`. */
  readonly a: string;
  readonly b: string;
  readonly simulated: boolean;
  /** Settings in which the arms differ, unfinished runs, ... */
  readonly remarks: readonly string[];
  readonly comparison: Comparison & { readonly flipped: readonly Flip[] };
}

interface Shown {
  readonly flipped: number;
  readonly wide?: boolean | undefined;
}

export const renderComparisons = (comparisons: readonly TitledComparison[], shown: Shown): string =>
  [
    ...comparisons.map((titled) => renderOne(titled, shown)),
    "gain: how much better B is than A, with its 95 % interval over users; p: of this pair alone, by the primary metric",
  ].join("\n\n");

function renderOne(titled: TitledComparison, { flipped, wide }: Shown): string {
  const { title, dataset, a, b, simulated, remarks, comparison } = titled;
  const { onlyA, onlyB, failed, noGold } = comparison.leftOut;
  const counted: readonly (readonly [count: number, what: string])[] = [
    [onlyA, "only in A"],
    [onlyB, "only in B"],
    [failed, "failed in A or B and left out"],
    [noGold, "without gold"],
  ];
  const both = `${countOf(comparison.questions, "question")} of ${countOf(comparison.users, "user")} (n_e ${formatAmount(comparison.effective)})`;
  const leftOut = counted.filter(([count]) => count > 0).map((part) => part.join(" "));
  const flips = (gain: boolean) => comparison.flipped.filter((flip) => flip.gain === gain);
  return [
    verdict(titled),
    `${title} · data: ${dataset}${headingMark([{ simulated }])}`,
    `A: ${a}`,
    `B: ${b}`,
    [both, ...leftOut, ...remarks].join("; "),
    renderText(...withColumns([rowsOfItems(columns, comparison.metrics)], wide)),
    ...flipLines(flips(false), "B is worse", flipped),
    ...flipLines(flips(true), "B is better", flipped),
  ].join("\n");
}

/** By the first metric: `rag .675, +.013 over pag (95 % CI -.021 to .047)`. */
function verdict({ a, b, comparison: { metrics } }: TitledComparison): string {
  const [metric] = metrics;
  if (metric === undefined) return "nothing to compare by";
  const [nameA = a, nameB = b] = [a.split(", ")[0], b.split(", ")[0]];
  const [over, name] = nameA === nameB ? [`A (${a})`, `B (${b})`] : [nameA, nameB];
  return gainSentence({ name, score: metric.b, over, gain: metric.gain, interval: metric.interval });
}

interface Gain {
  readonly name: string;
  readonly score: number | undefined;
  readonly over: string;
  readonly gain: number;
  readonly interval: Interval | undefined;
}

function gainSentence({ name, score, over, gain, interval }: Gain): string {
  const bounds =
    interval === undefined ? "" : ` (95 % CI ${formatScore(interval.low)} to ${formatScore(interval.high)})`;
  return `${name} ${formatScore(score)}, ${formatGain(gain)} over ${over}${bounds}`;
}

const columns: readonly ColumnOf<MetricComparison>[] = [
  { title: "metric", cell: ({ name, better }) => `${name} (${better === "higher" ? "up" : "down"})` },
  { title: "A", format: formatScore, cell: ({ a }) => a },
  { title: "B", format: formatScore, cell: ({ b }) => b },
  {
    ...{ title: "gain", format: formatGain, interval: true },
    cell: ({ gain, interval }) => ({ value: gain, interval }),
  },
  { title: "p", format: formatP, cell: ({ p }) => p },
  { title: "MDE (80 % power)", wide: true, format: formatScore, cell: ({ detectable }) => detectable },
];

function flipLines(flips: readonly Flip[], what: string, most: number): string[] {
  if (flips.length === 0 || most === 0) return [];
  const cut = flips.length > most ? `, the first ${most}` : "";
  const lines = flips.slice(0, most).flatMap(({ question, content = "", user, gold, a, b }) => {
    const replies = [`A ${quote(a.reply)} (${formatScore(a.value)})`, `B ${quote(b.reply)} (${formatScore(b.value)})`];
    return [
      `  question ${question} · user ${user} · ${quote(content, 160)}`,
      `    ${[...(gold === undefined ? [] : [`gold ${quote(gold)}`]), ...replies].join(" · ")}`,
    ];
  });
  return [`${what} on ${countOf(flips.length, "question")}${cut}:`, ...lines];
}

function quote(text: string, most = 60): string {
  const line = text.replace(/\s+/g, " ").trim();
  return JSON.stringify(line.length <= most ? line : `${line.slice(0, most)}...`);
}
