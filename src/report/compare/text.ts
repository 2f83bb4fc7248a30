import { isSignificant } from "../../statistics/holm.js";
import { MIN_USERS } from "../../statistics/interval.js";
import { countOf, nounOf } from "../../text/count.js";
import { headingMark } from "../simulated.js";
import { sparseLabelRemarks } from "../sparse-labels.js";
import { type ColumnOf, dash, rowsOfItems, type Table, withColumns } from "../table.js";
import { formatAmount, formatGain, formatP, formatScore } from "../tables/format.js";
import { renderText } from "../tables/text.js";
import { type Comparison, type Flip, type MetricComparison, TOO_NARROW } from "./compare.js";
import { gainOf, type QuestionTest } from "./question-test.js";

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
  readonly comparison: Comparison;
}

/** Text for a terminal. `flipped`: how many flipped questions are listed in either direction; `wide`: every column. */
export function renderComparisons(
  comparisons: readonly TitledComparison[],
  { flipped, wide = false }: { readonly flipped: number; readonly wide?: boolean | undefined },
): string {
  const blocks = comparisons.map((titled) => renderOne(titled, flipped, wide));
  const family = comparisons.flatMap(({ comparison }) => comparison.metrics).filter(({ holm }) => holm !== undefined);
  return [...blocks, legend(comparisons, family.length, wide).join("\n")].join("\n\n");
}

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

/** By the first metric: `SHOWN: rag beats prompt by .238 accuracy (15 users better, 2 worse; p .015)`. */
function verdict({ a, b, comparison: { metrics, users } }: TitledComparison): string {
  const [metric] = metrics;
  if (metric === undefined) return "nothing to compare by";
  const { name, perUser, holm, power } = metric;
  const [nameA, nameB] = methodsApart(a, b);
  const gain = gainOf(metric, metric.a, metric.b);
  const by = formatScore(Math.abs(gain));
  const counts = `${countOf(perUser.wins, "user")} better, ${formatAmount(perUser.losses)} worse`;
  if (isSignificant(holm))
    return `SHOWN: ${nameB} ${gain < 0 ? "loses to" : "beats"} ${nameA} by ${by} ${name} (${counts}; p ${formatP(holm)})`;
  const p = holm === undefined ? `no test: ${MIN_USERS} users needed, ${users} here` : `p ${formatP(holm)}`;
  const could = power === undefined ? "" : `; these users would show ${formatScore(power.detectable)}`;
  return `NOT SHOWN: ${nameB} ${gain < 0 ? "below" : "above"} ${nameA} by ${by} ${name} (${counts}; ${p})${could}`;
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
  { title: "B - A [95 %]", align: "right", cell: withInterval },
  { title: "p users", wide: true, format: formatP, cell: ({ overUsers }) => overUsers?.p },
  { title: "test", wide: true, cell: ({ overQuestions }) => testName(overQuestions) },
  { title: "p test", wide: true, format: formatP, cell: ({ overQuestions }) => overQuestions?.p },
  { title: "p Holm", format: formatP, cell: ({ holm }) => holm },
  {
    title: "W/T/L",
    align: "right",
    cell: ({ perUser: { wins, ties, losses } }) => `${wins}/${ties}/${losses}`,
  },
  { title: "effect", wide: true, align: "right", cell: ({ overQuestions }) => effectOf(overQuestions) },
  { title: "needs users", format: formatAmount, cell: ({ power }) => power?.needed },
  { title: "finds", format: formatScore, cell: ({ power }) => power?.detectable },
];

const tableOf = (metrics: readonly MetricComparison[]): Table => rowsOfItems(columns, metrics);

/** Only where an arm was repeated. The tests use all repeats: a question's noise is in its mean, and so in the intervals. */
function spreadLines(metrics: readonly MetricComparison[]): string[] {
  const repeated = metrics.filter(({ spread }) => spread.a !== undefined || spread.b !== undefined);
  if (repeated.length === 0) return [];
  const one = ({ name, spread }: MetricComparison) => `${name} A ${formatScore(spread.a)} B ${formatScore(spread.b)}`;
  return [`sd between repeats: ${repeated.map(one).join(", ")}`];
}

function withInterval({ difference, overUsers }: MetricComparison): string {
  if (overUsers === undefined) return `${formatGain(difference)} [${dash}]`;
  return `${formatGain(difference)} [${formatGain(overUsers.interval.low)}, ${formatGain(overUsers.interval.high)}]`;
}

function testName(test: QuestionTest | undefined): string {
  if (test === undefined) return dash;
  if (test.discordant === undefined) return "Wilcoxon";
  return `McNemar ${test.discordant.onlyB}:${test.discordant.onlyA}`;
}

function effectOf(test: QuestionTest | undefined): string {
  if (test === undefined) return dash;
  return `${test.discordant === undefined ? "r" : "h"} ${formatGain(test.effect)}`;
}

function flippedLines({ flipped }: Comparison, most: number): string[] {
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

function legend(comparisons: readonly TitledComparison[], family: number, wide: boolean): string[] {
  const corpus = comparisons.some(({ comparison }) =>
    comparison.metrics.some((metric) => metric.overQuestions === undefined),
  );
  const crowded = comparisons.some(({ comparison }) => comparison.questions > comparison.users);
  const test = "the larger of a swap test over users and Student's (a dash below 10 users)";
  return [
    `B - A: 95 % interval over users, ${TOO_NARROW}`,
    wide
      ? `p users: ${test}; p Holm: the same, corrected over the ${family} ${nounOf(family, "line")} with a p printed here`
      : `p Holm: ${test}, corrected over the ${family} ${nounOf(family, "line")} with a p printed here`,
    "W/T/L: users for whom B is better, equal, worse; needs users: users like these for 80 % power at alpha .05, were difference and spread the true ones; finds: the smallest difference that as many as here find",
    ...(wide
      ? [
          "McNemar x:y: x questions only B has right, y only A; effect: Cohen's h (McNemar) or rank-biserial r (Wilcoxon)",
          ...(corpus
            ? [
                "a line without a test is no mean over questions: only users can be left out or swapped; rare labels make its interval lopsided, or too narrow",
              ]
            : []),
          ...(crowded
            ? [
                "test takes questions as independent; one user's are not: where p test is far below p users, trust p users",
              ]
            : []),
        ]
      : []),
    ...sparseLabelRemarks(comparisons.flatMap(({ comparison }) => comparison.metrics)),
  ];
}
