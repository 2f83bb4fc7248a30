import type { Metric, Pair } from "../../types.js";
import type { GatedReplies } from "./pairs.js";

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
export function influencesOf(metric: Metric, questions: readonly GatedReplies[]): Influences {
  const count = questions.reduce((most, { length }) => Math.max(most, length), 0);
  const repeats = Array.from({ length: count }, (_, r) => questions.map((replies) => replies[r])).filter((pairs) =>
    pairs.some((pair) => pair !== undefined),
  );
  const contributions = new Float64Array(questions.length);
  const unread = new Float64Array(questions.length);
  const scores = repeats.map((pairs) => addRepeat(metric, pairs, repeats.length, { contributions, unread }));
  return {
    score: scores.reduce((sum, score) => sum + score, 0) / scores.length,
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
