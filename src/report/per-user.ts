import { answersIn, usersOf } from "../results/answers.js";
import { compareIfAny, type MetricComparison, upwards } from "../results/compare.js";
import { groupBy } from "../results/grouped.js";
import type { Interval } from "../results/inference.js";
import { intervalOf } from "../results/metric-summary.js";
import { isScored, meanOfRepeats, pairsByRepeat, repeatsOf, type ScoredRow } from "../results/pairs.js";
import { meanOf, quantile } from "../results/quantile.js";
import type { Metric, Row, Task, UnitRecord } from "../types/index.js";
import { headingMark, simulatedLegend } from "./simulated.js";
import { type ColumnOf, rowsOfItems, type Table } from "./table.js";
import { formatAmount, formatGain, formatScore } from "./tables/format.js";

/** The rows of one arm, all repeats together. */
interface ArmRows {
  readonly task: Task;
  readonly rows: readonly Row[];
  /** Rows of the arm that gains are over. */
  readonly reference?: readonly Row[];
}

/** By the task's first metric. */
interface UserScore {
  readonly user: string;
  readonly rows: readonly ScoredRow[];
  readonly score: number;
  /** On the questions that both answered; positive is better. Undefined without a reference. */
  readonly gain: number | undefined;
}

/** Returns the users with a scored answer, by id. */
export function userScores({ task, rows, reference = [] }: ArmRows): UserScore[] {
  const [metric] = task.metrics;
  const others = groupBy(reference, ({ user }) => user);
  const users = [...groupBy(rows.filter(isScored), ({ user }) => user)].sort(([a], [b]) => (a < b ? -1 : 1));
  return users.flatMap(([user, own]) => {
    if (metric === undefined) return [];
    const gain = gainOver(metric, own, others.get(user) ?? [])?.gain;
    return [{ user, rows: own, score: scoreOf(metric, own), gain }];
  });
}

const scoreOf = (metric: Metric, rows: readonly ScoredRow[]): number =>
  meanOfRepeats(metric, pairsByRepeat(rows, repeatsOf(rows))) ?? Number.NaN;

const gainOver = (metric: Metric, rows: readonly Row[], reference: readonly Row[]): MetricComparison | undefined =>
  compareIfAny({ a: reference, b: rows, metrics: [metric] })?.metrics[0];

/** History items that each user has, the mean over the questions that any method was asked. */
export function historySizes(rows: readonly Row[], units: readonly UnitRecord[]): Map<string, number> {
  const sizes = new Map(units.filter(({ shared }) => shared !== true).map((unit) => [unit.unit, unit.historySize]));
  const asked = new Map(rows.map((row) => [`${row.user}\t${row.question}`, row]));
  const known = [...groupBy(asked.values(), ({ user }) => user)].map(([user, own]) => {
    return [user, own.flatMap(({ unit }) => sizes.get(unit) ?? [])] as const;
  });
  return new Map(known.flatMap(([user, of]) => (of.length === 0 ? [] : [[user, meanOf(of)] as const])));
}

/** A line of the table: how one arm does on some of its users. */
export interface UserGroup {
  readonly name: string;
  readonly users: number;
  /** Smallest and largest history. */
  readonly history: { readonly low: number; readonly high: number } | undefined;
  readonly questions: number;
  readonly score: number;
  /** Undefined where the users were chosen by their scores. */
  readonly interval: Interval | undefined;
  readonly gain: MetricComparison | undefined;
}

/** Most history items of a cold-start user. */
const COLD_START_MOST = 10;

/**
 * Returns all users, quartiles of history size, cold start and worst decile, each with at least one user. Quartiles are those of
 * all users in `histories`, so that they hold the same people for every arm; users with equal histories stay together.
 */
