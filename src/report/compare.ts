import { UsageError } from "../errors.js";
import { scoreAll } from "../metrics/score-all.js";
import { deviation } from "../statistics/deviation.js";
import { holm } from "../statistics/holm.js";
import { isMean } from "../statistics/mean-metric.js";
import { type PairedCluster, type PairedDifference, pairedDifferences } from "../statistics/paired-bootstrap.js";
import type { Metric, Pair, Row } from "../types.js";
import { type AlignedQuestion, type Alignment, align } from "./aligned.js";
import { groupBy } from "./grouped.js";
import { type QuestionTest, testQuestions } from "./question-test.js";
import { strictText } from "./summary.js";

/** Two arms on the questions that both answered. Differences are B - A. */
export interface Comparison {
  readonly questions: number;
  readonly users: number;
  readonly leftOut: Alignment["leftOut"];
  readonly metrics: readonly MetricComparison[];
  /** Questions whose value by the first metric differs, the largest changes first. Empty where it is no mean over questions. */
  readonly flipped: readonly Flip[];
}

export interface MetricComparison {
  readonly name: string;
  readonly better: "higher" | "lower";
  /** Official reading. With repeats: over all of them. */
  readonly a: number;
  readonly b: number;
  readonly difference: number;
  /** 95 % interval and p of the difference, bootstrap over users; undefined below 10 users. */
  readonly overUsers: PairedDifference | undefined;
  /** Undefined for metrics that are no mean over questions. */
  readonly overQuestions: QuestionTest | undefined;
  /** The larger p of the two after Holm over the family; undefined where there is none. Filled in by `correct`. */
  readonly holm: number | undefined;
  /** Standard deviation between the repeats of an arm; undefined for one repeat. */
  readonly spread: { readonly a: number | undefined; readonly b: number | undefined };
  /** Users for whom B is better, equal, worse. */
  readonly perUser: { readonly wins: number; readonly ties: number; readonly losses: number };
}

export interface Flip {
  readonly question: string;
  readonly user: string;
  readonly gold: string;
  readonly a: { readonly reply: string; readonly value: number };
  readonly b: { readonly reply: string; readonly value: number };
  /** Whether B is the better one. */
  readonly gain: boolean;
}

/** Compares two arms. Throws UsageError where no question was answered in both, or they are of different data. */
export function compareArms(request: {
  readonly a: readonly Row[];
  readonly b: readonly Row[];
  readonly metrics: readonly Metric[];
  readonly seed: number;
}): Comparison {
  const { metrics, seed } = request;
  const { questions, leftOut } = align(request.a, request.b);
  if (questions.length === 0)
    throw new UsageError(`no question has a scored answer in both A and B (${JSON.stringify(leftOut)})`);
  const clusters = clustersOf(questions);
  const first = metrics[0];
  const overUsers = pairedDifferences({ metrics, clusters, seed });
  return {
    questions: questions.length,
    users: clusters.length,
    leftOut,
    metrics: metrics.map((metric, m) => compareMetric(metric, questions, clusters, overUsers[m])),
    flipped: first !== undefined && isMean(first) ? flips(first, questions) : [],
  };
}

/** Holm's correction over all metrics of all comparisons that are printed together. */
export function correct(comparisons: readonly Comparison[]): Comparison[] {
  const family = comparisons.flatMap(({ metrics }) => metrics.map(largerP)).filter((p) => p !== undefined);
  const corrected = holm(family).values();
  const paid = (metric: MetricComparison): MetricComparison => ({
    ...metric,
    holm: largerP(metric) === undefined ? undefined : corrected.next().value,
  });
  return comparisons.map((comparison) => ({ ...comparison, metrics: comparison.metrics.map(paid) }));
}

// --- internal ---

