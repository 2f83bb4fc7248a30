import { UsageError } from "../errors.js";
import { scoreAll } from "../metrics/score-all.js";
import type { ArmSpec, Metric, Row, SweepFacts, Task } from "../types/index.js";
import {
  type Answers,
  answeredByBoth,
  answersIn,
  byRepeat,
  knownPairs,
  type LeftOut,
  meanOfRepeats,
  takenBy,
  usersOf,
} from "./answers.js";
import { isNamed } from "./arms.js";
import {
  combined,
  effectiveOf,
  hasEveryLabel,
  holm,
  type Inference,
  type Interval,
  inferenceOf,
  ROUNDING,
  thetaOf,
} from "./inference.js";
import { groupBy } from "./samples.js";
import type { Summary } from "./summary.js";

/** Two arms on the questions that both answered. */
export interface Comparison {
  readonly questions: number;
  readonly users: number;
  /** Users, or clusters where the data name them, in effect (n_e of docs/STATISTICS.md). */
  readonly effective: number;
  /** Comparisons of its family, which Holm's correction is over. Absent: it is of none. */
  readonly family?: number;
  readonly leftOut: LeftOut;
  /** The first is the primary one: only it has a p. */
  readonly metrics: readonly MetricComparison[];
}

/** Gains count upwards: positive where B is better than A, also where lower scores are. */
export interface MetricComparison {
  readonly name: string;
  readonly better: "higher" | "lower";
  /** Official reading, the mean over repeats. */
  readonly a: number;
  readonly b: number;
  readonly gain: number;
  /** 95 %, over users. Undefined where the table prints a dash (docs/STATISTICS.md). */
  readonly interval: Interval | undefined;
  /** Of this pair alone. */
  readonly p: number | undefined;
  /** Minimum detectable difference at 80 % power. */
  readonly detectable: number | undefined;
  /** `p` after Holm, where the pair is of a family. */
  readonly holm?: number;
}

export interface ComparisonRequest {
  readonly a: readonly Row[];
  readonly b: readonly Row[];
  /** Those of the task. */
  readonly metrics: readonly Metric[];
  /** Only this one of them. Absent: all. */
  readonly only?: string | undefined;
}

/** Compares two arms; undefined where no question was answered in both. Throws UsageError on different data. */
export function compareIfAny({ a, b, metrics }: ComparisonRequest): Comparison | undefined {
  const paired = answeredByBoth(answersIn(a), answersIn(b));
  return paired.a.length === 0 ? undefined : comparisonOf(paired, metrics);
}

/** The same with the questions whose first value differs. Throws UsageError where none was answered in both. */
export function compareArms({
  a,
  b,
  metrics,
  only,
}: ComparisonRequest): Comparison & { readonly flipped: readonly Flip[] } {
  const paired = answeredByBoth(answersIn(a), answersIn(b));
  if (paired.a.length === 0) {
    const { onlyA, onlyB, failed, noGold } = paired.leftOut;
    const why = `only in A: ${onlyA}, only in B: ${onlyB}, failed: ${failed}, without a gold: ${noGold}`;
    throw new UsageError(`no question has a scored answer in both A and B (${why})`);
  }
  const isWanted = ({ name }: Pick<Metric, "name">): boolean => only === undefined || name === only;
  const first = metrics.find(isWanted);
  const flipped = first === undefined || !isMean(first) ? [] : flips(first, paired, { a, b });
  const comparison = comparisonOf(paired, metrics);
  return { ...comparison, metrics: comparison.metrics.filter(isWanted), flipped };
}

type Paired = ReturnType<typeof answeredByBoth>;

/** Returns the answers to the questions of which a metric has a value in both arms. */
function takenByBoth(metric: Metric, { a, b, leftOut }: Paired): Paired {
  const both = answeredByBoth(takenBy(metric, a), takenBy(metric, b));
  return { ...both, leftOut };
}

function comparisonOf(paired: Paired, metrics: readonly Metric[]): Comparison {
  const { a, leftOut } = metrics[0] === undefined ? paired : takenByBoth(metrics[0], paired);
  return {
    questions: a.length,
    users: new Set(a.map(({ user }) => user)).size,
    effective: effectiveOf(usersOf(a)),
    leftOut,
    metrics: metrics.map((metric, m) => {
      const { name, better } = metric;
      const { a, b } = takenByBoth(metric, paired);
      const [ofA, ofB] = [usersOf(a), usersOf(b)];
      const repeats = { a: byRepeat(a), b: byRepeat(b) };
      const sign = better === "higher" ? 1 : -1;
      const theta = combined([
        [sign, thetaOf(metric, ofB)],
        [-sign, thetaOf(metric, ofA)],
      ]);
      const [scoreA, scoreB] = [meanOfRepeats(metric, repeats.a), meanOfRepeats(metric, repeats.b)];
      const found: Partial<Inference> = hasEveryLabel(metric, ofA) ? (inferenceOf(theta) ?? {}) : {};
      return {
        ...{ name, better, a: scoreA ?? Number.NaN, b: scoreB ?? Number.NaN, gain: theta.value },
        interval: found.interval,
        p: m === 0 ? found.p : undefined,
        detectable: found.detectable,
      };
    }),
  };
}

