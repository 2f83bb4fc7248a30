import { UsageError } from "../../errors.js";
import { bound, pAtLeast, type Resampled } from "../../statistics/bca.js";
import { MIN_CLUSTERS } from "../../statistics/bootstrap.js";
import { repeatSums, valueOfAll } from "../../statistics/cluster-sums.js";
import { deviation } from "../../statistics/deviation.js";
import { holm } from "../../statistics/holm.js";
import { normalQuantile } from "../../statistics/normal.js";
import { PAIRED_RESAMPLES, type PairedSums, resampledDifferences } from "../../statistics/paired-bootstrap.js";
import { signTestBelow } from "../../statistics/sign-test.js";
import type { Metric, Pair } from "../../types.js";
import { ROUNDING } from "../compare/gain.js";
import { groupBy } from "../grouped.js";
import { scoresOfRepeats } from "../repeats.js";
import { sparseLabels } from "../sparse-labels.js";
import { exactLossP, isIdentical, questionGains } from "./exact.js";
import type { GatedArm, GatedQuestion, GatedReplies } from "./pairs.js";

/** What a gate found, of one line or of the whole. Lines know the first three only. */
export type Verdict = "pass" | "regress" | "inconclusive" | "failed-rows" | "budget" | "stale-cassette";

/** One metric of one method on one task. All gains count upwards: positive is better, also where lower scores are. */
export interface GateLine {
  readonly task: string;
  readonly dataset: string;
  readonly method: string;
  readonly metric: string;
  readonly better: "higher" | "lower";
  readonly verdict: "pass" | "regress" | "inconclusive";
  /** Official readings of the questions that both answered, the mean over repeats. Undefined where there is no such question. */
  readonly baseline: number | undefined;
  readonly candidate: number | undefined;
  readonly gain: number | undefined;
  /** Largest loss that is accepted, in units of the metric. */
  readonly margin: number;
  /** Of a mean over labels: labels so rare that its interval is not to be trusted (`sparseLabels`). Absent: none. */
  readonly sparseLabels?: number;
  /** One-sided bounds of the gain, each at confidence 1 - alpha. Undefined below 10 questions. */
  readonly low: number | undefined;
  readonly high: number | undefined;
  /** One-sided p of "no loss beyond the margin", and after Holm over all lines. */
  readonly p: number | undefined;
  readonly holm: number | undefined;
  /** What was resampled: users, or questions where there are fewer than 10 users. */
  readonly over: "users" | "questions";
  readonly users: number;
  readonly questions: number;
  /** Questions on which the metric's value differs; undefined where a single question has none. */
  readonly changed: number | undefined;
  /** Exact one-sided sign test (McNemar's for right and wrong) that more questions got worse than better: a check on `p` for margin 0. */
  readonly signP: number | undefined;
  /** Exact one-sided p of "the loss is the margin or more", where few questions changed: a pass needs it to be at most alpha. */
  readonly exactP: number | undefined;
  /** Same requests, same answers: passes, since nothing was sampled anew. */
  readonly identical: boolean;
  /** Questions that give an unchanged candidate 80 % chance to pass. Undefined for margin 0. */
  readonly needed: number | undefined;
  /** Standard deviation between repeats; undefined for one repeat. */
  readonly spread: { readonly baseline: number | undefined; readonly candidate: number | undefined };
}

export interface GateSettings {
  readonly alpha: number;
  /** Accepted loss per metric name. */
  readonly margin: (metric: string) => number;
  readonly seed: number;
  /** Default PAIRED_RESAMPLES. */
  readonly resamples?: number;
}

/**
 * Non-inferiority of the candidate, on paired questions. A line passes when the lower bound of its gain is not below
 * -margin and, where few questions changed, an exact test says the same (see `exactLossP`); it regresses when the gain is shown
 * to be below -margin, after Holm; else it is inconclusive. Same requests with the same answers pass.
 * A gate passes when all lines do, and needs no correction for that: with any true loss beyond a margin, all lines pass with
 * a chance of about alpha at most (intersection-union; Berger, Technometrics 24(4), 1982): about, as the bounds are resampled.
 * The chance of any false "regress" is about alpha at most as well, by Holm. Of repeats the mean score counts, so their noise
 * is in the spread between users.
 */
export function gateLines(
  arms: readonly { readonly arm: GatedArm; readonly metrics: readonly Metric[] }[],
  settings: GateSettings,
): GateLine[] {
  const lines = arms.flatMap(({ arm, metrics }) => linesOf(arm, metrics, settings));
  const corrected = holm(lines.map(({ p }) => p).filter((p) => p !== undefined)).values();
  return lines.map((line) => {
    const correctedP = line.p === undefined ? undefined : (corrected.next().value ?? 1);
    return { ...line, holm: correctedP, verdict: verdictOf(line, correctedP, settings.alpha) };
  });
}

// --- internal ---

const POWER = 0.8;

function verdictOf(line: GateLine, regressP: number | undefined, alpha: number): GateLine["verdict"] {
  const { identical, low, margin, exactP } = line;
  if (identical) return "pass";
  if (low === undefined || regressP === undefined) return "inconclusive";
  if (low >= -margin - ROUNDING && (exactP === undefined || exactP <= alpha)) return "pass";
  return regressP <= alpha ? "regress" : "inconclusive";
}