export function userGroups(arm: ArmRows, histories: ReadonlyMap<string, number>): UserGroup[] {
  const [metric] = arm.task.metrics;
  const users = userScores(arm);
  if (metric === undefined) return [];
  const sizes = Float64Array.from(histories.values()).sort();
  const quartileOf = ({ user }: UserScore): number | undefined => {
    const size = histories.get(user);
    return size === undefined ? undefined : [0.25, 0.5, 0.75].filter((share) => quantile(sizes, share) < size).length;
  };
  const worst = users.toSorted((a, b) => upwards(metric, a.score - b.score)).slice(0, Math.ceil(users.length / 10));
  const groups: readonly (readonly [name: string, users: readonly UserScore[]])[] = [
    ["all", users],
    ...[0, 1, 2, 3].map(
      (q) => [`history quartile ${q + 1} of 4`, users.filter((user) => quartileOf(user) === q)] as const,
    ),
    ["cold start", users.filter(({ user }) => (histories.get(user) ?? Infinity) <= COLD_START_MOST)],
    ["worst decile", worst],
  ];
  return groups.flatMap(([name, members]) => {
    if (members.length === 0) return [];
    const rows = members.flatMap((user) => user.rows);
    const ids = new Set(members.map(({ user }) => user));
    const found = members.flatMap(({ user }) => histories.get(user) ?? []);
    const gain = gainOver(
      metric,
      rows,
      (arm.reference ?? []).filter(({ user }) => ids.has(user)),
    );
    const isChosen = members === worst;
    return [
      {
        name,
        users: members.length,
        history: found.length === 0 ? undefined : { low: Math.min(...found), high: Math.max(...found) },
        questions: new Set(rows.map(({ question }) => question)).size,
        score: scoreOf(metric, rows),
        interval: isChosen ? undefined : intervalOf(metric, usersOf(answersIn(rows))),
        gain: isChosen ? gain && { ...gain, interval: undefined } : gain,
      },
    ];
  });
}

/** The groups of one arm. */
export interface ArmGroups {
  /** Task and data. */
  readonly title: string;
  readonly metric: string;
  readonly method: string;
  readonly simulated: boolean;
  /** The method that gains are over; undefined where the run has none. */
  readonly over: string | undefined;
  readonly groups: readonly UserGroup[];
}

/** One table a task and data set. */
export const perUserTables = (arms: readonly ArmGroups[]): Table[] =>
  [...groupBy(arms, ({ title }) => title)].map(([title, ofTask]) => ({
    title: `${title}${headingMark(ofTask)}`,
    keys: 2,
    ...rowsOfItems(
      columnsOf(ofTask),
      ofTask.flatMap(({ method, groups }) => groups.map((group) => ({ method, group }))),
    ),
    legend: [
      "history: items that the method saw; the quartiles hold the same users for every method",
      `cold start: users with at most ${COLD_START_MOST} items; worst decile: the tenth of users with the worst scores of the method, so without an interval`,
      "gain: on the questions that both answered; positive is better",
      ...simulatedLegend(ofTask),
    ],
  }));

function columnsOf(arms: readonly ArmGroups[]): ColumnOf<{ readonly method: string; readonly group: UserGroup }>[] {
  const over = arms.find((arm) => arm.over !== undefined)?.over;
  return [
    { title: "method", cell: ({ method }) => method },
    { title: "group", cell: ({ group }) => group.name },
    { title: "users", format: formatAmount, cell: ({ group }) => group.users },
    {
      title: "history",
      align: "right",
      cell: ({ group: { history } }) => history && `${formatAmount(history.low)}..${formatAmount(history.high)}`,
    },
    { title: "n", format: formatAmount, cell: ({ group }) => group.questions },
    {
      title: arms[0]?.metric ?? "score",
      format: formatScore,
      interval: true,
      cell: ({ group: { score, interval } }) => ({ value: score, interval }),
    },
    {
      key: "gain",
      title: over === undefined ? "gain" : `gain over ${over}`,
      format: formatGain,
      interval: true,
      cell: ({ group: { gain } }) => gain && { value: gain.gain, interval: gain.interval },
    },
  ];
}