/** Returns the comparisons with Holm's p over the primary metrics of exactly these, which are one family. */
export function asFamily<T extends { readonly comparison: Comparison }>(pairs: readonly T[]): T[] {
  const ps = pairs.flatMap(({ comparison }) => comparison.metrics[0]?.p ?? []);
  const [corrected, family] = [holm(ps).values(), ps.length];
  return pairs.map((pair) => {
    const [primary, ...others] = pair.comparison.metrics;
    if (primary?.p === undefined) return pair;
    const metrics = [{ ...primary, holm: corrected.next().value ?? 1 }, ...others]; // one a p
    return { ...pair, comparison: { ...pair.comparison, family, metrics } };
  });
}

/** The arms of one or several runs with their rows. */
export interface ArmInput {
  readonly summaries: readonly Summary[];
  readonly specs: readonly ArmSpec[];
  readonly rows: readonly Row[];
  readonly task: (name: string) => Task;
  /** What varies between the arms. Absent: the run is no sweep. */
  readonly sweep?: SweepFacts | undefined;
}

/** An arm, and the one that it is compared with. */
export interface ArmPair {
  readonly arm: Summary;
  readonly reference: Summary;
}

export function rowsByArm(rows: readonly Row[]): (arm: Summary) => Row[] {
  const byArm = groupBy(rows, ({ arm: armId }) => armId);
  return ({ arms }) => arms.flatMap((id) => byArm.get(id) ?? []);
}

/** Returns arms by the primary score, the best first; unfinished ones and those without a score last. */
export function ranked(arms: readonly Summary[]): Summary[] {
  const goodness = ({ metrics: [metric], planned }: Summary): number =>
    metric?.strict === undefined || planned !== undefined ? Number.NEGATIVE_INFINITY : upwards(metric, metric.strict);
  return arms.toSorted((a, b) => (goodness(a) === goodness(b) ? 0 : goodness(b) - goodness(a)));
}

/**
 * Compares each arm with its reference on the questions that both answered; `headline`: by the primary metric alone. Pairs without
 * such a question, as in a run that has hardly begun, are left out.
 */
export function comparedPairs<T extends ArmPair>(
  pairs: readonly T[],
  { rows, task }: Omit<ArmInput, "summaries">,
  headline = true,
): (T & { readonly comparison: Comparison })[] {
  const rowsOf = rowsByArm(rows);
  return pairs.flatMap((pair) => {
    const { arm, reference } = pair;
    const metrics = task(arm.task).metrics.slice(0, headline ? 1 : undefined);
    const comparison = compareIfAny({ a: rowsOf(reference), b: rowsOf(arm), metrics });
    return comparison === undefined ? [] : [{ ...pair, comparison }];
  });
}

/** Adds Holm's p: compared pairs of one task, data set and model are one family, of all models where a sweep varies them. */
export function inFamilies<T extends ArmPair & { readonly comparison: Comparison }>(
  pairs: readonly T[],
  sweep: SweepFacts | undefined,
): T[] {
  const isOfModels = sweep?.axes.some(({ option }) => option === "model") === true;
  const familyOf = ({ arm: { task, dataset, model } }: T) => JSON.stringify([task, dataset, isOfModels ? "" : model]);
  return [...groupBy(pairs, familyOf).values()].flatMap((family) => asFamily(family));
}

/** Each arm against a reference on the same task, data and model. */
export interface Gains {
  /** The method, with settings where another arm of it is meant: `rag history.control=none`. */
  readonly over: string;
  /** Undefined where there is nothing to compare with. */
  of(summary: Summary): Comparison | undefined;
}

