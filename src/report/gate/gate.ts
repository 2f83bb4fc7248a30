import { UsageError } from "../../errors.js";
import { holm } from "../../statistics/holm.js";
import type { Interval } from "../../statistics/interval.js";
import { deviation } from "../../statistics/quantile.js";
import type { Metric, Pair } from "../../types/index.js";
import { ROUNDING, tally, upwards } from "../compare/question-test.js";
import { byRepeat, type PairedQuestion } from "../paired.js";
import { meanOfRepeats, scoresOfRepeats } from "../pairs.js";
import { sparseLabels } from "../sparse-labels.js";
import { type Claim, claimBounds, claimPs, claims, shownLossP } from "./claims.js";
import { type PairedLoss, pairedLoss } from "./paired-loss.js";
import { type GatedArm, isIdentical } from "./pairs.js";
import { type Plan, type PlanSettings, planOf } from "./planner.js";
import { scoredQuestions } from "./scored.js";

/**
 * `fail`: a loss beyond the margin is shown, or a loss is shown and one beyond the margin is not ruled out. `pass`: a loss beyond
 * the margin is ruled out, as far as the claim asks. `unsure`: neither.
 */
export type LineVerdict = "pass" | "fail" | "unsure";

/** One metric of one method on one task. All gains count upwards: positive is better, also where lower scores are. */
export interface GateLine {
  readonly task: string;
  readonly dataset: string;
  readonly method: string;
  readonly metric: string;
  readonly better: "higher" | "lower";
  readonly verdict: LineVerdict;
  /** What the verdict is about, and the farthest claim that holds. */
  readonly claim: Claim;
  readonly reach: "none" | Claim;
  /** Official readings of the questions that both answered, the mean over repeats. Undefined where there is no such question. */
  readonly baseline: number | undefined;
  readonly candidate: number | undefined;
  readonly gain: number | undefined;
  /** Largest loss that is accepted, in units of the metric, and where it was fixed. */
  readonly margin: number;
  readonly marginFrom: "flag" | "baseline" | "planner";
  /** Of a mean over labels: labels too rare for a claim beyond the answers (`sparseLabels`). Absent: none. */
  readonly sparseLabels?: number;
  /** One-sided bounds of the gain at risk alpha each: of a new run on this set, and of users drawn like these. */
  readonly bounds: { readonly set: Interval | undefined; readonly users: Interval | undefined };
  readonly p: GatePs;
  /** The loss that is shown: on this set, after Holm over all lines; under `answers` the one that these answers have. */
  readonly shown: "none" | "loss" | "beyond margin";
  /** Whether an unchanged run could pass at this margin under this claim. */
  readonly feasible: boolean;
  /** Of a line that is unsure: users like these that let an unchanged run pass in about 80 of 100 cases; the margin at which these do. */
  readonly needed: { readonly users: number | undefined; readonly margin: number | undefined };
  /** Noise that a whole run shares, from repeats, in judged units (squared errors for RMSE). */
  readonly shock: { readonly sd: number; readonly degrees: number } | "unknown";
  readonly users: number;
  readonly questions: number;
  /** Questions of the baseline that the run failed or lacks: the worst value in every bound, not in the scores. */
  readonly lost: number;
  /** Questions by what became of them; undefined where a single question has no value of its own. */
  readonly changed: { readonly worse: number; readonly better: number; readonly same: number } | undefined;
  /** Users by what became of their questions together; undefined where questions have no value. */
  readonly usersChanged: GateLine["changed"];
  /** Same requests, same answers: passes, since nothing was sampled anew. */
  readonly identical: boolean;
  /** Standard deviation between repeats; undefined for one repeat. */
  readonly spread: { readonly baseline: number | undefined; readonly candidate: number | undefined };
}

/** One-sided p's. Of "the loss is the margin or more": users, set and its two parts. Of "no loss beyond it": regress, and after Holm. */
interface GatePs {
  readonly users: number | undefined;
  readonly set: number | undefined;
  readonly questions: number | undefined;
  readonly overUsers: number | undefined;
  readonly regress: number | undefined;
  readonly holm: number | undefined;
  /** Of "no loss at all" on this set, and after Holm. */
  readonly worse: number | undefined;
  readonly worseHolm: number | undefined;
}

interface GateSettings extends PlanSettings {
  readonly claim: Claim;
  /** Accepted loss per metric name; undefined: the baseline's own, else planned from it. */
  readonly margin: (metric: string) => number | undefined;
}

/**
 * Judges every metric of every arm on paired questions (docs/STATISTICS.md has the tests, and what each sentence rests on). A gate
 * passes when all lines do, which needs no correction (intersection-union; Berger, Technometrics 24(4), 1982); shown losses are
 * corrected by Holm over all lines. Nothing is drawn: equal runs give equal verdicts.
 */
