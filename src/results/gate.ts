import { UsageError } from "../errors.js";
import type { Metric } from "../types/index.js";
import { controlOf, differing, settingsApart, settingsOf } from "./arms.js";
import type { Baseline, BaselineArm, BaselineQuestion } from "./baseline.js";
import { isMean } from "./compare.js";
import { effectiveOf, holm, isSignificant, jackknife, pOf, ROUNDING, type Theta } from "./inference.js";
import { groupBy, meanOf } from "./samples.js";
import { studentQuantile } from "./student.js";

/** An arm of a baseline and that of a run. */
export interface Pair {
  /** `lamp2m rag`, with what tells it from other arms. */
  readonly name: string;
  readonly baseline: BaselineArm;
  readonly run: BaselineArm;
}

interface Named {
  readonly name: string;
  readonly holds: Baseline;
}

export const nameOf = ({ task, method }: BaselineArm): string => `${task} ${method}`;

/**
 * Finds the run's arm of an arm of the baseline: task, method, and what tells several of one method apart in the baseline. Throws
 * UsageError where there is none, or several.
 */
export function pairOf(arm: BaselineArm, baseline: Named, run: Named): Pair {
  const own = settingsOf(arm);
  const peers = baseline.holds.arms.filter((other) => nameOf(other) === nameOf(arm)).map(settingsOf);
  const apart = Object.entries(differing(own, peers));
  const [found, ...others] = run.holds.arms.filter(
    (other) => nameOf(other) === nameOf(arm) && apart.every(([setting, value]) => settingsOf(other)[setting] === value),
  );
  const variant = settingsApart(own, peers);
  const name = `${nameOf(arm)}${variant === "" ? "" : ` (${variant})`}`;
  if (found === undefined)
    throw new UsageError(
      `${run.name} has no ${name}, ${baseline.name} has; run it, or choose with --task and --method`,
    );
  if (others.length > 0)
    throw new UsageError(`${run.name} has several arms of ${name}, ${baseline.name} has one; write a new baseline`);
  return { name, baseline: arm, run: found };
}

/** Returns one line of what changed since the baseline besides answers; none where nothing did. */
export function changesOf({ name, baseline, run }: Pair): string[] {
  const [before, after] = [settingsOf(baseline), settingsOf(run)];
  const changes = [
    ...Object.keys({ ...before, ...after })
      .filter((setting) => before[setting] !== after[setting])
      .map((setting) => `${setting} ${before[setting] ?? "absent"} became ${after[setting] ?? "absent"}`),
    ...(baseline.data.units === run.data.units ? [] : ["other users, histories or questions"]),
    ...(baseline.data.wording === run.data.wording ? [] : ["another wording of the task"]),
    ...baseline.metrics.flatMap((metric) => (scoreIn(run, metric.name) === undefined ? [`no ${metric.name}`] : [])),
  ];
  return changes.length === 0 ? [] : [`${name}: changed since the baseline: ${changes.join(", ")}`];
}

/** A pair by the primary metric. */
export interface GatedArm extends Pair {
  readonly metric: Metric;
  /** The largest loss that is accepted. */
  readonly margin: number;
  /** Reasons of the run's failed answers, each with its number. Absent: none failed. */
  readonly failures?: readonly string[];
}

/** The verdict of each rule of docs/STATISTICS.md, in their order. */
const VERDICTS = {
  unanswered: "fail",
  "other scores": "fail",
  "same answers": "pass",
  "few users": "unsure",
  "within margin": "pass",
  worse: "fail",
  undecided: "unsure",
} as const;

/** One arm. A loss counts downwards: positive is worse, also where lower scores are better. */
export interface GatedResult {
  readonly name: string;
  readonly task: string;
  readonly dataset: string;
  readonly method: string;
  readonly metric: string;
  /** Why the arm has its verdict. */
  readonly rule: keyof typeof VERDICTS;
  readonly verdict: "pass" | "fail" | "unsure";
  /** Over the questions that both have answered, the mean over repeats. NaN where there is none. */
  readonly baseline: number;
  readonly run: number;
  readonly loss: number;
  readonly margin: number;
  /** The one-sided 95 % bound of the loss with one more user who loses everything; undefined below 4 effective users. */
  readonly bound: number | undefined;
  /** Two-sided, of this arm alone, and after Holm over the arms that no earlier rule decides, controls aside. */
  readonly p: number | undefined;
  readonly holm: number | undefined;
  readonly users: number;
  /** n_e of docs/STATISTICS.md; clusters count where the data name them. */
  readonly effective: number;
  readonly questions: number;
  /** Share of the baseline's answered questions that the run has not answered. */
  readonly unanswered: number;
  readonly failures: readonly string[];
  /** What the changed scoring code says of equal replies, and how many have other terms. Undefined: it says the same. */
  readonly otherScores: (ScoreChange & { readonly replies: number }) | undefined;
  /** So many users let an unchanged run pass in about 80 % of cases. */
  readonly neededUsers: number | undefined;
}

