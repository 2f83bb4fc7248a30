import { isSignificant } from "../../statistics/holm.js";
import { countOf } from "../../text/count.js";
import { armLabel } from "../arms.js";
import { upwards } from "../compare/question-test.js";
import { type ArmMaterial, comparedPairs } from "../gains.js";
import { headingMark, simulatedLegend } from "../simulated.js";
import type { Summary } from "../summary.js";
import { type Cell, type ColumnOf, dash, rowsOfItems, type Table } from "../table.js";
import { formatScore } from "./format.js";
import type { TaskFacts } from "./results.js";

/**
 * Methods by tasks: the first metric of each and the rank by it. The interval of a rank goes from 1 + the arms shown better to all arms
 * less those shown worse: all ranks of a task at once, at 95 % (Mogstad, Romano, Shaikh and Wilhelm, Review of Economic Studies 2024).
 * None below two tasks or two arms.
 */
export function ranksTable(facts: readonly TaskFacts[], material: ArmMaterial): Table[] {
  const { summaries } = material;
  const isOneModel = new Set(summaries.map(({ model }) => model)).size === 1;
  const nameOf = (arm: Summary) => (isOneModel ? armLabel(arm) : `${armLabel(arm)} · ${arm.model}`);
  const names = [
    ...new Set([...summaries.map(nameOf), ...facts.flatMap(({ unfit = [] }) => unfit.map(({ method }) => method))]),
  ];
  if (facts.length < 2 || names.length < 2) return [];
  const columns = facts.flatMap((fact): ColumnOf<string>[] => {
    const ofTask = summaries.filter(({ task, dataset }) => task === fact.task && dataset === fact.dataset);
    const ranks = ranksOf(ofTask, material);
    const [metric] = ofTask[0]?.metrics ?? [];
    const group = fact.title.split(":")[0] ?? fact.title;
    const cellOf = (of: (arm: Summary) => Cell) => (name: string) => {
      const arm = ofTask.find((one) => nameOf(one) === name);
      return arm && of(arm);
    };
    return [
      { group, title: metric?.name ?? dash, format: formatScore, cell: cellOf(({ metrics }) => metrics[0]?.strict) },
      { group, title: "rank", format: String, interval: true, cell: cellOf((arm) => ranks.get(arm)) },
    ];
  });
  return [
    {
      name: "ranks",
      title: `${countOf(names.length, "method")} by ${countOf(facts.length, "task")}${headingMark(summaries)}`,
      ...rowsOfItems([{ title: "method", cell: (name: string) => name }, ...columns], names),
      notes: facts.flatMap(({ task, dataset, unfit = [] }) => {
        const ofTask = summaries.filter((arm) => arm.task === task && arm.dataset === dataset);
        const unscored = ofTask.filter(({ metrics: [metric] }) => metric?.strict === undefined).map(nameOf);
        return [
          ...unfit.map(({ method, why }) => `${method} on ${task}: ${why}`),
          ...(unscored.length === 0 ? [] : [`${unscored.join(", ")} on ${task}: no answer is scored`]),
        ];
      }),
      legend: [
        "rank: 1 is best; its interval goes from 1 + the methods shown better to all less those shown worse (paired by user, or by cluster where the data name one; Holm over the pairs of a task); no mean over tasks, whose metrics are not alike",
        ...simulatedLegend(summaries),
      ],
    },
  ];
}

/** The rank of each scored arm of one task. Arms of equal score share one. */
function ranksOf(summaries: readonly Summary[], material: ArmMaterial): ReadonlyMap<Summary, Cell> {
  const scoreOf = ({ metrics: [metric] }: Summary): number =>
    metric?.strict === undefined ? Number.NaN : metric.better === "lower" ? -metric.strict : metric.strict;
  const arms = summaries.filter((arm) => !Number.isNaN(scoreOf(arm)));
  const pairs = arms.flatMap((arm, at) => arms.slice(0, at).map((reference) => ({ arm, reference })));
  const shown = comparedPairs(pairs, material).flatMap(({ arm, reference, comparison: { metrics } }) => {
    const [metric] = metrics;
    if (metric === undefined || !isSignificant(metric.holm)) return [];
    const isBetter = upwards(metric, metric.difference) > 0;
    return [isBetter ? { better: arm, worse: reference } : { better: reference, worse: arm }];
  });
  return new Map(
    arms.map((arm) => {
      const rank = 1 + arms.filter((other) => scoreOf(other) > scoreOf(arm)).length;
      const low = 1 + shown.filter(({ worse }) => worse === arm).length;
      const high = arms.length - shown.filter(({ better }) => better === arm).length;
      const interval = { low: Math.min(low, rank), high: Math.max(high, rank) };
      return [arm, { value: rank, interval, ...(rank === 1 ? { rank } : {}) }];
    }),
  );
}
