import { armLabel } from "../../results/arms.js";
import { type Comparison, compareArms, isMean, type MetricComparison } from "../../results/compare.js";
import { type ArmMaterial, comparedPairs, inFamilies, ranked, rowsByArm } from "../../results/gains.js";
import { groupBy } from "../../results/grouped.js";
import type { Interval } from "../../results/inference.js";
import type { Summary } from "../../results/summary.js";
import { type ColumnOf, rowsOfItems } from "../table.js";
import { formatAmount, formatGain, formatP, formatScore } from "../tables/format.js";
import { renderHtml } from "../tables/html.js";
import type { TaskFacts } from "../tables/results.js";
import { html, type Markup } from "./markup.js";

/** Two arms of a task, compared by its first metric on the questions that both answered. */
export interface ArmPair {
  /** The arm with the better score. */
  readonly better: Summary;
  readonly other: Summary;
  readonly gain: Gain;
  /** Questions whose value differs. Known of the two best arms of a task, and only where the metric is a mean over questions. */
  readonly differing: number | undefined;
  readonly comparison: Comparison;
}

/** A difference counted upwards: positive is better, also where lower scores are. */
export interface Gain {
  readonly value: number;
  readonly interval: Interval | undefined;
  /** Of this pair alone. */
  readonly p: number | undefined;
  /** After Holm over the gains over the reference; undefined for any other pair. */
  readonly holm: number | undefined;
}

/** Up to so many arms of a task every pair is compared; beyond, the best and the reference with each other arm. */
const MOST_IN_ALL_PAIRS = 12;

interface PairsMaterial extends ArmMaterial {
  /** The method that gains are counted over. */
  readonly over: string;
}

/** Compares the pairs of each task's arms, the best arms first. */
export function comparePairs({ summaries, over, ...material }: PairsMaterial): ArmPair[] {
  const { task, rows } = material;
  const rowsOf = rowsByArm(rows);
  const pairs = [...groupBy(summaries, ({ task, dataset }) => `${task}\t${dataset}`).values()].flatMap((ofTask) => {
    const arms = ranked(ofTask, (arm) => arm);
    const always = new Set([arms[0], ...arms.map((arm) => referenceOf(arm, ofTask, over))]);
    const isCompared = (one: Summary, other: Summary): boolean =>
      arms.length <= MOST_IN_ALL_PAIRS || always.has(one) || always.has(other);
    return arms.flatMap((better, i) =>
      arms
        .slice(i + 1)
        .flatMap((other, j) => (isCompared(better, other) ? { better, other, areBest: i + j === 0 } : [])),
    );
  });
  return comparedPairs(
    pairs.map((pair) => ({ ...pair, arm: pair.better, reference: pair.other })),
    material,
  ).map(({ better, other, areBest, comparison }) => {
    const metrics = task(better.task).metrics.slice(0, 1);
    const request = { a: rowsOf(other), b: rowsOf(better), metrics };
    const differing = areBest && metrics.every(isMean) ? compareArms(request).flipped.length : undefined;
    return { better, other, comparison, differing, gain: gainIn(comparison) };
  });
}

function gainIn({ metrics: [metric] }: Comparison): Gain {
  return { value: metric?.gain ?? 0, interval: metric?.interval, p: metric?.p, holm: metric?.holm };
}

/** Returns the pairs with Holm's p: each task and model is a family. */
export const asGains = (pairs: readonly ArmPair[]): ArmPair[] =>
  inFamilies(pairs.map((pair) => ({ ...pair, arm: pair.better, reference: pair.other }))).map((pair) => ({
    ...pair,
    gain: gainIn(pair.comparison),
  }));

/** The arm that an arm's gain is counted over: that method's with the same model, where it was run; else the first of the task. */
export function referenceOf(arm: Summary, ofTask: readonly Summary[], over: string): Summary | undefined {
  const references = ofTask.filter(({ method }) => method === over);
  return references.length === 0 ? ofTask[0] : references.find(({ model }) => model === arm.model);
}

/** How much better one arm is than another; undefined where the two were not compared. */
export function gainBetween(pairs: readonly ArmPair[], arm: Summary, other: Summary): Gain | undefined {
  const found = pairs.find(({ better, other: worse }) => better === arm && worse === other);
  if (found !== undefined) return found.gain;
  const turned = pairs.find(({ better, other: worse }) => better === other && worse === arm)?.gain;
  const { interval } = turned ?? {};
  return (
    turned && { ...turned, value: 0 - turned.value, interval: interval && { low: -interval.high, high: -interval.low } }
  );
}

/** A sortable table a task of all its pairs; the page's script leaves those of the two methods that a reader chooses. */
export function comparisonTables(pairs: readonly ArmPair[], facts: readonly TaskFacts[]): Markup {
  const isCut = [...groupBy(pairs, ({ better }) => `${better.task}\t${better.dataset}`).values()].some(
    (ofTask) => new Set(ofTask.flatMap(({ better, other }) => [better, other])).size > MOST_IN_ALL_PAIRS,
  );
  return html`${facts.map((fact, f) => {
    const ofTask = pairs.filter(({ better }) => better.task === fact.task && better.dataset === fact.dataset);
    const [first] = ofTask;
    if (first === undefined) return undefined;
    const arms = [...new Set(ofTask.flatMap(({ better, other }) => [armLabel(better), armLabel(other)]))];
    const choice = (side: string, none: string, chosen?: string) =>
      html`<select id="pair-${f}-${side}" aria-label="${side} method on ${fact.title}"><option value="">${none}</option>${arms.map((arm) => html`<option${arm === chosen ? html` selected` : undefined}>${arm}</option>`)}</select>`;
    return html`<section class="task pairs" aria-label="Comparisons on ${fact.title}"><h3>${fact.title}: ${first.comparison.metrics[0]?.name}</h3>
<p class="choice">Compare ${choice("first", "any method", arms[0])} with ${choice("second", "any other")}</p>
${renderHtml({ title: `Paired comparisons on ${fact.title}`, ...rowsOfItems(columns, ofTask) })}
</section>`;
  })}
<ul class="notes"><li>gain: how much better the first method is than the second on the questions that both answered, with its 95 % interval over users. p: of this pair alone.</li>
${isCut ? html`<li>Above ${MOST_IN_ALL_PAIRS} methods on a task only the best and the reference are compared with each other one. <code>lamp-eval compare</code> does any two.</li>` : undefined}</ul>`;
}

const metricOf = ({ comparison }: ArmPair): MetricComparison => comparison.metrics[0]!; // compared by one metric

const columns: readonly ColumnOf<ArmPair>[] = [
  { title: "better", cell: ({ better }) => armLabel(better) },
  { title: "than", cell: ({ other }) => armLabel(other) },
  { title: "score", format: formatScore, cell: (pair) => metricOf(pair).b },
  { title: "score of the other", format: formatScore, cell: (pair) => metricOf(pair).a },
  { title: "gain", format: formatGain, interval: true, cell: ({ gain }) => gain },
  { title: "p", help: "of this pair alone, over users", format: formatP, cell: ({ gain: { p } }) => p },
  {
    title: "questions",
    help: "answered by both, with gold",
    format: formatAmount,
    cell: (pair) => pair.comparison.questions,
  },
  {
    title: "found in 80 %",
    help: "the smallest gain that these users find in 80 % of cases",
    format: formatScore,
    cell: (pair) => metricOf(pair).detectable,
  },
];
