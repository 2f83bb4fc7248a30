import { answersIn, isScored, meanOfRepeats, pairsByRepeat, repeatsOf, usersOf } from "../results/answers.js";
import { armLabel } from "../results/arms.js";
import { type ArmInput, rowsByArm } from "../results/compare.js";
import { groupBy } from "../results/samples.js";
import { intervalOf, type Summary } from "../results/summary.js";
import type { Metric, Row } from "../types/index.js";
import { type ColumnOf, rowsOfItems, type Table, withColumns } from "./table.js";
import { formatAmount, formatScore, headingMark, simulatedLegend } from "./tables/format.js";
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

/** Makes one table a task of the primary metric by a tag of the questions; all arms of a value stand together. */
export const tagTables = (tag: string, input: GroupInput): Table[] =>
  tablesOf({ ...input, rows: input.rows.filter(({ tags }) => tags?.[tag] !== undefined) }, (of) => {
    const lines = of.arms.flatMap((arm) => {
      const groups = [...groupBy(of.rowsOf(arm).filter(isScored), ({ tags }) => tags?.[tag] ?? "")];
      return groups.map(([value, rows]) => ({ value, method: armLabel(arm), rows, answers: answersIn(rows) }));
    });
    const columns: ColumnOf<(typeof lines)[number]>[] = [
      { title: tag, cell: ({ value }) => value },
      { title: "method", cell: ({ method }) => method },
      { title: "users", format: formatAmount, cell: ({ answers }) => new Set(answers.map(({ user }) => user)).size },
      { title: "n", format: formatAmount, cell: ({ answers }) => answers.length },
      {
        ...{ title: of.metric.name, format: formatScore, interval: true },
        cell({ rows, answers }) {
          return { value: scoreOf(of.metric, rows), interval: intervalOf(of.metric, usersOf(answers)) };
        },
      },
    ];
    const ordered = lines.toSorted((a, b) => (a.value === b.value ? 0 : a.value < b.value ? -1 : 1));
    return { keys: 2, ...rowsOfItems(columns, ordered) };
  });

const scoreOf = (metric: Metric, rows: readonly Row[]): number | undefined =>
  meanOfRepeats(metric, pairsByRepeat(rows.filter(isScored), repeatsOf(rows)));

/** Returns the tags that any question has. */
export const tagsOf = (rows: readonly Row[]): string[] => [
  ...new Set(rows.flatMap(({ tags = {} }) => Object.keys(tags))),
];
