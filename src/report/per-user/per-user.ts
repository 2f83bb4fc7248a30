import { repeatSums, valueOfAll } from "../../statistics/cluster-sums.js";
import type { Interval } from "../../statistics/interval.js";
import { isRootOfMean } from "../../statistics/mean-metric.js";
import { studentDifference } from "../../statistics/paired-difference.js";
import { deviation, meanOf, quantile } from "../../statistics/quantile.js";
import type { Metric, Pair, Row, Task, UnitRecord } from "../../types/index.js";
import { gainOf, type Tally, tally, upwards } from "../compare/question-test.js";
import { groupBy } from "../grouped.js";
import { answersIn, byRepeat, otherData, pairAnswers } from "../paired.js";
import { isScored, pairsByRepeat, repeatsOf, type ScoredRow, scoresOfRepeats } from "../pairs.js";
import { intervalOfRows } from "../score-interval.js";

/** How one method does on users, and for whom it does better than a plainer one. By the task's first metric. */
export interface PerUser {
  readonly metric: string;
  readonly better: "higher" | "lower";
  /** In order of history size, then of id. Users without a scored answer are left out. */
  readonly users: readonly UserScore[];
  /** All users, quartiles of history size, cold start, worst decile: each with at least one user. */
  readonly groups: readonly UserGroup[];
}

interface UserScore {
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
  /** 95 %, for users drawn like these; undefined below 10 users, and for the worst decile, which is chosen by its score. */
  readonly interval: Interval | undefined;
  /** Against the reference. Undefined without one. */
  readonly gain: GroupGain | undefined;
}

/** The tally is of the users who do better, equally well, worse than with the reference. */
interface GroupGain extends Tally {
  readonly value: number;
  readonly interval: Interval | undefined;
}

/** Most interactions of a cold-start user. Source: METHODS 7.8. */
export const COLD_START_MOST = 10;

/** Rows and units of one method on one task, all repeats together. */
interface UserRecords {
  readonly task: Task;
  readonly rows: readonly Row[];
  readonly units: readonly UnitRecord[];
  /** Rows of the method that the gain is over, on the same questions. */
  readonly reference?: readonly Row[];
}

/** Past interactions by user, the mean over the questions that any method was asked. */
type Histories = ReadonlyMap<string, number>;

/** Quartiles are cut through the histories of all users of a task, so that they hold the same people for every method. */
export function historiesOf({ rows, units }: Pick<UserRecords, "rows" | "units">): Histories {
  const sizes = sizesOf(units);
  const asked = new Map<string, Row>();
  for (const row of rows) asked.set(`${row.user}\t${row.question}`, row);
  const known = [...groupBy([...asked.values()], ({ user }) => user)].map(
    ([user, rows]) => [user, meanHistory(rows, sizes)] as const,
  );
  return new Map(known.flatMap(([user, size]) => (size === undefined ? [] : [[user, size] as const])));
}

/** `histories`: of all users of the task; default: of those of `rows`. Undefined where nothing was scored. */
export function perUser(request: UserRecords & { readonly histories?: Histories }): PerUser | undefined {
  const metric = request.task.metrics[0];
  const users = metric === undefined ? [] : scoredUsers(metric, request);
  if (metric === undefined || users.length === 0) return undefined;
  const ordered = inOrder(users);
  const groupOf = (name: UserGroup["name"], members: readonly ScoredUser[]) =>
    members.length === 0 ? [] : [group(metric, name, members)];
  return {
    metric: metric.name,
    better: metric.better,
    users: ordered.map(userScore),
    groups: [
      ...groupOf("all", users),
      ...quartiles(users, request.histories ?? historiesOf(request)).flatMap((members) =>
        groupOf("history quartile", members),
      ),
      ...groupOf(
        "cold start",
        users.filter(({ historySize }) => historySize !== undefined && historySize <= COLD_START_MOST),
      ),
      ...groupOf("worst decile", worstDecile(metric, ordered)),
    ],
  };
}

/** The users of `perUser` without the groups, whose intervals take most of its time. Empty where nothing was scored. */
export function userScores(records: UserRecords): UserScore[] {
  const metric = records.task.metrics[0];
  return metric === undefined ? [] : inOrder(scoredUsers(metric, records)).map(userScore);
}

/** One list of pairs a repeat. */
type Repeats = readonly (readonly Pair[])[];