export function gateLines(
  arms: readonly { readonly arm: GatedArm; readonly metrics: readonly Metric[] }[],
  settings: GateSettings,
): GateLine[] {
  const lines = arms.flatMap(({ arm, metrics }) => metrics.map((metric) => measured(arm, metric, settings)));
  const regress = corrected(lines.map(({ line }) => line.p.regress));
  const worse = corrected(lines.map(({ line }) => line.p.worse));
  return lines.map(({ line, plan }, l) => {
    const p = { ...line.p, holm: regress[l], worseHolm: worse[l] };
    const judged = judge({ ...line, p }, settings);
    return judged.verdict === "unsure" ? { ...judged, needed: neededOf(judged, plan()) } : judged;
  });
}

/** Failed and absent answers are a finding; data without gold cannot be judged at all. */
function refuseWithoutGold({ baseline, leftOut, lost }: GatedArm): void {
  if (leftOut.noGold > 0 && leftOut.failed === 0 && leftOut.onlyA === 0 && lost.length === 0)
    throw new UsageError(
      `${baseline.task} ${baseline.method}: ${leftOut.noGold === 1 ? "its question has" : `its ${leftOut.noGold} questions have`} no gold answer: nothing can be judged; choose other tasks with --task`,
    );
}

/** Of sums of doubles. */
const atLeast = (value: number, threshold: number): boolean => value >= threshold - ROUNDING;

const isSmall = (p: number | undefined, alpha: number): boolean => p !== undefined && p <= alpha + ROUNDING;

/** Holm over the lines that have a p. */
function corrected(ps: readonly (number | undefined)[]): (number | undefined)[] {
  const found = holm(ps.filter((p) => p !== undefined)).values();
  return ps.map((p) => (p === undefined ? undefined : found.next().value));
}

function judge(line: Measured, { claim, alpha }: GateSettings): GateLine {
  const { identical, p, judgedGain, judgedMargin } = line;
  const { judgedGain: _, judgedMargin: __, ...facts } = line;
  if (judgedGain === undefined)
    return { ...facts, verdict: identical ? "pass" : "unsure", reach: identical ? "users" : "none", shown: "none" };
  const holds: Readonly<Record<Claim, boolean>> = {
    answers: identical || atLeast(judgedGain, -judgedMargin),
    set: identical || (line.sparseLabels === undefined && isSmall(p.set, alpha)),
    users: identical || (line.sparseLabels === undefined && isSmall(p.users, alpha)),
  };
  const held = claims.findIndex((one) => !holds[one]);
  const reach = held === 0 ? "none" : (claims[(held < 0 ? claims.length : held) - 1] ?? "none");
  const passes = claims.indexOf(claim) <= (reach === "none" ? -1 : claims.indexOf(reach));
  const isShown = (fact: boolean, corrected: number | undefined) =>
    claim === "answers" ? fact : !identical && line.sparseLabels === undefined && isSmall(corrected, alpha);
  const shown = isShown(!holds.answers, p.holm)
    ? "beyond margin"
    : isShown(!identical && !atLeast(judgedGain, 0), p.worseHolm)
      ? "loss"
      : "none";
  const fails = shown === "beyond margin" || (shown === "loss" && !passes);
  return { ...facts, verdict: fails ? "fail" : passes ? "pass" : "unsure", reach, shown };
}

/** A line before its verdict; gain and margin in judged units, undefined where the metric cannot be tested. */
type Measured = Omit<GateLine, "verdict" | "reach" | "shown"> & {
  readonly judgedGain: number | undefined;
  readonly judgedMargin: number;
};

