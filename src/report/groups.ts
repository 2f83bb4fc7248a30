import { answersIn, usersOf } from "../results/answers.js";
import { armLabel } from "../results/arms.js";
import { compareIfAny, type MetricComparison, upwards } from "../results/compare.js";
import { type ArmMaterial, rowsByArm } from "../results/gains.js";
import { groupBy } from "../results/grouped.js";
import type { Interval } from "../results/inference.js";
import { intervalOf } from "../results/metric-summary.js";
import { drawnWhole, isScored, meanOfRepeats, pairsByRepeat, repeatsOf, type ScoredRow } from "../results/pairs.js";
import { meanOf, quantile } from "../results/quantile.js";
import type { Summary } from "../results/summary.js";
import type { Metric, Row, UnitRecord } from "../types/index.js";
import { type ColumnOf, rowsOfItems, type Table } from "./table.js";
import { formatAmount, formatGain, formatScore, headingMark, simulatedLegend } from "./tables/format.js";
import { shortTitle, summariesOf, type TaskFacts } from "./tables/results.js";

/** Rows of one arm by a metric, all repeats together, and those of the arm that gains are over. */
interface ArmRows {
  readonly metric: Metric;
  readonly rows: readonly Row[];
  readonly reference?: readonly Row[] | undefined;
}

interface UserScore {
  readonly user: string;
  readonly rows: readonly ScoredRow[];
  readonly score: number;
  /** On the questions that both answered; positive is better. Undefined without a reference. */
  readonly gain: number | undefined;
}

/** Returns the users with a scored answer, by id. */
export function userScores({ metric, rows, reference = [] }: ArmRows): UserScore[] {
  const others = groupBy(reference, ({ user }) => user);
  const users = [...groupBy(rows.filter(isScored), ({ user }) => user)].sort(([a], [b]) => (a < b ? -1 : 1));
  return users.map(([user, own]) => {
    const gain = gainOver({ metric, rows: own, reference: others.get(user) })?.gain;
    return { user, rows: own, score: scoreOf(metric, own), gain };
  });
}

const scoreOf = (metric: Metric, rows: readonly ScoredRow[]): number =>
  meanOfRepeats(metric, pairsByRepeat(rows, repeatsOf(rows))) ?? Number.NaN;

const gainOver = ({ metric, rows, reference = [] }: ArmRows): MetricComparison | undefined =>
  compareIfAny({ a: reference, b: rows, metrics: [metric] })?.metrics[0];

/** Returns the history items that each user has, the mean over the questions that any method was asked. */
export function historySizes(rows: readonly Row[], units: readonly UnitRecord[]): Map<string, number> {
  const sizes = new Map(units.filter(({ shared }) => shared !== true).map((unit) => [unit.unit, unit.historySize]));
  const asked = new Map(rows.map((row) => [`${row.user}\t${row.question}`, row]));
  const users = [...groupBy(asked.values(), ({ user }) => user)].map(([user, own]) => {
    return [user, own.flatMap(({ unit }) => sizes.get(unit) ?? [])] as const;
  });
  return new Map(users.filter(([, of]) => of.length > 0).map(([user, of]) => [user, meanOf(of)]));
}

/** A line of a table: how one arm does on some of its rows. */
export interface Group {
  readonly name: string;
  readonly users: number;
  readonly history?: { readonly low: number; readonly high: number } | undefined;
  readonly questions: number;
  readonly score: number;
  /** Undefined where the users were chosen by their scores. */
  readonly interval: Interval | undefined;
  readonly gain?: MetricComparison | undefined;
}

/** Most history items of a cold-start user. */
const COLD_START_MOST = 10;

/**
 * Returns all users, quartiles of history size, cold start and worst decile. Quartiles are of all users in `histories`:
 * they hold the same people for every arm. Users with equal histories stay together.
 */
export function userGroups(arm: ArmRows, histories: ReadonlyMap<string, number>): Group[] {
  const { metric } = arm;
  const users = userScores(arm);
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
  return groups
    .filter(([, members]) => members.length > 0)
    .map(([name, members]) => {
      const group = groupOf(name, { ...arm, rows: members.flatMap(({ rows }) => rows) });
      const found = members.flatMap(({ user }) => histories.get(user) ?? []);
      const history = found.length === 0 ? undefined : { low: Math.min(...found), high: Math.max(...found) };
      if (members !== worst) return { ...group, history };
      return { ...group, history, interval: undefined, gain: group.gain && { ...group.gain, interval: undefined } };
    });
}

