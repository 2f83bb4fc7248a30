import { UsageError } from "../../errors.js";
import { scoreAll } from "../../metrics/score-all.js";
import { repeatSums } from "../../statistics/cluster-sums.js";
import { holm } from "../../statistics/holm.js";
import { isMean, isRootOfMean } from "../../statistics/mean-metric.js";
import { differencePower, type PairedDifference, pairedDifference } from "../../statistics/paired-difference.js";
import type { Power } from "../../statistics/power.js";
import { deviation } from "../../statistics/quantile.js";
import type { Metric, Pair, Row } from "../../types.js";
import { groupBy } from "../grouped.js";
import { meanOfRepeats, pairOf, pairsByRepeat, repeatsOf, type ScoredRow, scoresOfRepeats } from "../pairs.js";
import { sparseLabels } from "../sparse-labels.js";
import { type AlignedQuestion, type Alignment, align } from "./aligned.js";
import { gainOf, type QuestionTest, signOf, type Tally, tally, testQuestions } from "./question-test.js";

/** Two arms on the questions that both answered. Differences are B - A. */
export interface TestedArms {
  readonly questions: number;
  readonly users: number;
  readonly leftOut: Alignment["leftOut"];
  readonly metrics: readonly MetricComparison[];
}

/** The same with the questions behind it. */
export interface Comparison extends TestedArms {
  /** Questions whose value by the first metric differs, the largest changes first. Empty where it is no mean over questions. */
  readonly flipped: readonly Flip[];
}