function measured(
  arm: GatedArm,
  metric: Metric,
  settings: GateSettings,
): { readonly line: Measured; readonly plan: () => Plan | undefined } {
  const { questions, lost } = arm;
  if (questions.length === 0) refuseWithoutGold(arm);
  const all = [...questions, ...lost];
  const loss = pairedLoss(metric, questions, lost);
  let found: { readonly plan: Plan | undefined } | undefined;
  const plan = () => {
    found ??= { plan: planOf(metric, all.filter(hasBaseline), settings) };
    return found.plan;
  };
  const values = valuesOf(metric, questions);
  const changed = changesOf(metric, questions);
  const margin = marginOf(arm, metric.name, settings, plan);
  const judgedMargin = loss === undefined ? margin.margin : loss.toJudged(margin.margin);
  const line: Measured = {
    task: arm.baseline.task,
    dataset: arm.baseline.dataset,
    method: arm.baseline.method,
    metric: metric.name,
    better: metric.better,
    claim: settings.claim,
    ...values,
    ...margin,
    bounds: loss === undefined ? { set: undefined, users: undefined } : claimBounds(loss, settings.alpha),
    p: psOf(loss, judgedMargin, settings.alpha),
    feasible: settings.claim === "answers" || feasible(margin.margin, settings.claim, plan()),
    needed: { users: undefined, margin: undefined },
    shock: loss?.shock ?? "unknown",
    users: new Set(all.map(({ user }) => user)).size,
    questions: questions.length,
    lost: lost.length,
    changed,
    usersChanged: changed && loss && changesIn(loss.users.down.gains),
    identical: isIdentical(arm),
    ...sparseLabels(metric, () => questions.flatMap(goldOf)),
    spread: {
      baseline: spreadOf(metric, questions, "baseline"),
      candidate: spreadOf(metric, questions, "candidate"),
    },
    // A metric that cannot be tested still has its answers: their printed gain is the fact.
    judgedGain: loss?.gain ?? (settings.claim === "answers" ? values.gain : undefined),
    judgedMargin,
  };
  return { line, plan };
}

function psOf(loss: PairedLoss | undefined, margin: number, alpha: number): GatePs {
  const corrected = { holm: undefined, worseHolm: undefined };
  const none = { users: undefined, set: undefined, questions: undefined, overUsers: undefined };
  const ps = loss === undefined ? none : claimPs(loss, margin, alpha);
  const shown = (least: number) => (loss === undefined ? undefined : shownLossP(loss, least, alpha));
  return { ...ps, regress: shown(margin), worse: shown(0), ...corrected };
}

/** The flag's, else the one that the baseline was written with, else planned from the baseline's answers. Answers have none to plan. */
function marginOf(
  { baseline }: GatedArm,
  metric: string,
  { margin, claim }: GateSettings,
  plan: () => Plan | undefined,
): Pick<GateLine, "margin" | "marginFrom"> {
  const given = margin(metric);
  if (given !== undefined) return { margin: given, marginFrom: "flag" };
  if (claim === "answers") return { margin: 0, marginFrom: "planner" };
  const stored = baseline.margins?.[metric]?.[claim];
  if (stored !== undefined) return { margin: stored, marginFrom: "baseline" };
  return { margin: plan()?.margins?.[claim] ?? 0, marginFrom: "planner" };
}

const feasible = (margin: number, claim: "set" | "users", plan: Plan | undefined): boolean =>
  plan === undefined || atLeast(margin, plan.smallest[claim] - 1e-9);

const neededOf = ({ claim, margin }: GateLine, plan: Plan | undefined): GateLine["needed"] =>
  claim === "answers" || plan === undefined
    ? { users: undefined, margin: undefined }
    : { users: margin > 0 ? plan.neededUsers(claim, margin) : undefined, margin: plan.margins?.[claim] };

const hasBaseline = ({ baseline }: PairedQuestion): boolean => baseline.some((pair) => pair !== undefined);

function valuesOf(
  metric: Metric,
  questions: readonly PairedQuestion[],
): Pick<GateLine, "baseline" | "candidate" | "gain"> {
  const score = (side: Side) => meanOfRepeats(metric, pairsOfSide(questions, side));
  const [baseline, candidate] = [score("baseline"), score("candidate")];
  if (baseline === undefined || candidate === undefined)
    return { baseline: undefined, candidate: undefined, gain: undefined };
  return { baseline, candidate, gain: upwards(metric, candidate - baseline) };
}

function changesOf(metric: Metric, questions: readonly PairedQuestion[]): GateLine["changed"] {
  const scored = scoredQuestions(metric, questions, []);
  if (scored === undefined || questions.length === 0) return undefined;
  return changesIn(scored.questions.map(({ gain }) => gain));
}

function changesIn(gains: ArrayLike<number>): NonNullable<GateLine["changed"]> {
  const { wins, losses, ties } = tally(Array.from(gains));
  return { worse: losses, better: wins, same: ties };
}

const goldOf = ({ baseline }: PairedQuestion): string[] => baseline.flatMap((pair) => pair?.gold ?? []).slice(0, 1);

/** Between the scores of the repeats; a repeat that failed on a question is not in that repeat's score. */
const spreadOf = (metric: Metric, questions: readonly PairedQuestion[], side: Side): number | undefined =>
  deviation(scoresOfRepeats(metric, pairsOfSide(questions, side)));

const pairsOfSide = (questions: readonly PairedQuestion[], side: Side): Pair[][] =>
  byRepeat(questions.map((question) => question[side]));

type Side = "baseline" | "candidate";