const MARGINS: Readonly<Record<string, number>> = {
  ...{ accuracy: 0.05, match: 0.05, mention: 0.05, mae: 0.1 },
  ...{ "rouge-1": 0.02, "rouge-2": 0.02, "rouge-l": 0.02 },
};

/** Returns the margin of a metric. Throws UsageError where only `--margin` can tell it, and for one that is no mean. */
export function marginOf(metric: Metric, given: number | undefined): number {
  if (!isMean(metric))
    throw new UsageError(`${metric.name}: a gate needs a primary metric that is a mean over questions`);
  const margin = given ?? MARGINS[metric.name];
  if (margin === undefined) throw new UsageError(`${metric.name} has no margin of its own; give one: --margin SIZE`);
  return margin;
}

/** Judges every arm. `maxFailed`: the accepted share of unanswered questions. Throws UsageError on different data. */
export function gateArms(arms: readonly GatedArm[], maxFailed: number): GatedResult[] {
  const measured = arms.map(measure);
  const early = measured.map((found) => decidedEarly(found, maxFailed));
  const isTested = (a: number): boolean => early[a] === undefined && !isControl(arms[a]!, arms);
  const family = measured.flatMap(({ p }, a) => (p !== undefined && isTested(a) ? [p] : []));
  const corrected = holm(family).values();
  return measured.map(({ isSame: _, ...facts }, a) => {
    const result = { ...facts, holm: facts.p !== undefined && isTested(a) ? corrected.next().value : undefined };
    const rule = early[a] ?? ruleOf(result);
    return { ...result, rule, verdict: VERDICTS[rule] };
  });
}

/** Returns whether an arm has another history than its method has in another arm: a loss of it is no loss of the method. */
const isControl = ({ run }: Pair, arms: readonly Pair[]): boolean =>
  controlOf(run) !== "right" &&
  arms.some(({ run: other }) => nameOf(other) === nameOf(run) && controlOf(other) === "right");

type Facts = Omit<GatedResult, "rule" | "verdict">;
type Measured = Facts & { readonly isSame: boolean };
type Rule = GatedResult["rule"];

/** Applies the rules that need no test. */
function decidedEarly({ isSame, unanswered, otherScores }: Measured, maxFailed: number): Rule | undefined {
  if (unanswered > maxFailed + ROUNDING) return "unanswered";
  if (otherScores !== undefined) return "other scores";
  return isSame ? "same answers" : undefined;
}

function ruleOf({ loss, margin, bound, holm: p }: Facts): Rule {
  if (bound === undefined) return "few users";
  if (bound <= margin + ROUNDING) return "within margin";
  return loss > ROUNDING && isSignificant(p) ? "worse" : "undecided";
}

/** A question as both have it. */
interface Both {
  readonly old: BaselineQuestion;
  readonly now: BaselineQuestion;
}

function measure(arm: GatedArm): Measured {
  const { name, baseline, run, metric, margin } = arm;
  const answers = new Map(run.questions.map((question) => [question.id, question]));
  const both = baseline.questions.flatMap((old): Both[] => {
    const now = answers.get(old.id);
    if (now === undefined) return [];
    if (now.user === old.user && now.cluster === old.cluster) return [{ old, now }];
    throw new UsageError(`question ${old.id} of ${name} has another user in the baseline; write a new baseline`);
  });
  const [valueBefore, valueNow] = [valueIn(baseline, metric), valueIn(run, metric)];
  const scored = both
    .map(({ old, now }) => ({
      user: old.user,
      cluster: old.cluster ?? old.user,
      was: valueBefore(old),
      is: valueNow(now),
    }))
    .filter(({ was, is }) => !Number.isNaN(was + is));
  const [was, is] = [meanOf(scored.map((one) => one.was)), meanOf(scored.map((one) => one.is))];
  const sign = metric.better === "higher" ? 1 : -1;
  const clusters = [...groupBy(scored, ({ cluster }) => cluster).values()].map((own) => ({
    questions: own.length,
    loss: own.reduce((sum, one) => sum + sign * (one.was - one.is), 0),
  }));
  const known = baseline.questions.filter(({ replies }) => replies.some((reply) => reply !== null));
  const absent = known.filter(({ id }) => !answers.has(id)).length;
  const worstError = scored.reduce((worst, one) => Math.max(worst, one.was, one.is), metric.maxPerPair ?? 0);
  return {
    name,
    task: baseline.task,
    dataset: baseline.dataset,
    method: baseline.method,
    metric: metric.name,
    margin,
    baseline: was,
    run: is,
    loss: sign * (was - is),
    users: new Set(scored.map(({ user }) => user)).size,
    effective: effectiveOf(clusters),
    questions: scored.length,
    holm: undefined,
    unanswered: known.length === 0 ? 0 : meanOf(known.map(({ id }) => missingShare(answers.get(id)))),
    failures: [...(arm.failures ?? []), ...(absent === 0 ? [] : [`${absent} not asked`])],
    otherScores: otherScoresOf(arm, both),
    isSame: both.length === baseline.questions.length && both.every(isSame),
    ...boundOf(clusters, margin, metric.better === "higher" ? was : worstError - was),
  };
}