function compareMetric(
  metric: Metric,
  questions: readonly AlignedQuestion[],
  clusters: readonly PairedCluster[],
  overUsers: PairedDifference | undefined,
): MetricComparison {
  const a = scoreAll(metric, questions.flatMap(pairsOfA));
  const b = scoreAll(metric, questions.flatMap(pairsOfB));
  const perQuestion = (pairs: (question: AlignedQuestion) => Pair[]) =>
    questions.map((question) => scoreAll(metric, pairs(question)));
  return {
    name: metric.name,
    better: metric.better,
    a,
    b,
    difference: b - a,
    overUsers,
    overQuestions: isMean(metric) ? testQuestions(perQuestion(pairsOfA), perQuestion(pairsOfB)) : undefined,
    holm: undefined,
    spread: {
      a: spreadOf(metric, questions, ({ a }) => a),
      b: spreadOf(metric, questions, ({ b }) => b),
    },
    perUser: countUsers(metric, clusters),
  };
}

/** Each repeat is a cell of its own. */
function spreadOf(
  metric: Metric,
  questions: readonly AlignedQuestion[],
  rows: (question: AlignedQuestion) => readonly Row[],
): number | undefined {
  const answers = questions.flatMap((question) =>
    rows(question).map((row) => ({ cell: row.cell, pair: pairOf(row, question.gold) })),
  );
  const repeats = [...groupBy(answers, ({ cell }) => cell).values()];
  return deviation(
    repeats.map((own) =>
      scoreAll(
        metric,
        own.map(({ pair }) => pair),
      ),
    ),
  );
}

/** A p that holds if either of the two tests does: questions of one user are not independent, and few users are few. */
function largerP({ overUsers, overQuestions }: MetricComparison): number | undefined {
  const ps = [overUsers?.p, overQuestions?.p].filter((p) => p !== undefined);
  return ps.length === 0 ? undefined : Math.max(...ps);
}

function countUsers(metric: Metric, clusters: readonly PairedCluster[]): MetricComparison["perUser"] {
  const gains = clusters.map(({ a, b }) => gainOf(metric, scoreAll(metric, a), scoreAll(metric, b)));
  const count = (sign: number) => gains.filter((gain) => gain === sign).length;
  return { wins: count(1), ties: count(0), losses: count(-1) };
}

const ROUNDING = 1e-12;

/** 1 where B is better, -1 where it is worse, 0 where they differ by rounding at most. */
function gainOf({ better }: Metric, a: number, b: number): number {
  if (Math.abs(b - a) <= ROUNDING) return 0;
  return b > a === (better === "higher") ? 1 : -1;
}

function flips(metric: Metric, questions: readonly AlignedQuestion[]): Flip[] {
  return questions
    .map(({ question, user, gold, ...arms }) => {
      const side = (rows: readonly Row[]) => ({
        reply: strictReply(rows),
        value: scoreAll(
          metric,
          rows.map((row) => pairOf(row, gold)),
        ),
      });
      const [a, b] = [side(arms.a), side(arms.b)];
      return { question, user, gold, a, b, gain: gainOf(metric, a.value, b.value) === 1 };
    })
    .filter(({ a, b }) => gainOf(metric, a.value, b.value) !== 0)
    .sort((one, other) => Math.abs(other.b.value - other.a.value) - Math.abs(one.b.value - one.a.value));
}

/** What the arm said at its first repeat, as it said it. */
const strictReply = ([row]: readonly Row[]): string =>
  row === undefined || row.outcome.kind === "failed" ? "" : row.outcome.reply;

const pairOf = (row: Row, gold: string): Pair => ({ prediction: strictText(row), gold });
const pairsOfA = ({ a, gold }: AlignedQuestion): Pair[] => a.map((row) => pairOf(row, gold));
const pairsOfB = ({ b, gold }: AlignedQuestion): Pair[] => b.map((row) => pairOf(row, gold));

function clustersOf(questions: readonly AlignedQuestion[]): PairedCluster[] {
  return [...groupBy(questions, ({ user }) => user).values()].map((own) => ({
    a: own.flatMap(pairsOfA),
    b: own.flatMap(pairsOfB),
  }));
}
