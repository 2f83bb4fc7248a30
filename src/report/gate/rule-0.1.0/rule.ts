import { repeatSums, valueOfAll } from "../../../statistics/cluster-sums.js";
import { holm } from "../../../statistics/holm.js";
import type { Metric, Pair } from "../../../types.js";
import { ROUNDING } from "../../compare/gain.js";
import { groupBy } from "../../grouped.js";
import { refuseWithoutGold } from "../gate.js";
import { isIdentical } from "../identical.js";
import type { GatedArm, GatedQuestion, GatedReplies } from "../pairs.js";
import { exactLossP } from "./exact.js";
import { type ArmSums, bound, pAtLeast, resampledGains } from "./resampled.js";

/** One metric of one method on one task, as version 0.1.0 judged it. */
export interface OldGateLine {
  readonly task: string;
  readonly dataset: string;
  readonly method: string;
  readonly metric: string;
  readonly verdict: "pass" | "regress" | "inconclusive";
  readonly baseline: number | undefined;
  readonly candidate: number | undefined;
  /** Counted upwards: positive is better, also where lower scores are. */
  readonly gain: number | undefined;
  readonly margin: number;
  /** What that version took for one-sided bounds of the gain, and for p's. They do not hold: see `gateByOldRule`. */
  readonly low: number | undefined;
  readonly high: number | undefined;
  readonly p: number | undefined;
  readonly holm: number | undefined;
  readonly exactP: number | undefined;
  readonly users: number;
  readonly questions: number;
  readonly identical: boolean;
}

interface OldGateSettings {
  readonly alpha: number;
  readonly margin: (metric: string) => number;
  /** The seed of the first judged arm of the run. */
  readonly seed: number;
}

/**
 * The gate rule of version 0.1.0, withdrawn: simulated at a true loss of just the margin it passed up to 86 % of runs at a stated risk
 * of 5 % (docs/STATISTICS.md). It is here so that a verdict of that version can be had again, and gives no other. Throws UsageError
 * where no question has gold.
 */
export function gateByOldRule(
  arms: readonly { readonly arm: GatedArm; readonly metrics: readonly Metric[] }[],
  settings: OldGateSettings,
): OldGateLine[] {
  const lines = arms.flatMap(({ arm, metrics }) => linesOf(arm, metrics, settings));
  const corrected = holm(lines.map(({ p }) => p).filter((p) => p !== undefined)).values();
  return lines.map((line) => {
    const afterHolm = line.p === undefined ? undefined : (corrected.next().value ?? 1);
    return { ...line, holm: afterHolm, verdict: verdictOf(line, afterHolm, settings.alpha) };
  });
}

/** With fewer users single questions were resampled; with fewer of these nothing was. */
const FEWEST = 10;

function verdictOf(line: OldGateLine, afterHolm: number | undefined, alpha: number): OldGateLine["verdict"] {
  const { identical, low, margin, exactP } = line;
  if (identical) return "pass";
  if (low === undefined || afterHolm === undefined) return "inconclusive";
  if (low >= -margin - ROUNDING && (exactP === undefined || exactP <= alpha)) return "pass";
  return afterHolm <= alpha ? "regress" : "inconclusive";
}

function linesOf(
  arm: GatedArm,
  metrics: readonly Metric[],
  { alpha, seed, ...settings }: OldGateSettings,
): OldGateLine[] {
  const { questions } = arm;
  if (questions.length === 0) refuseWithoutGold(arm);
  const byUser = [...groupBy(questions, ({ user }) => user).values()];
  const clusters = byUser.length >= FEWEST ? byUser : questions.map((question) => [question]);
  const sums = metrics.map((metric) => upwardSums(metric, clusters));
  const found = clusters.length < FEWEST ? [] : resampledGains(sums, seed);
  return metrics.map((metric, m) => {
    const margin = settings.margin(metric.name);
    const { task, dataset, method } = arm.baseline;
    const [gains, known] = [found[m], questions.length > 0];
    const { a, b } = sums[m]!;
    const [valueA, valueB] = known ? [valueOfAll(a), valueOfAll(b)] : [];
    const [baseline, candidate] = metric.better === "higher" ? [valueA, valueB] : [valueB, valueA];
    return {
      task,
      dataset,
      method,
      metric: metric.name,
      verdict: "inconclusive",
      baseline,
      candidate,
      gain: valueA === undefined || valueB === undefined ? undefined : valueB - valueA,
      margin,
      low: gains && bound(gains, alpha),
      high: gains && bound(gains, 1 - alpha),
      p: gains && pAtLeast(gains, -margin),
      holm: undefined,
      exactP: exactLossP(metric, questions, margin),
      users: byUser.length,
      questions: questions.length,
      identical: isIdentical(arm),
    };
  });
}

function upwardSums(metric: Metric, clusters: readonly (readonly GatedQuestion[])[]): ArmSums {
  const side = (name: "baseline" | "candidate") => {
    const repeats = clusters.flat().reduce((most, question) => Math.max(most, question[name].length), 0);
    return repeatSums(
      metric,
      clusters.map((questions) =>
        byRepeat(
          questions.map((question) => question[name]),
          repeats,
        ),
      ),
    );
  };
  const [baseline, candidate] = [side("baseline"), side("candidate")];
  return metric.better === "higher" ? { a: baseline, b: candidate } : { a: candidate, b: baseline };
}

const byRepeat = (replies: readonly GatedReplies[], repeats: number): Pair[][] =>
  Array.from({ length: repeats }, (_, r) => replies.flatMap((ofQuestion) => ofQuestion[r] ?? []));
