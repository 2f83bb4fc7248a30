import { type OverUsers, overUsersOf } from "../../statistics/capped-student.js";
import { repeatSums, valuesWithoutOne } from "../../statistics/cluster-sums.js";
import { type Parts, type Shock, shockOf } from "../../statistics/loss.js";
import { isRootOfMean } from "../../statistics/mean-metric.js";
import { meanOf } from "../../statistics/quantile.js";
import type { Metric, Pair } from "../../types/index.js";
import { groupBy } from "../grouped.js";
import { byRepeat, type PairedQuestion, type Replies } from "../paired.js";
import { repeatScores, type ScoredQuestions, scoredQuestions, unreadable } from "./scored.js";

/** The parts as seen by a test that the gain is no loss, and by one that it is no gain (the sides exchanged). */
export interface BothWays {
  readonly down: Parts;
  readonly up: Parts;
}

/**
 * One metric of one arm as the tests of a gate see it: in judged units, which are the metric's own, but squared errors for RMSE;
 * gains count upwards; failed and absent answers of the run have the worst value.
 */
export interface PairedLoss {
  readonly gain: number;
  /** The largest loss that there can be; no gain is larger. */
  readonly range: number;
  readonly users: BothWays;
  readonly questions: BothWays;
  /** The gain as the jackknife over users sees it; undefined for one user. */
  readonly overUsers: OverUsers | undefined;
  /** Noise that whole runs share; undefined where both sides have one repeat. */
  readonly shock: Shock | undefined;
  /** A loss in units of the metric as one in judged units, and a bound of the gain back. */
  toJudged(loss: number): number;
  toPrinted(bound: number): number;
}

/** The part of it that p's are of. */
export type TestedLoss = Pick<PairedLoss, "gain" | "users" | "questions" | "overUsers" | "shock">;

/** Undefined where nothing but the score can be told of the metric: it is no mean of values with a known range, and has no slopes. */
export function pairedLoss(
  metric: Metric,
  answered: readonly PairedQuestion[],
  lost: readonly PairedQuestion[],
): PairedLoss | undefined {
  if (answered.length + lost.length === 0) return undefined;
  const scored = scoredQuestions(metric, answered, lost);
  if (scored !== undefined) return ofMean(metric, scored);
  return metric.slopes === undefined ? undefined : ofLabels(metric, [...answered, ...lost]);
}

function ofMean(metric: Metric, scored: ScoredQuestions): PairedLoss {
  const { questions, range } = scored;
  const ranges = { down: range, up: scored.mostGain };
  const users = [...groupBy(questions, ({ user }) => user).values()];
  const count = questions.length;
  const sums = users.map((ofUser) => sum(ofUser.map(({ gain }) => gain)));
  const total = sum(sums);
  const withoutOne = users.map((ofUser, u) => (total - sums[u]!) / (count - ofUser.length));
  const known = questions.flatMap(({ baseline }) => {
    const values = baseline.filter((value) => value !== undefined);
    return values.length === 0 ? [] : [sum(values) / values.length];
  });
  const root = isRootOfMean(metric) ? Math.sqrt(sum(known) / known.length) : undefined;
  const ofUsers = meanParts(
    sums,
    users.map(({ length }) => length),
    ranges,
  );
  return {
    gain: total / count,
    range,
    users: ofUsers,
    questions: meanParts(
      questions.map(({ gain }) => gain),
      questions.map(() => 1),
      ranges,
    ),
    overUsers: overUsersOf(total / count, withoutOne, ofUsers.down.shares, ofUsers.down.gains),
    shock: shockOf(repeatScores(scored, "baseline"), repeatScores(scored, "run")),
    toJudged: (loss) => (root === undefined ? loss : 2 * root * loss + loss ** 2),
    toPrinted: (bound) => (root === undefined ? bound : root - Math.sqrt(Math.max(0, root ** 2 - bound))),
  };
}

/** `ranges`: the largest loss of one question, and the largest gain. */
function meanParts(
  sums: readonly number[],
  counts: readonly number[],
  ranges: { readonly down: number; readonly up: number },
): BothWays {
  const all = sum(counts);
  const gains = Float64Array.from(sums, (gain) => gain / all);
  const shares = Float64Array.from(counts, (count) => count / all);
  const most = (range: number) => shares.map((share) => range * share);
  return {
    down: { gains, shares, most: most(ranges.down) },
    up: { gains: gains.map((gain) => -gain), shares, most: most(ranges.up) },
  };
}

