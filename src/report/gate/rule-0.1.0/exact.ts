import { isMean } from "../../../statistics/mean-metric.js";
import type { Metric, Pair } from "../../../types.js";
import { gainOf, signOf } from "../../compare/gain.js";
import { meanOfRepeats } from "../../repeats.js";
import type { GatedQuestion, GatedReplies } from "../pairs.js";

/**
 * p of "the loss is the margin or more", by tests over questions, where few of them changed: the trinomial of the net loss for right and
 * wrong answers, else Clopper and Pearson with each worse question as the largest loss; without a bound of losses, over
 * changed readings. Undefined where many changed.
 */
export function exactLossP(metric: Metric, questions: readonly GatedQuestion[], margin: number): number | undefined {
  const count = questions.length;
  if (count === 0) return undefined;
  if (!isMean(metric) || metric.most === undefined) {
    const changed = questions.filter((question) => !sameReadings(question)).length;
    return changed >= MANY_VALUES ? undefined : binomialAtMost(changed, count, margin);
  }
  const gains = questions.map(({ baseline, candidate }) =>
    gainOf(metric, scoreOf(metric, baseline), scoreOf(metric, candidate)),
  );
  const [worse, better] = [-1, 1].map((sign) => gains.filter((gain) => signOf(gain) === sign).length) as [
    number,
    number,
  ];
  const areAnswers = metric.most === 1 && gains.every((gain) => gain === 0 || gain === 1 || gain === -1);
  if (worse + better >= (areAnswers ? MANY_ANSWERS : MANY_VALUES)) return undefined;
  if (areAnswers) return netLossP({ worse, better, count }, margin);
  const largest = gains.reduce((most, gain) => Math.max(most, -gain), metric.most);
  return binomialAtMost(worse, count, margin / largest);
}

/** From so many changed questions on, resampling alone decided. */
const MANY_ANSWERS = 20;
const MANY_VALUES = 10;
const NEGLIGIBLE = 1e-18;
const BISECTIONS = 60;

const scoreOf = (metric: Metric, replies: GatedReplies): number =>
  meanOfRepeats(
    metric,
    replies.map((pair): Pair[] => (pair === undefined ? [] : [pair])),
  ) ?? Number.NaN;

/** Repeat by repeat; with unequal repeats: one and the same reading everywhere. */
function sameReadings({ baseline, candidate }: GatedQuestion): boolean {
  if (baseline.length === candidate.length)
    return baseline.every((pair, r) => pair?.prediction === candidate[r]?.prediction);
  return new Set([...baseline, ...candidate].map((pair) => pair?.prediction)).size === 1;
}

interface ChangedAnswers {
  readonly worse: number;
  readonly better: number;
  readonly count: number;
}

/** The chance of so small a net loss where the true one is just the margin (Storer and Kim, JASA 85, 1990: the plug-in). */
function netLossP({ worse, better, count }: ChangedAnswers, margin: number): number {
  if (margin >= 1) return 0;
  if (margin <= 0 && worse + better === 0) return 1;
  const gains = likeliestGains({ worse, better, count }, margin);
  const losses = gains + margin;
  let p = 0;
  let chance = (1 - gains) ** count;
  for (let gained = 0; gained <= count; gained++) {
    p += chance * binomialAtMost(gained + worse - better, count - gained, losses / (1 - gains));
    chance *= ((count - gained) / (gained + 1)) * (gains / (1 - gains));
    if (gained > gains * count && chance < NEGLIGIBLE) break;
  }
  return Math.min(1, p);
}

function binomialAtMost(hits: number, count: number, chance: number): number {
  if (hits < 0) return 0;
  if (hits >= count) return 1;
  if (chance >= 1) return 0;
  let term = (1 - chance) ** count;
  let sum = term;
  for (let hit = 1; hit <= hits; hit++) {
    term *= ((count - hit + 1) / hit) * (chance / (1 - chance));
    sum += term;
  }
  return Math.min(1, sum);
}

/** Maximum likelihood of the share of gains where that of losses is larger by the margin: the slope falls throughout. */
function likeliestGains({ worse, better, count }: ChangedAnswers, margin: number): number {
  const same = count - worse - better;
  const slope = (gains: number) =>
    (worse === 0 ? 0 : worse / (gains + margin)) +
    (better === 0 ? 0 : better / gains) -
    (2 * same) / (1 - margin - 2 * gains);
  let [low, high] = [0, (1 - margin) / 2];
  if (same > 0 && better === 0 && margin > 0 && slope(0) <= 0) return 0;
  for (let step = 0; step < BISECTIONS; step++) {
    const middle = (low + high) / 2;
    if (slope(middle) > 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