interface ScoredUser {
  readonly user: string;
  readonly historySize: number | undefined;
  readonly questions: number;
  readonly pairs: Repeats;
  readonly rows: readonly ScoredRow[];
  /** The questions that both answered. Empty without a reference. */
  readonly shared: { readonly own: Repeats; readonly reference: Repeats };
  readonly score: number;
  readonly gain: number | undefined;
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const scoreOf = (metric: Metric, user: Repeats): number => valueOfAll(repeatSums(metric, [user]));

const inOrder = (users: readonly ScoredUser[]): ScoredUser[] =>
  [...users].sort((a, b) => (a.historySize ?? 0) - (b.historySize ?? 0) || compareText(a.user, b.user));

const userScore = ({ user, historySize, questions, score, gain }: ScoredUser): UserScore => ({
  user,
  historySize,
  questions,
  score,
  gain,
});

function scoredUsers(metric: Metric, { rows, units, reference }: UserRecords): ScoredUser[] {
  const sizes = sizesOf(units);
  const both = reference === undefined ? [] : pairAnswers(answersIn(reference), answersIn(rows), otherData).questions;
  const byUser = groupBy(both, ({ user }) => user);
  const scored = rows.filter(isScored);
  const repeats = repeatsOf(scored);
  return [...groupBy(scored, ({ user }) => user)].map(([user, ofUser]) => {
    const pairs = pairsByRepeat(ofUser, repeats);
    const ofBoth = byUser.get(user) ?? [];
    const shared = {
      own: byRepeat(ofBoth.map(({ candidate }) => candidate)),
      reference: byRepeat(ofBoth.map(({ baseline }) => baseline)),
    };
    const gain =
      ofBoth.length === 0 ? undefined : gainOf(metric, scoreOf(metric, shared.reference), scoreOf(metric, shared.own));
    const questions = new Set(ofUser.map(({ question }) => question)).size;
    const historySize = meanHistory(ofUser, sizes);
    return { user, historySize, questions, pairs, rows: ofUser, shared, score: scoreOf(metric, pairs), gain };
  });
}

const sizesOf = (units: readonly UnitRecord[]): ReadonlyMap<string, number> =>
  new Map(units.filter(({ shared }) => shared !== true).map((unit) => [unit.unit, unit.historySize]));

function meanHistory(rows: readonly Row[], sizes: ReadonlyMap<string, number>): number | undefined {
  const known = rows.map(({ unit }) => sizes.get(unit)).filter((size) => size !== undefined);
  return known.length === 0 ? undefined : meanOf(known);
}

/** Users with equal histories stay together, so quartiles may be unequal, or empty. */
function quartiles(users: readonly ScoredUser[], histories: Histories): ScoredUser[][] {
  if (histories.size === 0) return [];
  const sizes = Float64Array.from(histories.values()).sort();
  const cuts = [0.25, 0.5, 0.75].map((share) => quantile(sizes, share));
  const buckets: ScoredUser[][] = [[], [], [], []];
  for (const user of users) {
    const size = histories.get(user.user);
    if (size !== undefined) buckets[cuts.filter((cut) => cut < size).length]?.push(user);
  }
  return buckets;
}

function worstDecile(metric: Metric, users: readonly ScoredUser[]): ScoredUser[] {
  const worstFirst = [...users].sort((a, b) => upwards(metric, a.score - b.score));
  return worstFirst.slice(0, Math.ceil(users.length / 10));
}

function group(metric: Metric, name: UserGroup["name"], users: readonly ScoredUser[]): UserGroup {
  const sums = repeatSums(
    metric,
    users.map(({ pairs }) => pairs),
  );
  const sizes = users.map(({ historySize }) => historySize).filter((size) => size !== undefined);
  return {
    name,
    users: users.map(({ user }) => user),
    history: sizes.length === 0 ? undefined : { low: Math.min(...sizes), high: Math.max(...sizes) },
    questions: users.reduce((sum, { questions }) => sum + questions, 0),
    score: valueOfAll(sums),
    interval: name === "worst decile" ? undefined : intervalOfUsers(metric, users),
    gain: groupGain(metric, name, users),
  };
}

function intervalOfUsers(metric: Metric, users: readonly ScoredUser[]): Interval | undefined {
  const rows = users.flatMap((user) => user.rows);
  return intervalOfRows(metric, rows, repeatsOf(rows));
}

function groupGain(metric: Metric, name: UserGroup["name"], users: readonly ScoredUser[]): GroupGain | undefined {
  const compared = users.filter(({ gain }) => gain !== undefined);
  if (compared.length === 0) return undefined;
  const side = (pairs: (user: ScoredUser) => Repeats) => repeatSums(metric, compared.map(pairs));
  const [candidate, reference] = [side(({ shared }) => shared.own), side(({ shared }) => shared.reference)];
  const sums = metric.better === "higher" ? { a: reference, b: candidate } : { a: candidate, b: reference };
  const found = name === "worst decile" ? undefined : studentDifference({ ...sums, ...sharedFacts(metric, compared) });
  return {
    value: valueOfAll(sums.b) - valueOfAll(sums.a),
    interval: found?.interval,
    ...tally(compared.map(({ gain }) => gain ?? 0)),
  };
}

/** What the interval of a gain needs besides the sums; the repeats are those of the shared questions. */
function sharedFacts(metric: Metric, users: readonly ScoredUser[]) {
  const repeatsIn = (side: (user: ScoredUser) => Repeats) => {
    const count = users.reduce((most, user) => Math.max(most, side(user).length), 0);
    const scores = scoresOfRepeats(
      metric,
      Array.from({ length: count }, (_, r) => users.flatMap((user) => side(user)[r] ?? [])),
    );
    return { sd: deviation(scores) ?? 0, count: scores.length };
  };
  const [own, reference] = [repeatsIn(({ shared }) => shared.own), repeatsIn(({ shared }) => shared.reference)];
  const repeats = metric.better === "higher" ? { a: reference, b: own } : { a: own, b: reference };
  const questions = users.reduce((sum, { shared }) => sum + Math.max(1, ...shared.own.map(({ length }) => length)), 0);
  return { questions, repeats, isRoot: isRootOfMean(metric) };
}