/** Of several such arms, one of the arm's own run and settings is its reference, else the first. */
export function gainsOver(over: string, { summaries, ...input }: ArmInput): Gains {
  const references = summaries.filter((summary) => isNamed(summary, summary.settings, over));
  const pairs = summaries.flatMap((arm) => {
    if (references.includes(arm)) return [];
    const of = references.filter((other) => isAlike(other, arm));
    const own = of.filter(({ run }) => run === arm.run);
    const near = own.length === 0 ? of : own;
    const reference = near.find(({ variant }) => variant === arm.variant) ?? near[0];
    return reference === undefined ? [] : [{ arm, reference }];
  });
  const compared = comparedPairs(pairs, input, false);
  const [controls, own] = [true, false].map((wanted) => compared.filter(({ arm }) => isControl(arm) === wanted));
  const found = [...inFamilies(own!, input.sweep), ...controls!];
  const tested = new Map(found.map(({ arm, comparison }) => [arm.arms.join(" "), comparison]));
  return { over, of: ({ arms }) => tested.get(arms.join(" ")) };
}

const isAlike = (a: Summary, b: Summary): boolean =>
  a.task === b.task && a.dataset === b.dataset && a.model === b.model;

/** Returns whether an arm has another history than its method has in other arms: it is compared with that, in no other family. */
const isControl = ({ settings }: Summary): boolean => (settings["history.control"] ?? "right") !== "right";

/** A change of a score along steps of equal distance, on the questions that all steps answered. Undefined as `inferenceOf`. */
export function slopeOf(
  metric: Metric,
  steps: readonly (readonly Row[])[],
): (Inference & { readonly slope: number }) | undefined {
  const answers = steps.map((rows) => answersIn(rows));
  const common = answers.reduce((shared, step) => answeredByBoth(shared, step).a, answers[0] ?? []);
  const ids = new Set(common.map(({ id }) => id));
  const center = (steps.length - 1) / 2;
  const scale = steps.reduce((sum, _, s) => sum + (s - center) ** 2, 0);
  const thetas = answers.map((step, s) => {
    const answered = step.filter(({ id }) => ids.has(id));
    return [(s - center) / scale, thetaOf(metric, usersOf(answered))] as const;
  });
  const theta = combined(thetas);
  const found = hasEveryLabel(metric, usersOf(common)) ? inferenceOf(theta) : undefined;
  return found && { ...found, slope: theta.value };
}

/** Returns whether a metric is sum / count of one value a question (accuracy, MAE, ROUGE; not macro-F1, not RMSE). */
export function isMean({ sumCount: width, value }: Metric): boolean {
  return width === 1 && value(Float64Array.of(3), 4) === 0.75 && value(Float64Array.of(1), 2) === 0.5;
}

/** A question whose value differs between two arms. */
export interface Flip {
  readonly question: string;
  readonly content: string | undefined;
  readonly user: string;
  readonly gold?: string;
  readonly a: { readonly reply: string; readonly value: number };
  readonly b: { readonly reply: string; readonly value: number };
  /** True where B is the better one. */
  readonly gain: boolean;
}

/** The largest changes first. */
function flips(metric: Metric, paired: Paired, rows: Pick<ComparisonRequest, "a" | "b">): Flip[] {
  const value = (answers: Answers): number => scoreAll(metric, knownPairs(answers));
  const { a: ofBoth, b: others } = takenByBoth(metric, paired);
  const valued = ofBoth.map((one, q) => ({ one, a: value(one), b: value(others[q]!) }));
  const flipped = valued.filter(({ a, b }) => signOf(b - a) !== 0);
  const [ofA, ofB] = [firstAnswered(rows.a), firstAnswered(rows.b)];
  return flipped
    .sort((one, other) => Math.abs(other.b - other.a) - Math.abs(one.b - one.a))
    .map(({ one: { id, user, gold }, a, b }) => ({
      ...{ question: id, content: ofA.get(id)?.content, user, ...(gold === undefined ? {} : { gold }) },
      a: { reply: ofA.get(id)?.reply ?? "", value: a },
      b: { reply: ofB.get(id)?.reply ?? "", value: b },
      gain: signOf(gainOf(metric, a, b)) === 1,
    }));
}

/** Returns the reply to each question in the first repeat that has one, unchanged, and what it was asked. */
const firstAnswered = (rows: readonly Row[]) =>
  new Map(
    rows
      .toReversed()
      .flatMap(({ question, content, outcome }) =>
        outcome.kind === "failed" ? [] : [[question, { content, reply: outcome.reply }] as const],
      ),
  );

type Direction = Pick<Metric, "better">;

/** Returns a difference of scores counted upwards: positive is better, also where lower scores are. */
export const upwards = ({ better }: Direction, difference: number): number =>
  better === "higher" ? difference : 0 - difference;

/** Returns how much better `to` is than `from`. */
export const gainOf = (metric: Direction, from: number, to: number): number => upwards(metric, to - from);

/** Returns 1 for a gain, -1 for a loss, 0 for a difference by rounding at most. */
export const signOf = (gain: number): -1 | 0 | 1 => (Math.abs(gain) <= ROUNDING ? 0 : gain > 0 ? 1 : -1);