export interface MetricComparison {
  readonly name: string;
  readonly better: "higher" | "lower";
  /** Official reading. With repeats: the mean over them. */
  readonly a: number;
  readonly b: number;
  readonly difference: number;
  /** 95 % interval and p of the difference over users (`pairedDifference`); undefined below 10 users. */
  readonly overUsers: PairedDifference | undefined;
  /** What users like these would find; undefined below 10 users. */
  readonly power: Power | undefined;
  /** Of a mean over labels: labels so rare that its interval is not to be trusted (`sparseLabels`). Absent: none. */
  readonly sparseLabels?: number;
  /** Undefined for metrics that are no mean over questions. */
  readonly overQuestions: QuestionTest | undefined;
  /** The p over users after Holm over the family; undefined where there is none. Filled in by `correct`. */
  readonly holm: number | undefined;
  /** Standard deviation between the repeats of an arm; undefined for one repeat. */
  readonly spread: { readonly a: number | undefined; readonly b: number | undefined };
  /** Users for whom B is better, equal, worse. */
  readonly perUser: Tally;
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

/** Two arms, and what they are compared by. */
interface ComparisonRequest {
  readonly a: readonly Row[];
  readonly b: readonly Row[];
  readonly metrics: readonly Metric[];
  readonly seed: number;
}

/** Compares two arms. Throws UsageError where no question was answered in both, or they are of different data. */
export function compareArms(request: ComparisonRequest): Comparison {
  const alignment = align(request.a, request.b);
  if (alignment.questions.length === 0)
    throw new UsageError(`no question has a scored answer in both A and B (${leftOutText(alignment.leftOut)})`);
  const first = request.metrics[0];
  return {
    ...compareAligned(alignment, request),
    flipped: first !== undefined && isMean(first) ? flips(first, alignment.questions) : [],
  };
}

/** Undefined where no question was answered in both, as in a run that has hardly begun. Throws UsageError on different data. */
export function compareIfAny(request: ComparisonRequest): TestedArms | undefined {
  const alignment = align(request.a, request.b);
  return alignment.questions.length === 0 ? undefined : compareAligned(alignment, request);
}

/** Holm's correction over all metrics of all comparisons that are printed together. */
export function correct<T extends TestedArms>(comparisons: readonly T[]): T[] {
  const family = comparisons
    .flatMap(({ metrics }) => metrics.map(({ overUsers }) => overUsers?.p))
    .filter((p) => p !== undefined);
  const corrected = holm(family).values();
  const withCorrectedP = (metric: MetricComparison): MetricComparison => ({
    ...metric,
    holm: metric.overUsers === undefined ? undefined : corrected.next().value,
  });
  return comparisons.map((comparison) => ({ ...comparison, metrics: comparison.metrics.map(withCorrectedP) }));
}

function compareAligned({ questions, leftOut }: Alignment, { metrics, seed }: ComparisonRequest): TestedArms {
  const clusters = clustersOf(questions);
  const pairs = { a: allPairs(questions, "a"), b: allPairs(questions, "b") };
  return {
    questions: questions.length,
    users: clusters.length,
    leftOut,
    metrics: metrics.map((metric) => compareMetric(metric, { questions, clusters, pairs }, seed)),
  };
}

/** Two arms' pairs, all together by repeat and those of each user. */
interface Material {
  readonly questions: readonly AlignedQuestion[];
  readonly clusters: readonly ComparedUser[];
  readonly pairs: ComparedUser;
}

function compareMetric(metric: Metric, { questions, clusters, pairs }: Material, seed: number): MetricComparison {
  const { a: ofA, b: ofB } = pairs;
  const a = scoreOf(metric, ofA);
  const b = scoreOf(metric, ofB);
  const perQuestion = (arm: "a" | "b") => questions.map((question) => scoreAll(metric, question[arm].map(pairOf)));
  const values = isMean(metric) ? { a: perQuestion("a"), b: perQuestion("b") } : undefined;
  const spread = { a: deviation(scoresOfRepeats(metric, ofA)), b: deviation(scoresOfRepeats(metric, ofB)) };
  const sums = (arm: "a" | "b") =>
    repeatSums(
      metric,
      clusters.map((user) => user[arm]),
    );
  const userGains = values && gainsByUser(questions, values);
  const request = {
    a: sums("a"),
    b: sums("b"),
    questions: questions.length,
    repeats: { a: { sd: spread.a ?? 0, count: ofA.length }, b: { sd: spread.b ?? 0, count: ofB.length } },
    ...(userGains === undefined ? {} : { userGains }),
    isRoot: isRootOfMean(metric),
    seed,
  };
  return {
    name: metric.name,
    better: metric.better,
    a,
    b,
    difference: b - a,
    overUsers: pairedDifference(request),
    power: differencePower(request),
    ...sparseLabels(metric, () => questions.map(({ gold }) => gold)),
    overQuestions: values && testQuestions(values.a, values.b),
    holm: undefined,
    spread,
    perUser: tally(clusters.map(({ a, b }) => gainOf(metric, scoreOf(metric, a), scoreOf(metric, b)))),
  };
}

/** Every aligned question, and so every user here, has a scored answer in both arms. */
const scoreOf = (metric: Metric, repeats: readonly (readonly Pair[])[]): number =>
  meanOfRepeats(metric, repeats) ?? Number.NaN;

/** Each user's sum of differences, in the order in which users are grouped. */
function gainsByUser(
  questions: readonly AlignedQuestion[],
  { a, b }: { readonly a: readonly number[]; readonly b: readonly number[] },
): number[] {
  const gains = new Map<string, number>();
  for (const [q, { user }] of questions.entries()) gains.set(user, (gains.get(user) ?? 0) + b[q]! - a[q]!);
  return [...gains.values()];
}

/** Replies are looked up for questions that flipped only. */
function flips(metric: Metric, questions: readonly AlignedQuestion[]): Flip[] {
  const value = (rows: readonly ScoredRow[]): number => scoreAll(metric, rows.map(pairOf));
  const flipped: { readonly aligned: AlignedQuestion; readonly a: number; readonly b: number }[] = [];
  for (const aligned of questions) {
    const [a, b] = [value(aligned.a), value(aligned.b)];
    if (signOf(b - a) !== 0) flipped.push({ aligned, a, b });
  }
  return flipped
    .sort((one, other) => Math.abs(other.b - other.a) - Math.abs(one.b - one.a))
    .map(({ aligned, a, b }) => ({
      question: aligned.question,
      user: aligned.user,
      gold: aligned.gold,
      a: { reply: strictReply(aligned.a), value: a },
      b: { reply: strictReply(aligned.b), value: b },
      gain: signOf(gainOf(metric, a, b)) === 1,
    }));
}

/** The arm's reply in its first repeat, unchanged. */
const strictReply = ([row]: readonly Row[]): string =>
  row === undefined || row.outcome.kind === "failed" ? "" : row.outcome.reply;

/** One user's pairs in both arms, a list for each repeat. */
interface ComparedUser {
  readonly a: readonly (readonly Pair[])[];
  readonly b: readonly (readonly Pair[])[];
}

function allPairs(questions: readonly AlignedQuestion[], arm: "a" | "b"): Pair[][] {
  const rows = questions.flatMap((question) => question[arm]);
  return pairsByRepeat(rows, repeatsOf(rows));
}

function clustersOf(questions: readonly AlignedQuestion[]): ComparedUser[] {
  const repeats = {
    a: repeatsOf(questions.flatMap(({ a }) => a)),
    b: repeatsOf(questions.flatMap(({ b }) => b)),
  };
  const pairs = (ofUser: readonly AlignedQuestion[], arm: "a" | "b") =>
    pairsByRepeat(
      ofUser.flatMap((question) => question[arm]),
      repeats[arm],
    );
  return [...groupBy(questions, ({ user }) => user).values()].map((ofUser) => ({
    a: pairs(ofUser, "a"),
    b: pairs(ofUser, "b"),
  }));
}

const leftOutText = ({ onlyA, onlyB, failed, noGold }: Alignment["leftOut"]): string =>
  `only in A: ${onlyA}, only in B: ${onlyB}, failed: ${failed}, without a gold: ${noGold}`;

/**
 * Said wherever an interval of the difference of two arms is printed: there it held the truth in far fewer than 95 % of samples
 * (docs/STATISTICS.md).
 */
export const TOO_NARROW = "too narrow where few users or answers make the difference";
