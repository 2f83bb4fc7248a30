import { intervalOf } from "../statistics/bca.js";
import { type Interval, intervalsOfSums, MIN_CLUSTERS, quantile } from "../statistics/bootstrap.js";
import { questionSums, valueOfAll } from "../statistics/cluster-sums.js";
import { PAIRED_RESAMPLES, resampledDifferences } from "../statistics/paired-bootstrap.js";
import type { Metric, Pair, Row, Task, UnitRecord } from "../types.js";
import { align } from "./aligned.js";
import { groupBy } from "./grouped.js";
import { strictText } from "./summary.js";

/** How one method does on users, and for whom it does better than a plainer one. By the task's first metric. */
export interface PerUser {
  readonly metric: string;
  readonly better: "higher" | "lower";
  /** In order of history size, then of id. Users without a scored answer are left out. */
  readonly users: readonly UserScore[];
  /** All users, quartiles of history size, cold start, worst decile: each with at least one user. */
  readonly groups: readonly UserGroup[];
}

export interface UserScore {
  readonly user: string;
  /** Past interactions that the method saw, the mean where questions see different pasts. Undefined where not recorded. */
  readonly historySize: number | undefined;
  readonly questions: number;
  readonly score: number;
  /** Against the reference on the questions that both answered; positive is better, also where lower scores are. */
  readonly gain: number | undefined;
}

export interface UserGroup {
  readonly name: "all" | "history quartile" | "cold start" | "worst decile";
  readonly users: readonly string[];
  /** Smallest and largest history. Undefined where none is recorded. */
  readonly history: { readonly low: number; readonly high: number } | undefined;
  readonly questions: number;
  readonly score: number;
  /** 95 %, bootstrap over users; undefined below 10 users, and for the worst decile, which is chosen by its score. */
  readonly interval: Interval | undefined;
  /** Against the reference. Undefined without one. */
  readonly gain: GroupGain | undefined;
}

export interface GroupGain {
  readonly value: number;
  readonly interval: Interval | undefined;
  /** Users who do better, equally well, worse than with the reference. */
  readonly wins: number;
  readonly ties: number;
  readonly losses: number;
}

/** Most interactions of a cold-start user. Source: METHODS 7.8. */
export const COLD_START_MOST = 10;

/**
 * Rows and units are those of one method on one task, all repeats together; `reference` the rows of the method that the gain
 * is over (`prompt`), on the same questions. Undefined where nothing was scored.
 */
export function perUser(request: {
  readonly task: Task;
  readonly rows: readonly Row[];
  readonly units: readonly UnitRecord[];
  readonly reference?: readonly Row[];
  readonly seed: number;
}): PerUser | undefined {
  const metric = request.task.metrics[0];
  const users = metric === undefined ? [] : scoredUsers(metric, request);
  if (metric === undefined || users.length === 0) return undefined;
  const ordered = [...users].sort((a, b) => (a.historySize ?? 0) - (b.historySize ?? 0) || compareText(a.user, b.user));
  const groupOf = (name: UserGroup["name"], own: readonly ScoredUser[]) =>
    own.length === 0 ? [] : [group(metric, name, own, request.seed)];
  return {
    metric: metric.name,
    better: metric.better,
    users: ordered.map(({ user, historySize, pairs, score, gain }) => ({
      user,
      historySize,
      questions: pairs.length,
      score,
      gain,
    })),
    groups: [
      ...groupOf("all", users),
      ...quartiles(users).flatMap((own) => groupOf("history quartile", own)),
      ...groupOf(
        "cold start",
        users.filter(({ historySize }) => historySize !== undefined && historySize <= COLD_START_MOST),
      ),
      ...groupOf("worst decile", worstDecile(metric, ordered)),
    ],
  };
}

// --- internal ---

type Questions = readonly (readonly Pair[])[];

interface ScoredUser {
  readonly user: string;
  readonly historySize: number | undefined;
  /** One entry a question, one pair a repeat. */
  readonly pairs: Questions;
  /** The questions that both answered. Empty without a reference. */
  readonly shared: { readonly own: Questions; readonly reference: Questions };
  readonly score: number;
  readonly gain: number | undefined;
}

const ROUNDING = 1e-12;
const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const scoreOf = (metric: Metric, clusters: readonly Questions[]): number => valueOfAll(questionSums(metric, clusters));
const upwards = (metric: Metric, difference: number): number =>
  metric.better === "higher" ? difference : 0 - difference;

