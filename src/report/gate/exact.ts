import { binomialAtMost, neededUnchanged, netLossP } from "../../statistics/exact-loss.js";
import { isMean } from "../../statistics/mean-metric.js";
import { contentId } from "../../text/content-id.js";
import type { Metric, Pair } from "../../types.js";
import { gainOf, signOf } from "../compare/gain.js";
import { meanOfRepeats } from "../repeats.js";
import type { GatedArm, GatedQuestion, GatedReplies } from "./pairs.js";

export interface QuestionGains {
  readonly worse: number;
  readonly better: number;
  /** Whether each question is right or wrong, before and now. */
  readonly answers: boolean;
  /** Size of the largest loss. */
  readonly largest: number;
}

/** What became of the single questions. Undefined where a single question has no value of its own. */
export function questionGains(metric: Metric, questions: readonly GatedQuestion[]): QuestionGains | undefined {
  if (!isMean(metric) || questions.length === 0) return undefined;
  const gains = questions.map(({ baseline, candidate }) =>
    gainOf(metric, valueOfQuestion(metric, baseline), valueOfQuestion(metric, candidate)),
  );
  const signs = gains.map(signOf);
  return {
    worse: signs.filter((sign) => sign === -1).length,
    better: signs.filter((sign) => sign === 1).length,
    answers: metric.most === 1 && gains.every((gain) => gain === 0 || gain === 1 || gain === -1),
    largest: gains.reduce((most, gain) => Math.max(most, -gain), 0),
  };
}

/**
 * Resampling knows nothing of losses that were not seen, so where few questions changed a line must also pass an exact test
 * over questions. p of "the loss is the margin or more":
 * right and wrong answers: the trinomial test of the net loss. Other means of bounded values: each question that got worse
 * counts as the largest possible loss, and gains do not count (Clopper and Pearson). Macro metrics and RMSE, which have no
 * such bound: where few readings changed, p of "the margin or more of the readings change".
 * Undefined where so many changed that resampling knows.
 */
export function exactLossP(
  metric: Metric,
  questions: readonly GatedQuestion[],
  margin: number,
): { readonly p: number; readonly needed: (alpha: number) => number | undefined } | undefined {
  const count = questions.length;
  if (count === 0) return undefined;
  const gains = questionGains(metric, questions);
  if (gains === undefined || metric.most === undefined) {
    const changed = questions.filter((question) => !sameReadings(question)).length;
    if (changed >= MANY_VALUES) return undefined;
    return { p: binomialAtMost(changed, count, margin), needed: (alpha) => neededUnchanged(margin, alpha) };
  }
  const { worse, better, answers, largest } = gains;
  if (worse + better >= (answers ? MANY_ANSWERS : MANY_VALUES)) return undefined;
  const share = margin / Math.max(metric.most, largest);
  return {
    p: answers ? netLossP({ worse, better, count }, margin) : binomialAtMost(worse, count, share),
    needed: (alpha) => neededUnchanged(share, alpha),
  };
}

/** Whether baseline and candidate asked one model the same requests and read the same answers: then nothing was sampled anew. */
export function isIdentical({ baseline, candidate, questions, leftOut }: GatedArm): boolean {
  const known = [baseline, candidate].every(
    ({ requests, repeats }) => requests.length === repeats && !requests.includes(NOTHING_ASKED),
  );
  return (
    known &&
    leftOut.absent === 0 &&
    leftOut.failed === 0 &&
    baseline.model === candidate.model &&
    baseline.repeats === candidate.repeats &&
    baseline.requests.every((id, r) => id === candidate.requests[r]) &&
    questions.length > 0 &&
    questions.every(sameReadings)
  );
}

// --- internal ---

/** From this many changed answers on, resampling has enough to draw from; a second test would only find less. */
const MANY_ANSWERS = 20;
/** The bound by the largest loss is crude, so it is used only where resampling has almost nothing to draw from. */
const MANY_VALUES = 10;

const valueOfQuestion = (metric: Metric, replies: GatedReplies): number =>
  meanOfRepeats(
    metric,
    replies.map((pair): Pair[] => (pair === undefined ? [] : [pair])),
  ) ?? Number.NaN;

/** Compares repeat by repeat; where the numbers of repeats differ, all readings must be one and the same. */
function sameReadings({ baseline, candidate }: GatedQuestion): boolean {
  if (baseline.length === candidate.length)
    return baseline.every((pair, r) => pair?.prediction === candidate[r]?.prediction);
  return new Set([...baseline, ...candidate].map((pair) => pair?.prediction)).size === 1;
}

/** The id of no request at all: imported predictions and programs that ask nothing (manifests of earlier versions hold it). */
const NOTHING_ASKED = contentId([]);
