import { beforeRoot, isMean } from "../../statistics/mean-metric.js";
import { meanOf } from "../../statistics/quantile.js";
import type { Metric, Pair } from "../../types/index.js";
import { upwards } from "../compare/question-test.js";
import type { PairedQuestion, Replies } from "../paired.js";

/** One question of a gate in judged units: squared errors for RMSE, else the metric's own. */
interface ScoredQuestion {
  readonly user: string;
  /** Mean over the repeats, counted upwards: run minus baseline. */
  readonly gain: number;
  /** The values of each side's repeats; undefined where the baseline failed. A failed answer of the run has the worst value. */
  readonly baseline: readonly (number | undefined)[];
  readonly run: readonly number[];
}

/** Questions of a metric in which each has a value of its own: means, and RMSE as the mean of squares. */
export interface ScoredQuestions {
  readonly questions: readonly ScoredQuestion[];
  /** The largest loss of one question, in judged units: what either run has read beyond the scale counts. */
  readonly range: number;
  /** Its largest gain: no error falls by more than it was, so what the run has read has no part in it. */
  readonly mostGain: number;
}

/** Undefined where a single question has no value of its own, or its largest loss is not known. */
export function scoredQuestions(
  metric: Metric,
  answered: readonly PairedQuestion[],
  lost: readonly PairedQuestion[],
): ScoredQuestions | undefined {
  const { most, ...judged } = beforeRoot(metric);
  if (most === undefined || !isMean(judged)) return undefined;
  const values = [...answered, ...lost].map(({ user, baseline, candidate }) => ({
    user,
    baseline: baseline.map((pair) => valueOfPair(metric, pair)),
    run: candidate.map((pair) => valueOfPair(metric, pair)),
  }));
  const mostGain = largest(
    most,
    values.map(({ baseline }) => baseline),
  );
  const range = largest(
    mostGain,
    values.map(({ run }) => run),
  );
  const worst = metric.better === "higher" ? 0 : range;
  return {
    range,
    mostGain,
    questions: values.map(({ user, baseline, run }) => {
      const known = baseline.filter((value) => value !== undefined);
      const scored = run.map((value) => value ?? worst);
      // Of an absent question without a gold nothing is known but that it was answered: it counts as the largest loss.
      const gain = known.length === 0 ? -range : upwards(metric, meanOf(scored) - meanOf(known));
      return { user, gain, baseline, run: scored };
    }),
  };
}

/** The score of each repeat of a side, in judged units: over the questions that it has a value of. */
export function repeatScores({ questions }: ScoredQuestions, side: "baseline" | "run"): number[] {
  const repeats = questions.reduce((most, question) => Math.max(most, question[side].length), 0);
  return Array.from({ length: repeats }, (_, r) =>
    questions.map((question) => question[side][r]).filter((value) => value !== undefined),
  )
    .filter((values) => values.length > 0)
    .map(meanOf);
}

/** Every answer of these questions, a failed one as the empty text, which no metric can read. */
export const unreadable = (replies: Replies, gold: string): readonly Pair[] =>
  replies.map((pair) => pair ?? { prediction: "", gold });

function largest(least: number, values: readonly (readonly (number | undefined)[])[]): number {
  let most = least;
  for (const ofQuestion of values) for (const value of ofQuestion) most = Math.max(most, value ?? most);
  return most;
}

/** To add one pair up in. */
const ROOM = new Float64Array(1);

function valueOfPair(metric: Metric, pair: Pair | undefined): number | undefined {
  if (pair === undefined) return undefined;
  ROOM[0] = 0;
  metric.add(pair, ROOM);
  return ROOM[0];
}