function linesOf(arm: GatedArm, metrics: readonly Metric[], settings: GateSettings): GateLine[] {
  const { questions } = arm;
  if (questions.length === 0) refuseWithoutGold(arm);
  const byUser = [...groupBy(questions, ({ user }) => user).values()];
  const overUsers = byUser.length >= MIN_CLUSTERS;
  const clusters = overUsers ? byUser : questions.map((question) => [question]);
  const sums = metrics.map((metric) => upwardSums(metric, clusters));
  const found =
    clusters.length < MIN_CLUSTERS
      ? []
      : resampledDifferences(sums, settings.resamples ?? PAIRED_RESAMPLES, settings.seed);
  const identical = isIdentical(arm);
  return metrics.map((metric, m) => ({
    task: arm.baseline.task,
    dataset: arm.baseline.dataset,
    method: arm.baseline.method,
    metric: metric.name,
    better: metric.better,
    verdict: "inconclusive",
    ...valuesOf(metric, sums[m]!),
    margin: settings.margin(metric.name),
    ...boundsOf(found[m], settings.margin(metric.name), settings.alpha),
    holm: undefined,
    over: overUsers ? "users" : "questions",
    users: byUser.length,
    questions: questions.length,
    ...questionFacts(metric, questions),
    identical,
    ...sparseLabels(metric, () => questions.flatMap(goldOf)),
    ...exactFacts(metric, found[m], questions, settings),
    spread: {
      baseline: spreadOf(metric, questions, (question) => question.baseline, arm.baseline.repeats),
      candidate: spreadOf(metric, questions, (question) => question.candidate, arm.candidate.repeats),
    },
  }));
}

/** Failed and absent answers are a finding; data without gold cannot be judged at all. */
function refuseWithoutGold({ baseline, leftOut }: GatedArm): void {
  if (leftOut.noGold > 0 && leftOut.failed === 0 && leftOut.absent === 0)
    throw new UsageError(
      `${baseline.task} ${baseline.method}: its ${leftOut.noGold} questions have no gold answers: nothing can be judged; choose other tasks with --task`,
    );
}

/** Arms in the order in which b - a is the gain. */
function upwardSums(metric: Metric, clusters: readonly (readonly GatedQuestion[])[]): PairedSums {
  const side = (replies: (question: GatedQuestion) => GatedReplies) => {
    const repeats = clusters.flat().reduce((most, question) => Math.max(most, replies(question).length), 0);
    return repeatSums(
      metric,
      clusters.map((questions) => byRepeat(questions.map(replies), repeats)),
    );
  };
  const [baseline, candidate] = [side((question) => question.baseline), side((question) => question.candidate)];
  return metric.better === "higher" ? { a: baseline, b: candidate } : { a: candidate, b: baseline };
}

function valuesOf({ better }: Metric, { a, b }: PairedSums): Pick<GateLine, "baseline" | "candidate" | "gain"> {
  if (a.counts.length === 0) return { baseline: undefined, candidate: undefined, gain: undefined };
  const [valueA, valueB] = [valueOfAll(a), valueOfAll(b)];
  const gain = valueB - valueA;
  return better === "higher"
    ? { baseline: valueA, candidate: valueB, gain }
    : { baseline: valueB, candidate: valueA, gain };
}

function boundsOf(found: Resampled | undefined, margin: number, alpha: number): Pick<GateLine, "low" | "high" | "p"> {
  if (found === undefined) return { low: undefined, high: undefined, p: undefined };
  return { low: bound(found, alpha), high: bound(found, 1 - alpha), p: pAtLeast(found, -margin) };
}

/** The spread falls with the root of the number of questions: how many make the margin (z + z) times the spread. */
function neededFor(found: Resampled | undefined, margin: number, alpha: number, count: number): number | undefined {
  if (found === undefined || margin === 0) return found === undefined ? MIN_CLUSTERS : undefined;
  const error = found.error * Math.sqrt(found.clusters / (found.clusters - 1));
  const distance = (normalQuantile(1 - alpha) + normalQuantile(POWER)) * error;
  return Math.max(MIN_CLUSTERS, Math.ceil(count * (distance / margin) ** 2));
}

function questionFacts(metric: Metric, questions: readonly GatedQuestion[]): Pick<GateLine, "changed" | "signP"> {
  const gains = questionGains(metric, questions);
  if (gains === undefined) return { changed: undefined, signP: undefined };
  return { changed: gains.worse + gains.better, signP: signTestBelow(gains.better, gains.worse) };
}

function exactFacts(
  metric: Metric,
  found: Resampled | undefined,
  questions: readonly GatedQuestion[],
  { alpha, margin }: GateSettings,
): Pick<GateLine, "exactP" | "needed"> {
  const size = margin(metric.name);
  const exact = exactLossP(metric, questions, size);
  const needed = neededFor(found, size, alpha, questions.length);
  return {
    exactP: exact?.p,
    needed: needed === undefined ? undefined : Math.max(needed, exact?.needed(alpha) ?? 0),
  };
}

const goldOf = ({ baseline }: GatedQuestion): string[] => baseline.flatMap((pair) => pair?.gold ?? []).slice(0, 1);

const byRepeat = (replies: readonly GatedReplies[], repeats: number): Pair[][] =>
  Array.from({ length: repeats }, (_, r) => replies.flatMap((ofQuestion) => ofQuestion[r] ?? []));

/** Between the scores of the repeats; a repeat that failed on a question is not in that repeat's score. */
const spreadOf = (
  metric: Metric,
  questions: readonly GatedQuestion[],
  replies: (question: GatedQuestion) => GatedReplies,
  repeats: number,
): number | undefined => deviation(scoresOfRepeats(metric, byRepeat(questions.map(replies), repeats)));
