import { answersIn, usersOf } from "../results/answers.js";
import { armLabel } from "../results/arms.js";
import { type ArmMaterial, rowsByArm } from "../results/gains.js";
import { groupBy } from "../results/grouped.js";
import { intervalOf } from "../results/metric-summary.js";
import { drawnWhole, isScored, meanOfRepeats, pairsByRepeat, repeatsOf } from "../results/pairs.js";
import type { Metric, Row } from "../types/index.js";
import { type ColumnOf, rowsOfItems, type Table } from "./table.js";
import { formatAmount, formatScore, headingMark, simulatedLegend } from "./tables/format.js";
import { shortTitle, summariesOf, type TaskFacts } from "./tables/results.js";

interface GroupMaterial extends ArmMaterial {
  readonly facts: readonly TaskFacts[];
}

/** Makes one table a task of the first metric by the values of a tag of the questions; all methods of a value stand together. */
export function tagTables(tag: string, material: GroupMaterial): Table[] {
  const tagOf = ({ tags }: Row): string => tags?.[tag] ?? "";
  const tagged = material.rows.filter(({ tags }) => tags?.[tag] !== undefined);
  const rowsOf = rowsByArm(tagged);
  return material.facts.flatMap((fact) => {
    const arms = summariesOf(fact, material.summaries);
    const [metric] = material.task(fact.task).metrics;
    if (metric === undefined) return [];
    const lines = arms.flatMap((arm) => {
      const groups = [...groupBy(rowsOf(arm), tagOf)];
      return groups.map(([value, rows]) => ({ value, method: armLabel(arm), ...groupOf(metric, rows) }));
    });
    if (lines.length === 0) return [];
    const columns: ColumnOf<(typeof lines)[number]>[] = [
      { title: tag, cell: ({ value }) => value },
      { title: "method", cell: ({ method }) => method },
      { title: "users", format: formatAmount, cell: ({ users }) => users },
      { title: "n", format: formatAmount, cell: ({ questions }) => questions },
      {
        ...{ title: metric.name, format: formatScore, interval: true },
        cell: ({ score, interval }) => ({ value: score, interval }),
      },
    ];
    const byValue = [...groupBy(lines, ({ value }) => value)].sort(([a], [b]) => (a < b ? -1 : 1));
    const legend = "users: or clusters, where the data name them; intervals are over them, a dash below 10";
    return [
      {
        title: `${shortTitle(fact.title)} · ${fact.dataset} data${headingMark(arms)}`,
        keys: 2,
        ...rowsOfItems(
          columns,
          byValue.flatMap(([, of]) => of),
        ),
        legend: [legend, ...simulatedLegend(arms)],
      },
    ];
  });
}

function groupOf(metric: Metric, rows: readonly Row[]) {
  const scored = rows.filter(isScored);
  return {
    users: new Set(scored.map(drawnWhole)).size,
    questions: new Set(scored.map(({ question }) => question)).size,
    score: meanOfRepeats(metric, pairsByRepeat(scored, repeatsOf(scored))),
    interval: intervalOf(metric, usersOf(answersIn(scored))),
  };
}

/** Returns the tags that any question has. */
export const tagsOf = (rows: readonly Row[]): string[] => [
  ...new Set(rows.flatMap(({ tags = {} }) => Object.keys(tags))),
];