/** Returns a question's value by a metric, the mean over its repeats; NaN without one. */
function valueIn({ metrics }: BaselineArm, metric: Metric): (question: BaselineQuestion) => number {
  const place = metrics.findIndex(({ name }) => name === metric.name);
  return ({ terms }) => meanOf(terms.flatMap((ofRepeat) => ofRepeat?.[place] ?? []).map(Number));
}

function missingShare(question: BaselineQuestion | undefined): number {
  if (question === undefined) return 1;
  return question.replies.filter((reply) => reply === null).length / question.replies.length;
}

interface UserLoss {
  readonly questions: number;
  /** The sum over questions. */
  readonly loss: number;
}

/** A bound and a p need so many effective users. */
const FEWEST_EFFECTIVE = 4;

/** Returns the bound of docs/STATISTICS.md, Gate 5, and the p of the loss. `worst`: what a question loses at most. */
function boundOf(
  users: readonly UserLoss[],
  margin: number,
  worst: number,
): Pick<GatedResult, "bound" | "p" | "neededUsers"> {
  const observed = lossOf(users);
  const spread = jackknife(observed);
  if (!(spread.effective >= FEWEST_EFFECTIVE)) return { bound: undefined, p: undefined, neededUsers: undefined };
  const questionsAdded = users.reduce((sum, { questions }) => sum + questions, 0) / spread.effective;
  const withWorstUser = lossOf([...users, { questions: questionsAdded, loss: questionsAdded * worst }]);
  const { se, effective } = jackknife(withWorstUser);
  const inequality = users.length / spread.effective;
  const needed = users.length * ((2.5 * spread.se) / margin) ** 2 + ((3 * worst) / margin) * inequality;
  return {
    bound: withWorstUser.value + studentQuantile(0.95, effective - 1) * se,
    p: pOf(observed.value, spread),
    neededUsers: Number.isFinite(needed) ? Math.ceil(needed) : undefined,
  };
}

/** The mean loss over questions, and the same without each user. */
function lossOf(users: readonly UserLoss[]): Theta {
  const sum = (of: (user: UserLoss) => number): number => users.reduce((total, user) => total + of(user), 0);
  const [loss, questions] = [sum((user) => user.loss), sum((user) => user.questions)];
  return {
    value: loss / questions,
    without: Float64Array.from(users, (user) => (loss - user.loss) / (questions - user.questions)),
    questions: users.map((user) => user.questions),
  };
}

/** A number of an arm that changed although its replies did not. */
interface ScoreChange {
  readonly metric: string;
  readonly was: number | null;
  readonly is: number | null;
}

/** Finds what differs where replies are equal: the terms of one, or, where all of an arm are, a score or a count of the arm. */
function otherScoresOf({ baseline, run }: GatedArm, both: readonly Both[]): GatedResult["otherScores"] {
  const scores = baseline.metrics.flatMap(({ name, score: was }, m) => {
    const [is, n] = [scoreIn(run, name), run.metrics.findIndex((one) => one.name === name)];
    return is === undefined ? [] : [{ metric: name, was, is, m, n }];
  });
  const changed = new Set<ScoreChange>();
  let replies = 0;
  for (const { old, now } of both)
    for (const [r, reply] of old.replies.entries()) {
      if (reply === null || reply !== now.replies[r]) continue;
      const other = scores.filter(({ m, n }) => old.terms[r]?.[m] !== now.terms[r]?.[n]);
      for (const score of other) changed.add(score);
      if (other.length > 0) replies += 1;
    }
  const isWhole = both.length === baseline.questions.length && both.length === run.questions.length;
  const counts = { metric: "unparsed", was: baseline.unparsed, is: run.unparsed };
  const ofArm = isWhole && both.every(isSame) ? [...scores, counts].filter(isOther) : [];
  const [first] = [...scores.filter((score) => changed.has(score) && isOther(score)), ...ofArm, ...changed];
  return first && { metric: first.metric, was: first.was, is: first.is, replies };
}

const scoreIn = ({ metrics }: BaselineArm, name: string): number | null | undefined =>
  metrics.find((metric) => metric.name === name)?.score;

const isSame = ({ old, now }: Both): boolean => JSON.stringify(old.replies) === JSON.stringify(now.replies);

/** Relative for what is above 1: machines may differ in the last digits. */
const isOther = ({ was, is }: ScoreChange): boolean =>
  was === null || is === null ? was !== is : Math.abs(was - is) > ROUNDING * Math.max(1, Math.abs(was));
