import { type Answers, answeredByBoth, answersIn, byRepeat, usersOf } from "../../results/answers.js";
import { compareIfAny, gainOf, type Tally, tally, upwards } from "../../results/compare.js";
import { groupBy } from "../../results/grouped.js";
import type { Interval } from "../../results/inference.js";
import { intervalOf } from "../../results/metric-summary.js";
import { isScored, meanOfRepeats, pairsByRepeat, repeatsOf, type ScoredRow } from "../../results/pairs.js";
import { meanOf, quantile } from "../../results/quantile.js";
import type { Metric, Pair, Row, Task, UnitRecord } from "../../types/index.js";

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

/** Most interactions of a cold-start user. Source: METHODS 7. */
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
  /** Rows of the reference. Empty without one. */
  readonly reference: readonly Row[];
  readonly score: number;
  readonly gain: number | undefined;
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const scoreOf = (metric: Metric, user: Repeats): number => meanOfRepeats(metric, user) ?? Number.NaN;

const inOrder = (users: readonly ScoredUser[]): ScoredUser[] =>
  [...users].sort((a, b) => (a.historySize ?? 0) - (b.historySize ?? 0) || compareText(a.user, b.user));

const userScore = ({ user, historySize, questions, score, gain }: ScoredUser): UserScore => ({
  user,
  historySize,
  questions,
  score,
  gain,
});

function scoredUsers(metric: Metric, { rows, units, reference = [] }: UserRecords): ScoredUser[] {
  const sizes = sizesOf(units);
  const both = answeredByBoth(answersIn(reference), answersIn(rows));
  const users = new Map(rows.map(({ question, user }) => [question, user]));
  const ofUser = (answers: readonly Answers[]) => groupBy(answers, ({ id }) => users.get(id) ?? "");
  const [own, others] = [ofUser(both.b), ofUser(both.a)];
  const ofReference = groupBy(reference, ({ user }) => user);
  const scored = rows.filter(isScored);
  const repeats = repeatsOf(scored);
  return [...groupBy(scored, ({ user }) => user)].map(([user, ofOne]) => {
    const pairs = pairsByRepeat(ofOne, repeats);
    const side = (answers: ReadonlyMap<string, readonly Answers[]>) =>
      scoreOf(metric, byRepeat(answers.get(user) ?? []));
    return {
      ...{ user, pairs, rows: ofOne, reference: ofReference.get(user) ?? [] },
      historySize: meanHistory(ofOne, sizes),
      questions: new Set(ofOne.map(({ question }) => question)).size,
      score: scoreOf(metric, pairs),
      gain: own.has(user) ? gainOf(metric, side(others), side(own)) : undefined,
    };
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
  const rows = users.flatMap((user) => user.rows);
  const isChosen = name === "worst decile";
  const sizes = users.map(({ historySize }) => historySize).filter((size) => size !== undefined);
  return {
    name,
    users: users.map(({ user }) => user),
    history: sizes.length === 0 ? undefined : { low: Math.min(...sizes), high: Math.max(...sizes) },
    questions: users.reduce((sum, { questions }) => sum + questions, 0),
    score: scoreOf(metric, pairsByRepeat(rows, repeatsOf(rows))),
    interval: isChosen ? undefined : intervalOf(metric, usersOf(answersIn(rows))),
    gain: groupGain(metric, users, isChosen),
  };
}

/** Without an interval where the users are `chosen` by their scores. */
function groupGain(metric: Metric, users: readonly ScoredUser[], isChosen: boolean): GroupGain | undefined {
  const compared = users.filter(({ gain }) => gain !== undefined);
  const rows = compared.flatMap((user) => user.rows);
  const reference = compared.flatMap((user) => user.reference);
  const [found] = compareIfAny({ a: reference, b: rows, metrics: [metric] })?.metrics ?? [];
  if (found === undefined) return undefined;
  return {
    value: found.gain,
    interval: isChosen ? undefined : found.interval,
    ...tally(compared.map(({ gain }) => gain ?? 0)),
  };
}
