import { armLabel } from "../../results/arms.js";
import type { Comparison, MetricComparison } from "../../results/compare.js";
import { type ArmMaterial, comparedPairs, ranked } from "../../results/gains.js";
import { groupBy } from "../../results/grouped.js";
import type { Summary } from "../../results/summary.js";
import { html, type Markup } from "../markup.js";
import { type ColumnOf, rowsOfItems } from "../table.js";
import { formatAmount, formatGain, formatP, formatScore } from "../tables/format.js";
import { renderHtml } from "../tables/html.js";
import type { TaskFacts } from "../tables/results.js";

/** Two arms of a task, compared by its first metric on the questions that both answered. */
export interface ArmPair {
  /** The arm with the better score. */
  readonly better: Summary;
  readonly other: Summary;
  readonly comparison: Comparison;
}

/** Up to so many arms of a task every pair is compared; beyond, the best and the reference with each other arm. */
const MOST_IN_ALL_PAIRS = 12;

/** Compares the pairs of each task's arms, the best arms first. `over`: the reference method. */
export function comparePairs({ summaries, ...material }: ArmMaterial, over: string): ArmPair[] {
  const tasks = groupBy(summaries, ({ task, dataset }) => `${task}\t${dataset}`);
  const pairs = [...tasks.values()].flatMap((ofTask) => {
    const arms = ranked(ofTask, (arm) => arm);
    const isCompared = (arm: Summary): boolean =>
      arms.length <= MOST_IN_ALL_PAIRS || arm === arms[0] || arm.method === over;
    return arms.flatMap((better, b) =>
      arms.slice(b + 1).flatMap((other) => (isCompared(better) || isCompared(other) ? { better, other } : [])),
    );
  });
  return comparedPairs(
    pairs.map((pair) => ({ ...pair, arm: pair.better, reference: pair.other })),
    material,
  );
}

/** By the task's first metric. */
export const metricOf = ({ comparison }: ArmPair): MetricComparison => comparison.metrics[0]!; // compared by one metric

/** A sortable table a task of all its pairs; the page's script leaves those of the two methods that a reader chooses. */
export function pairTables(pairs: readonly ArmPair[], facts: readonly TaskFacts[]): Markup | undefined {
  if (pairs.length === 0) return undefined;
  const tables = facts.map(({ task, dataset, title }) => {
    const ofTask = pairs.filter(({ better }) => better.task === task && better.dataset === dataset);
    if (ofTask.length === 0) return undefined;
    const arms = [...new Set(ofTask.flatMap(({ better, other }) => [armLabel(better), armLabel(other)]))];
    const choice = (name: string, none: string, chosen?: string) =>
      html`<select aria-label="${name} method on ${title}"><option value="">${none}</option>${arms.map(
        (arm) => html`<option${arm === chosen ? html` selected` : undefined}>${arm}</option>`,
      )}</select>`;
    return html`<section class="pairs" aria-label="Comparisons on ${title}"><h3>${title}: ${metricOf(ofTask[0]!).name}</h3>
<p>Compare ${choice("first", "any method", arms[0])} with ${choice("second", "any other")}</p>
${renderHtml({ title: `Paired comparisons on ${title}`, ...rowsOfItems(columns, ofTask) })}
</section>`;
  });
  return html`${tables}
<ul class="notes"><li>gain: how much better the first method is than the second on the questions that both answered, with its 95 % interval over users; p: this pair alone</li></ul>`;
}

const columns: readonly ColumnOf<ArmPair>[] = [
  { title: "better", cell: ({ better }) => armLabel(better) },
  { title: "than", cell: ({ other }) => armLabel(other) },
  { title: "score", format: formatScore, cell: (pair) => metricOf(pair).b },
  { title: "score of the other", format: formatScore, cell: (pair) => metricOf(pair).a },
  {
    title: "gain",
    format: formatGain,
    interval: true,
    cell: (pair) => ({ value: metricOf(pair).gain, interval: metricOf(pair).interval }),
  },
  { title: "p", format: formatP, cell: (pair) => metricOf(pair).p },
  { title: "questions", format: formatAmount, cell: ({ comparison }) => comparison.questions },
  {
    title: "found in 80 %",
    help: "the smallest gain that these users find in 80 % of cases",
    format: formatScore,
    cell: (pair) => metricOf(pair).detectable,
  },
];
