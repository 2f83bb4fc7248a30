import {
  type Answers,
  answersIn,
  isScored,
  meanOfRepeats,
  pairsByRepeat,
  repeatsOf,
  usersOf,
} from "../results/answers.js";
import { armLabel, isNamed } from "../results/arms.js";
import { type ArmInput, type Comparison, compareIfAny, rowsByArm } from "../results/compare.js";
import { groupBy } from "../results/samples.js";
import { intervalOf, type Summary } from "../results/summary.js";
import type { Metric, Row, UnitRecord } from "../types/index.js";
import { type ColumnOf, rowsOfItems, type Table, withColumns } from "./table.js";
import { gainEstimate } from "./tables/arm-columns.js";
import { formatAmount, formatGain, formatP, formatScore, headingMark, simulatedLegend } from "./tables/format.js";
import { shortTitle, summariesOfTask, type TaskFacts } from "./tables/results.js";

interface GroupInput extends ArmInput {
  readonly facts: readonly TaskFacts[];
}

/** The arms of one task, and its primary metric. */
interface TaskArms {
  readonly arms: readonly Summary[];
  readonly metric: Metric;
  readonly rowsOf: (arm: Summary) => readonly Row[];
}

/** Makes one table a task; none where it has no rows. */
function tablesOf(input: GroupInput, made: (of: TaskArms) => Table): Table[] {
  const rowsOf = rowsByArm(input.rows);
  return input.facts.flatMap((fact): Table[] => {
    const arms = summariesOfTask(fact, input.summaries);
    const [metric] = input.task(fact.task).metrics;
    if (metric === undefined || arms.every((arm) => rowsOf(arm).length === 0)) return [];
    const { legend = [], ...table } = made({ arms, metric, rowsOf });
    if (table.rows.length === 0) return [];
    const title = [shortTitle(fact.title), `${fact.dataset} data`, metric.name].join(" · ");
    return withColumns([
      { title: `${title}${headingMark(arms)}`, ...table, legend: [...legend, ...simulatedLegend(arms)] },
    ]);
  });
}

/** Makes one table a task of the primary metric: a row a user, a column an arm. */
export const perUserTables = (input: GroupInput): Table[] =>
  tablesOf(input, ({ arms, metric, rowsOf }) => {
    const ofArms = arms.map((arm) => groupBy(rowsOf(arm).filter(isScored), ({ user }) => user));
    const questionsOf = (user: string) => ofArms.flatMap((of) => of.get(user) ?? []).map(({ question }) => question);
    const columns: ColumnOf<string>[] = [
      { title: "user", cell: (user) => user },
      ...arms.map((arm, a) => ({
        title: armLabel(arm),
        format: formatScore,
        cell: (user: string) => scoreOf(metric, ofArms[a]!.get(user) ?? []),
      })),
      { title: "n", format: formatAmount, cell: (user) => new Set(questionsOf(user)).size },
    ];
    const users = new Set(ofArms.flatMap((of) => [...of.keys()]));
    return { ...rowsOfItems(columns, [...users].sort()), legend: ["n: questions of the user with a scored answer"] };
  });

/** A group of questions that has a name of its own besides tags. */
export const HISTORY_LENGTH = "history-length";

/** What tells groups of questions apart: a tag, or the length of histories; and the reference of gains. */
interface Grouping {
  readonly by: string;
  readonly over: string;
  /** Those of the run, for the length of histories. */
  readonly units: readonly UnitRecord[];
}

/** Makes one table a task of the primary metric by groups of questions; all arms of a group stand together. */
export const groupTables = (grouping: Grouping, input: GroupInput): Table[] =>
  tablesOf(input, (of) => {
    const columns: ColumnOf<GroupLine>[] = [
      { title: grouping.by, cell: ({ value }) => value },
      { title: "method", cell: ({ arm }) => armLabel(arm) },
      { title: "users", format: formatAmount, cell: ({ answers }) => new Set(answers.map(({ user }) => user)).size },
      { title: "n", format: formatAmount, cell: ({ answers }) => answers.length },
      {
        ...{ title: of.metric.name, format: formatScore, interval: true },
        cell({ rows, answers }) {
          return { value: scoreOf(of.metric, rows), interval: intervalOf(of.metric, usersOf(answers)) };
        },
      },
      {
        ...{ key: "gain", title: `gain over ${grouping.over}`, format: formatGain, interval: true },
        cell: ({ comparison }) => gainEstimate(comparison),
      },
      { title: "p", format: formatP, cell: ({ comparison }) => comparison?.metrics[0]?.p },
    ];
    const legend = ["gain: on the questions of the group that both answered; p: this pair alone"];
    return { keys: 2, ...rowsOfItems(columns, groupLines(grouping, of)), legend };
  });

/** An arm on a group of questions. */
interface GroupLine {
  readonly value: string;
  readonly arm: Summary;
  readonly rows: readonly Row[];
  readonly answers: readonly Answers[];
  /** With the reference. */
  readonly comparison: Comparison | undefined;
}

/** Returns the arms of a task by groups, in the order of the groups' names; numbers count as such. */
function groupLines({ by, over, units }: Grouping, { arms, metric, rowsOf }: TaskArms): GroupLine[] {
  const groupOf = by === HISTORY_LENGTH ? historyQuarter(arms.flatMap(rowsOf), units) : (row: Row) => row.tags?.[by];
  const groupsOf = arms.map((arm) => groupBy(rowsOf(arm).filter(isScored), (row) => groupOf(row) ?? ""));
  const lines = arms.flatMap((arm, a) => {
    const reference = arms.findIndex((one) => isNamed(one, one.settings, over) && one.model === arm.model);
    return [...groupsOf[a]!].flatMap(([value, rows]): GroupLine[] => {
      const others = a === reference ? undefined : groupsOf[reference]?.get(value);
      const comparison = others && compareIfAny({ a: others, b: rows, metrics: [metric] });
      return value === "" ? [] : [{ value, arm, rows, answers: answersIn(rows), comparison }];
    });
  });
  const order = (a: string, b: string): number => Number.parseFloat(a) - Number.parseFloat(b) || (a < b ? -1 : 1);
  return lines.toSorted((a, b) => (a.value === b.value ? 0 : order(a.value, b.value)));
}

/** Returns the quarter of questions that a row is in by the length of its user's history, as a range: `3 to 8`. */
function historyQuarter(rows: readonly Row[], units: readonly UnitRecord[]): (row: Row) => string | undefined {
  const key = ({ arm, unit }: Pick<Row, "arm" | "unit">): string => `${arm}\t${unit}`;
  const lengths = new Map(units.map((unit) => [key(unit), unit.historySize]));
  const sorted = rows.flatMap((row) => lengths.get(key(row)) ?? []).sort((a, b) => a - b);
  const edges = [0.25, 0.5, 0.75].map((share) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0);
  const quarterOf = (length: number): string => `${edges.filter((edge) => length > edge).length}`;
  const quarters = groupBy(sorted, quarterOf);
  return (row) => {
    const length = lengths.get(key(row));
    const quarter = length === undefined ? undefined : quarters.get(quarterOf(length));
    return quarter && [...new Set([quarter[0], quarter.at(-1)])].join(" to ");
  };
}

const scoreOf = (metric: Metric, rows: readonly Row[]): number | undefined =>
  meanOfRepeats(metric, pairsByRepeat(rows.filter(isScored), repeatsOf(rows)));

/** Returns the tags that any question has. */
export const tagsOf = (rows: readonly Row[]): string[] => [
  ...new Set(rows.flatMap(({ tags = {} }) => Object.keys(tags))),
];
