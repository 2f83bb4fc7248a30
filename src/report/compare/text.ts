import { nounOf } from "../../text/count.js";
import { headingMark } from "../simulated.js";
import { sparseLabelRemarks } from "../sparse-labels.js";
import { dash, type Table } from "../table.js";
import { formatAmount, formatP, formatScore } from "../tables/format.js";
import { renderText } from "../tables/text.js";
import { type Comparison, type Flip, type MetricComparison, TOO_NARROW } from "./compare.js";
import type { QuestionTest } from "./question-test.js";

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

/** Text for a terminal. `flipped`: how many flipped questions are listed in either direction. */
export function renderComparisons(comparisons: readonly TitledComparison[], flipped: number): string {
  const blocks = comparisons.map((titled) => renderOne(titled, flipped));
  const family = comparisons.flatMap(({ comparison }) => comparison.metrics).filter(({ holm }) => holm !== undefined);
  return [...blocks, legend(comparisons, family.length).join("\n")].join("\n\n");
}

function renderOne(
  { title, dataset, a, b, simulated, remarks, comparison }: TitledComparison,
  flipped: number,
): string {
  return [
    `${title} · data: ${dataset}${headingMark([{ simulated }])}`,
    `A: ${a}`,
    `B: ${b}`,
    [
      `${comparison.questions} ${nounOf(comparison.questions, "question")} of ${comparison.users} ${nounOf(comparison.users, "user")}`,
      ...leftOut(comparison),
      ...remarks,
    ].join("; "),
    renderText(tableOf(comparison.metrics)),
    ...spreadLines(comparison.metrics),
    ...flippedLines(comparison, flipped),
  ].join("\n");
}

function leftOut({ leftOut: { onlyA, onlyB, failed, noGold } }: Comparison): string[] {
  return [
    ...(onlyA > 0 ? [`${onlyA} only in A`] : []),
    ...(onlyB > 0 ? [`${onlyB} only in B`] : []),
    ...(failed > 0 ? [`${failed} failed in A or B and left out`] : []),
    ...(noGold > 0 ? [`${noGold} without gold`] : []),
  ];
}

const TITLES = [
  "A",
  "B",
  "B - A [95 %]",
  "p users",
  "test",
  "p test",
  "p Holm",
  "W/T/L",
  "effect",
  "needs users",
  "finds",
];

function tableOf(metrics: readonly MetricComparison[]): Table {
  return {
    columns: [
      { title: "metric", align: "left" },
      ...TITLES.map((title) => ({ title, align: title === "test" ? ("left" as const) : ("right" as const) })),
    ],
    rows: metrics.map((metric) => [
      `${metric.name} (${metric.better === "higher" ? "up" : "down"})`,
      formatScore(metric.a),
      formatScore(metric.b),
      withInterval(metric),
      formatP(metric.overUsers?.p),
      testName(metric.overQuestions),
      formatP(metric.overQuestions?.p),
      formatP(metric.holm),
      `${metric.perUser.wins}/${metric.perUser.ties}/${metric.perUser.losses}`,
      effectOf(metric.overQuestions),
      formatAmount(metric.power?.needed),
      formatScore(metric.power?.detectable),
    ]),
  };
}

/** Only where an arm was repeated. The tests use all repeats: a question's noise is in its mean, and so in the intervals. */
function spreadLines(metrics: readonly MetricComparison[]): string[] {
  const repeated = metrics.filter(({ spread }) => spread.a !== undefined || spread.b !== undefined);
  if (repeated.length === 0) return [];
  const one = ({ name, spread }: MetricComparison) => `${name} A ${formatScore(spread.a)} B ${formatScore(spread.b)}`;
  return [`sd between repeats: ${repeated.map(one).join(", ")}`];
}

function withInterval({ difference, overUsers }: MetricComparison): string {
  if (overUsers === undefined) return `${signed(difference)} [${dash}]`;
  return `${signed(difference)} [${signed(overUsers.interval.low)}, ${signed(overUsers.interval.high)}]`;
}

function signed(value: number): string {
  const text = formatScore(value);
  if (/^-?[.0]+$/.test(text)) return formatScore(0);
  return value > 0 ? `+${text}` : text;
}

function testName(test: QuestionTest | undefined): string {
  if (test === undefined) return dash;
  if (test.discordant === undefined) return "Wilcoxon";
  return `McNemar ${test.discordant.onlyB}:${test.discordant.onlyA}`;
}

function effectOf(test: QuestionTest | undefined): string {
  if (test === undefined) return dash;
  return `${test.discordant === undefined ? "r" : "h"} ${signed(test.effect)}`;
}

function flippedLines({ flipped }: Comparison, most: number): string[] {
  const part = (wanted: readonly Flip[], what: string) =>
    wanted.length === 0 || most === 0
      ? []
      : [`${what}, ${Math.min(most, wanted.length)} of ${wanted.length}:`, ...wanted.slice(0, most).map(flipLine)];
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

function legend(comparisons: readonly TitledComparison[], family: number): string[] {
  const corpus = comparisons.some(({ comparison }) =>
    comparison.metrics.some((metric) => metric.overQuestions === undefined),
  );
  const crowded = comparisons.some(({ comparison }) => comparison.questions > comparison.users);
  return [
    `B - A: 95 % interval over users, ${TOO_NARROW}; p users: the larger of a swap test over users and Student's (a dash below 10 users); W/T/L: users for whom B is better, equal, worse`,
    "McNemar x:y: x questions only B has right, y only A; effect: Cohen's h (McNemar) or rank-biserial r (Wilcoxon)",
    `p Holm: p users, corrected over the ${family} ${nounOf(family, "line")} with a p printed here`,
    "needs users: users like these for 80 % power at alpha .05, were difference and spread the true ones; finds: the smallest difference that as many as here find",
    ...(corpus
      ? [
          "a line without a test is no mean over questions: only users can be left out or swapped; rare labels make its interval lopsided, or too narrow",
        ]
      : []),
    ...sparseLabelRemarks(comparisons.flatMap(({ comparison }) => comparison.metrics)),
    ...(crowded
      ? ["test takes questions as independent; one user's are not: where p test is far below p users, trust p users"]
      : []),
  ];
}
