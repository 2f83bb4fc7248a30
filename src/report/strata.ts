import { armLabel } from "../results/arms.js";
import { groupBy } from "../results/grouped.js";
import { type MetricSummary, summarizeMetrics } from "../results/metric-summary.js";
import { drawnWhole, isScored } from "../results/pairs.js";
import type { Summary } from "../results/summary.js";
import type { Row, Task } from "../types/index.js";
import { headingMark, simulatedLegend } from "./simulated.js";
import { rowsOfItems, type Table } from "./table.js";
import { formatAmount, formatScore } from "./tables/format.js";

interface Stratum {
  readonly value: string;
  readonly method: string;
  readonly count: number;
  /** Users, or clusters where the data name them. */
  readonly drawn: number;
  readonly metric: MetricSummary | undefined;
}

/** The first metric of every arm by the values of a tag of the questions, one table a task that has it. */
export function strataTables(
  tag: string,
  { summaries, rows, task }: { summaries: readonly Summary[]; rows: readonly Row[]; task(name: string): Task },
): Table[] {
  const tagged = rows.filter(({ tags }) => tags?.[tag] !== undefined);
  const byCell = groupBy(tagged, ({ cell }) => cell);
  return [...groupBy(summaries, ({ task: name }) => name)].flatMap(([name, arms]): Table[] => {
    const lines = arms.flatMap((arm): Stratum[] => {
      const ofArm = arm.cells.flatMap((cell) => byCell.get(cell) ?? []).filter(isScored);
      return [...groupBy(ofArm, ({ tags }) => tags?.[tag] ?? "")].map(([value, of]) => ({
        value,
        method: armLabel(arm),
        count: of.length,
        drawn: new Set(of.map(drawnWhole)).size,
        metric: summarizeMetrics(task(name).metrics.slice(0, 1), arm.cells, of)[0],
      }));
    });
    if (lines.length === 0) return [];
    const [first] = lines;
    return [
      {
        title: `${task(name).title.split(":")[0]} by ${tag}${headingMark(arms)}`,
        keys: 2,
        ...rowsOfItems(
          [
            { title: tag, cell: ({ value }: Stratum) => value },
            { title: "method", cell: ({ method }) => method },
            {
              title: first?.metric?.name ?? "score",
              format: formatScore,
              interval: true,
              cell: ({ metric }) => metric && { value: metric.strict, interval: metric.interval },
            },
            { title: "n", format: formatAmount, cell: ({ count }) => count },
            { title: "users", format: formatAmount, cell: ({ drawn }) => drawn },
          ],
          [...groupBy(lines, ({ value }) => value)].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, of]) => of),
        ),
        legend: [
          "users: or clusters, where the data name them; intervals are over them, a dash below 10",
          ...simulatedLegend(arms),
        ],
      },
    ];
  });
}

export const tagsOf = (rows: readonly Row[]): string[] => [
  ...new Set(rows.flatMap(({ tags = {} }) => Object.keys(tags))),
];