/** A mean over labels, by what each user and question contributes to it in linear order. */
function ofLabels(metric: Metric, given: readonly PairedQuestion[]): PairedLoss {
  const questions = given.flatMap((question) => {
    const gold = question.baseline.find((pair) => pair !== undefined)?.gold;
    return gold === undefined ? [] : [{ ...question, candidate: unreadable(question.candidate, gold) }];
  });
  const base = influencesOf(
    metric,
    questions.map(({ baseline }) => baseline),
  );
  const run = influencesOf(
    metric,
    questions.map(({ candidate }) => candidate),
  );
  const gain = run.score - base.score;
  const perQuestion = questions.map((_, q) => [q]);
  const byUser = [...groupBy(questions.keys(), (q) => questions[q]!.user).values()];
  const ways = (parts: readonly (readonly number[])[]): BothWays => ({
    down: labelParts(parts, questions.length, gain, { from: base, to: run }),
    up: labelParts(parts, questions.length, -gain, { from: run, to: base }),
  });
  const without = (side: "baseline" | "candidate") =>
    valuesWithoutOne(
      repeatSums(
        metric,
        byUser.map((ofUser) => byRepeat(ofUser.map((q) => questions[q]![side]))),
      ),
    );
  const [before, after] = [without("baseline"), without("candidate")];
  const ofUsers = ways(byUser);
  return {
    gain,
    range: 1,
    users: ofUsers,
    questions: ways(perQuestion),
    overUsers: overUsersOf(
      gain,
      after.map((value, u) => value - before[u]!),
      ofUsers.down.shares,
    ),
    shock: shockOf(base.repeats, run.repeats),
    toJudged: (loss) => loss,
    toPrinted: (bound) => bound,
  };
}

function labelParts(
  parts: readonly (readonly number[])[],
  count: number,
  gain: number,
  { from, to }: { readonly from: Influences; readonly to: Influences },
): Parts {
  const over = (values: Float64Array, part: readonly number[]) => sum(part.map((q) => values[q]!));
  const shares = Float64Array.from(parts, ({ length }) => length / count);
  return {
    gains: Float64Array.from(
      parts,
      (part, u) => gain * shares[u]! + over(to.contributions, part) - over(from.contributions, part),
    ),
    shares,
    most: Float64Array.from(
      parts,
      (part, u) => over(from.contributions, part) - gain * shares[u]! + over(to.unread, part),
    ),
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** What each question contributes to a mean over labels, in linear order around the score: the mean over the repeats. */
interface Influences {
  /** Mean of the repeats' scores. */
  readonly score: number;
  readonly repeats: readonly number[];
  /** By question; they add up to 0. */
  readonly contributions: Float64Array;
  /** By question: how much the score falls where its answer is unreadable. */
  readonly unread: Float64Array;
}

/**
 * The metric must have `slopes`. Where an unreadable answer costs nothing (precision), `unread` is the cost of the label whose
 * wrong answer costs most.
 */
export function influencesOf(metric: Metric, questions: readonly Replies[]): Influences {
  const count = questions.reduce((most, { length }) => Math.max(most, length), 0);
  const repeats = Array.from({ length: count }, (_, r) => questions.map((replies) => replies[r])).filter((pairs) =>
    pairs.some((pair) => pair !== undefined),
  );
  const contributions = new Float64Array(questions.length);
  const unread = new Float64Array(questions.length);
  const scores = repeats.map((pairs) => addRepeat(metric, pairs, repeats.length, { contributions, unread }));
  return {
    score: meanOf(scores),
    repeats: scores,
    contributions,
    unread,
  };
}

function addRepeat(
  metric: Metric,
  pairs: readonly (Pair | undefined)[],
  repeats: number,
  { contributions, unread }: Pick<Influences, "contributions" | "unread">,
): number {
  const sums = new Float64Array(metric.width);
  const known = pairs.filter((pair) => pair !== undefined);
  for (const pair of known) metric.add(pair, sums);
  const slopes = metric.slopes!(sums, known.length);
  const room = new Float64Array(metric.width);
  const part = (pair: Pair): number => contribution(metric, pair, slopes, room);
  const golds = pairs.map((pair) => (pair === undefined ? 0 : -part({ prediction: "", gold: pair.gold })));
  const wrong = golds.some((cost) => cost !== 0) ? undefined : costliestAnswer(metric, part);
  for (const [q, pair] of pairs.entries()) {
    if (pair === undefined) continue;
    contributions[q]! += part(pair) / repeats;
    unread[q]! += (wrong ?? golds[q]!) / repeats;
  }
  return metric.value(sums, known.length);
}

/** `room`: to add the pair up in. */
function contribution(metric: Metric, pair: Pair, slopes: Float64Array, room: Float64Array): number {
  room.fill(0);
  metric.add(pair, room);
  let sum = 0;
  for (let slot = 0; slot < room.length; slot++) if (room[slot] !== 0) sum += room[slot]! * slopes[slot]!;
  return sum;
}

/** Of all labels, as an answer to a question without a label. */
const costliestAnswer = ({ labels = [] }: Metric, part: (pair: Pair) => number): number =>
  labels.reduce((most, prediction) => Math.max(most, -part({ prediction, gold: "" })), 0);