/** The gain is over the same users of the reference. */
function groupOf(name: string, { metric, rows, reference }: ArmRows): Group {
  const scored = rows.filter(isScored);
  const users = new Set(rows.map(({ user }) => user));
  return {
    name,
    users: new Set(scored.map(drawnWhole)).size,
    questions: new Set(scored.map(({ question }) => question)).size,
    score: scoreOf(metric, scored),
    interval: intervalOf(metric, usersOf(answersIn(scored))),
    gain: gainOver({ metric, rows, reference: reference?.filter(({ user }) => users.has(user)) }),
  };
}

export interface GroupMaterial extends ArmMaterial {
  readonly facts: readonly TaskFacts[];
}

/** Makes one table a task of its users' groups; gains are over the method `over`. */
export function perUserTables(material: GroupMaterial, units: readonly UnitRecord[], over: string): Table[] {
  const rowsOf = rowsByArm(material.rows);
  const legend = [
    "history: items that the method saw; the quartiles hold the same users for every method",
    `cold start: users with at most ${COLD_START_MOST} items; worst decile: the tenth of users with the worst scores of the method, so without an interval`,
    "gain: on the questions that both answered; positive is better",
  ];
  return material.facts.flatMap((fact) => {
    const arms = summariesOf(fact, material.summaries);
    const cells = new Set(arms.flatMap((arm) => arm.cells));
    const own = units.filter(({ cell }) => cells.has(cell));
    const histories = historySizes(arms.flatMap(rowsOf), own);
    const groupsOf = (arm: Summary, metric: Metric): Group[] => {
      const isReference = (other: Summary) => other.method === over && other.model === arm.model;
      const reference = arm.method === over ? undefined : arms.find(isReference);
      return userGroups({ metric, rows: rowsOf(arm), reference: reference && rowsOf(reference) }, histories);
    };
    return groupTable({ fact, material, groupsOf, title: "group", over, legend });
  });
}

/** Makes one table a task of the first metric by the values of a tag of the questions. */
export function tagTables(tag: string, material: GroupMaterial): Table[] {
  const tagged = material.rows.filter(({ tags }) => tags?.[tag] !== undefined);
  const rowsOf = rowsByArm(tagged);
  const scoreOf = ({ tags }: Row): string => tags?.[tag] ?? "";
  const values = [...new Set(tagged.map(scoreOf))].sort();
  const legend = ["users: or clusters, where the data name them; intervals are over them, a dash below 10"];
  return material.facts.flatMap((fact) => {
    const groupsOf = (arm: Summary, metric: Metric): Group[] => {
      const groups = groupBy(rowsOf(arm), scoreOf);
      return values.flatMap((value) => {
        const rows = groups.get(value);
        return rows === undefined ? [] : [groupOf(value, { metric, rows })];
      });
    };
    return groupTable({ fact, material, groupsOf, title: tag, legend });
  });
}

/** Returns the tags that any question has. */
export const tagsOf = (rows: readonly Row[]): string[] => [
  ...new Set(rows.flatMap(({ tags = {} }) => Object.keys(tags))),
];

interface Grouping {
  readonly fact: TaskFacts;
  readonly material: GroupMaterial;
  readonly groupsOf: (arm: Summary, metric: Metric) => readonly Group[];
  readonly title: string;
  readonly over?: string;
  readonly legend: readonly string[];
}

/** All methods of a group stand together. None where no arm has a group. */
function groupTable({ fact, material, groupsOf, title, over, legend }: Grouping): Table[] {
  const arms = summariesOf(fact, material.summaries);
  const [metric] = material.task(fact.task).metrics;
  if (metric === undefined) return [];
  const lines = arms.flatMap((arm) => groupsOf(arm, metric).map((group) => ({ method: armLabel(arm), ...group })));
  if (lines.length === 0) return [];
  const columns: ColumnOf<(typeof lines)[number]>[] = [
    { title, cell: ({ name }) => name },
    { title: "method", cell: ({ method }) => method },
    { title: "users", format: formatAmount, cell: ({ users }) => users },
    {
      ...{ title: "history", align: "right" },
      cell: ({ history }) => history && `${formatAmount(history.low)}..${formatAmount(history.high)}`,
    },
    { title: "n", format: formatAmount, cell: ({ questions }) => questions },
    {
      ...{ title: metric.name, format: formatScore, interval: true },
      cell: ({ score, interval }) => ({ value: score, interval }),
    },
    {
      ...{ key: "gain", title: `gain over ${over}`, format: formatGain, interval: true },
      cell: ({ gain }) => gain && { value: gain.gain, interval: gain.interval },
    },
  ];
  const shown = columns.filter((column) => over !== undefined || (column.title !== "history" && column.key !== "gain"));
  return [
    {
      title: `${shortTitle(fact.title)} · ${fact.dataset} data${headingMark(arms)}`,
      keys: 2,
      ...rowsOfItems(shown, [...groupBy(lines, ({ name }) => name).values()].flat()),
      legend: [...legend, ...simulatedLegend(arms)],
    },
  ];
}
