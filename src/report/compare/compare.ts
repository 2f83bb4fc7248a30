import { UsageError } from "../../errors.js";
import { scoreAll } from "../../metrics/score-all.js";
import { repeatSums } from "../../statistics/cluster-sums.js";
import { holm } from "../../statistics/holm.js";
import { isMean, isRootOfMean } from "../../statistics/mean-metric.js";
import { differencePower, type PairedDifference, pairedDifference } from "../../statistics/paired-difference.js";
import type { Power } from "../../statistics/power.js";
import { deviation } from "../../statistics/quantile.js";
import type { Metric, Pair, Row } from "../../types/index.js";
import { groupBy } from "../grouped.js";
import { answersIn, byRepeat, known, otherData, type PairedQuestion, pairAnswers } from "../paired.js";
import { meanOfRepeats, scoresOfRepeats } from "../pairs.js";
import { sparseLabels } from "../sparse-labels.js";
import { gainOf, type QuestionTest, signOf, type Tally, tally, testQuestions } from "./question-test.js";

/** Two arms on the questions that both answered. Differences are B - A. */
export interface TestedArms {
  readonly questions: number;
  readonly users: number;
  readonly leftOut: Paired["leftOut"];
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
  const paired = pairedIn(request);
  if (paired.questions.length === 0)
    throw new UsageError(`no question has a scored answer in both A and B (${leftOutText(paired.leftOut)})`);
  const first = request.metrics[0];
  return {
    ...comparePaired(paired, request),
    flipped: first !== undefined && isMean(first) ? flips(first, paired.questions, request) : [],
  };
}

/** Undefined where no question was answered in both, as in a run that has hardly begun. Throws UsageError on different data. */
export function compareIfAny(request: ComparisonRequest): TestedArms | undefined {
  const paired = pairedIn(request);
  return paired.questions.length === 0 ? undefined : comparePaired(paired, request);
}

type Paired = ReturnType<typeof pairAnswers>;

const pairedIn = ({ a, b }: ComparisonRequest): Paired => pairAnswers(answersIn(a), answersIn(b), otherData);

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

function comparePaired({ questions, leftOut }: Paired, { metrics, seed }: ComparisonRequest): TestedArms {
  const users = [...groupBy(questions, ({ user }) => user).values()].map(repeatsIn);
  const all = repeatsIn(questions);
  return {
    questions: questions.length,
    users: users.length,
    leftOut,
    metrics: metrics.map((metric) => compareMetric(metric, { questions, users, all }, seed)),
  };
}

/** Pairs of both arms, a list for each repeat. */
interface Repeats {
  readonly a: readonly (readonly Pair[])[];
  readonly b: readonly (readonly Pair[])[];
}

const repeatsIn = (questions: readonly PairedQuestion[]): Repeats => ({
  a: byRepeat(questions.map(({ baseline }) => baseline)),
  b: byRepeat(questions.map(({ candidate }) => candidate)),
});

/** Two arms' pairs, all together and those of each user. */
interface Material {
  readonly questions: readonly PairedQuestion[];
  readonly users: readonly Repeats[];
  readonly all: Repeats;
}

function compareMetric(metric: Metric, { questions, users, all }: Material, seed: number): MetricComparison {
  const a = scoreOf(metric, all.a);
  const b = scoreOf(metric, all.b);
  const perQuestion = (side: "baseline" | "candidate") =>
    questions.map((question) => scoreAll(metric, known(question[side])));
  const values = isMean(metric) ? { a: perQuestion("baseline"), b: perQuestion("candidate") } : undefined;
  const scores = { a: scoresOfRepeats(metric, all.a), b: scoresOfRepeats(metric, all.b) };
  const spread = { a: deviation(scores.a), b: deviation(scores.b) };
  const sums = (arm: "a" | "b") =>
    repeatSums(
      metric,
      users.map((user) => user[arm]),
    );
  const userGains = values && gainsByUser(questions, values);
  const request = {
    a: sums("a"),
    b: sums("b"),
    questions: questions.length,
    repeats: {
      a: { sd: spread.a ?? 0, count: scores.a.length },
      b: { sd: spread.b ?? 0, count: scores.b.length },
    },
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
    ...sparseLabels(metric, () => questions.map(goldOf)),
    overQuestions: values && testQuestions(values.a, values.b),
    holm: undefined,
    spread,
    perUser: tally(users.map(({ a, b }) => gainOf(metric, scoreOf(metric, a), scoreOf(metric, b)))),
  };
}

const goldOf = ({ baseline }: PairedQuestion): string => known(baseline)[0]!.gold; // it is scored

/** Every question here, and so every user, has a scored answer in both arms. */
const scoreOf = (metric: Metric, repeats: readonly (readonly Pair[])[]): number =>
  meanOfRepeats(metric, repeats) ?? Number.NaN;

/** Each user's sum of differences, in the order in which users are grouped. */
function gainsByUser(
  questions: readonly PairedQuestion[],
  { a, b }: { readonly a: readonly number[]; readonly b: readonly number[] },
): number[] {
  const gains = new Map<string, number>();
  for (const [q, { user }] of questions.entries()) gains.set(user, (gains.get(user) ?? 0) + b[q]! - a[q]!);
  return [...gains.values()];
}

/** Replies are looked up for questions that flipped only. */
function flips(metric: Metric, questions: readonly PairedQuestion[], request: ComparisonRequest): Flip[] {
  const valued = questions.map((question) => ({
    question,
    a: scoreAll(metric, known(question.baseline)),
    b: scoreAll(metric, known(question.candidate)),
  }));
  const flipped = valued.filter(({ a, b }) => signOf(b - a) !== 0);
  const ids = new Set(flipped.map(({ question }) => question.id));
  const [ofA, ofB] = [request.a, request.b].map((rows) =>
    firstReplies(rows.filter(({ question }) => ids.has(question))),
  );
  return flipped
    .sort((one, other) => Math.abs(other.b - other.a) - Math.abs(one.b - one.a))
    .map(({ question, a, b }) => ({
      question: question.id,
      user: question.user,
      gold: goldOf(question),
      a: { reply: ofA?.get(question.id) ?? "", value: a },
      b: { reply: ofB?.get(question.id) ?? "", value: b },
      gain: signOf(gainOf(metric, a, b)) === 1,
    }));
}

/** The reply to each question in the first repeat that has one, unchanged. */
const firstReplies = (rows: readonly Row[]): Map<string, string> =>
  new Map(
    rows
      .toReversed()
      .flatMap(({ question, outcome }) => (outcome.kind === "failed" ? [] : [[question, outcome.reply]])),
  );

const leftOutText = ({ onlyA, onlyB, failed, noGold }: Paired["leftOut"]): string =>
  `only in A: ${onlyA}, only in B: ${onlyB}, failed: ${failed}, without a gold: ${noGold}`;

/**
 * Said wherever an interval of the difference of two arms is printed: there it held the truth in far fewer than 95 % of samples
 * (docs/STATISTICS.md).
 */
export const TOO_NARROW = "too narrow where few users or answers make the difference";