function scoredUsers(
  metric: Metric,
  { rows, units, reference }: { rows: readonly Row[]; units: readonly UnitRecord[]; reference?: readonly Row[] },
): ScoredUser[] {
  const sizes = new Map(units.filter(({ shared }) => shared !== true).map((unit) => [unit.unit, unit.historySize]));
  const aligned = groupBy(reference === undefined ? [] : align(reference, rows).questions, ({ user }) => user);
  return [...groupBy(rows.filter(isScored), ({ user }) => user)].map(([user, own]) => {
    const pairs = [...groupBy(own, ({ question }) => question).values()].map((group) => group.flatMap(pairOf));
    const both = aligned.get(user) ?? [];
    const shared = { own: both.map(({ b }) => b.flatMap(pairOf)), reference: both.map(({ a }) => a.flatMap(pairOf)) };
    const gain =
      both.length === 0
        ? undefined
        : upwards(metric, scoreOf(metric, [shared.own]) - scoreOf(metric, [shared.reference]));
    return { user, historySize: meanHistory(own, sizes), pairs, shared, score: scoreOf(metric, [pairs]), gain };
  });
}

const isScored = ({ gold, outcome }: Row): boolean => gold !== undefined && outcome.kind !== "failed";
const pairOf = (row: Row): Pair[] => (row.gold === undefined ? [] : [{ prediction: strictText(row), gold: row.gold }]);

function meanHistory(rows: readonly Row[], sizes: ReadonlyMap<string, number>): number | undefined {
  const known = rows.map(({ unit }) => sizes.get(unit)).filter((size) => size !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, size) => sum + size, 0) / known.length;
}

/** Users with equal histories stay together, so quartiles may be unequal, or fewer than four. */
function quartiles(users: readonly ScoredUser[]): ScoredUser[][] {
  const known = users.filter(({ historySize }) => historySize !== undefined);
  if (known.length === 0) return [];
  const sizes = Float64Array.from(known, ({ historySize }) => historySize ?? 0).sort();
  const cuts = [0.25, 0.5, 0.75].map((share) => quantile(sizes, share));
  const buckets: ScoredUser[][] = [[], [], [], []];
  for (const user of known) buckets[cuts.filter((cut) => cut < (user.historySize ?? 0)).length]?.push(user);
  return buckets.filter((bucket) => bucket.length > 0);
}

function worstDecile(metric: Metric, users: readonly ScoredUser[]): ScoredUser[] {
  const worstFirst = [...users].sort((a, b) => upwards(metric, a.score - b.score));
  return worstFirst.slice(0, Math.ceil(users.length / 10));
}

function group(metric: Metric, name: UserGroup["name"], users: readonly ScoredUser[], seed: number): UserGroup {
  const sums = questionSums(
    metric,
    users.map(({ pairs }) => pairs),
  );
  const sizes = users.map(({ historySize }) => historySize).filter((size) => size !== undefined);
  return {
    name,
    users: users.map(({ user }) => user),
    history: sizes.length === 0 ? undefined : { low: Math.min(...sizes), high: Math.max(...sizes) },
    questions: users.reduce((sum, { pairs }) => sum + pairs.length, 0),
    score: valueOfAll(sums),
    interval: name === "worst decile" ? undefined : intervalsOfSums([sums], { seed })[0],
    gain: groupGain(metric, name, users, seed),
  };
}

function groupGain(
  metric: Metric,
  name: UserGroup["name"],
  users: readonly ScoredUser[],
  seed: number,
): GroupGain | undefined {
  const compared = users.filter(({ gain }) => gain !== undefined);
  if (compared.length === 0) return undefined;
  const side = (questions: (user: ScoredUser) => Questions) => questionSums(metric, compared.map(questions));
  const [own, reference] = [side(({ shared }) => shared.own), side(({ shared }) => shared.reference)];
  const sums = metric.better === "higher" ? { a: reference, b: own } : { a: own, b: reference };
  const chosen = name === "worst decile" || compared.length < MIN_CLUSTERS;
  const found = chosen ? undefined : resampledDifferences([sums], PAIRED_RESAMPLES, seed)[0];
  const count = (holds: (gain: number) => boolean) => compared.filter(({ gain }) => holds(gain ?? 0)).length;
  return {
    value: valueOfAll(sums.b) - valueOfAll(sums.a),
    interval: found === undefined ? undefined : intervalOf(found, 0.95),
    wins: count((gain) => gain > ROUNDING),
    ties: count((gain) => Math.abs(gain) <= ROUNDING),
    losses: count((gain) => gain < -ROUNDING),
  };
}
