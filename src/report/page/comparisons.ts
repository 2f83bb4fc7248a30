import { isSignificant } from "../../statistics/holm.js";
import type { Interval } from "../../statistics/interval.js";
import { isMean } from "../../statistics/mean-metric.js";
import { countOf } from "../../text/count.js";
import { armLabel } from "../arms.js";
import { compareArms, type MetricComparison, type TestedArms, TOO_NARROW } from "../compare/compare.js";
import { upwards } from "../compare/question-test.js";
import { type ArmMaterial, comparedPairs, corrected, gainEstimate, ranked, rowsByArm } from "../gains.js";
import { groupBy } from "../grouped.js";
import type { Summary } from "../summary.js";
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
  readonly comparison: TestedArms;
}

/** A difference counted upwards: positive is better, also where lower scores are. */
export interface Gain {
  readonly value: number;
  /** 95 % over users; undefined below 10 users. */
  readonly interval: Interval | undefined;
  /** Over users, after Holm; undefined below 10 users. */
  readonly p: number | undefined;
}

/** Up to so many arms of a task every pair is compared; beyond, the best and the reference with each other arm. */
const MOST_IN_ALL_PAIRS = 12;

interface PairsMaterial extends ArmMaterial {
  /** The method that gains are counted over. */
  readonly over: string;
}

/** The pairs of each task's arms, the best arms first, all under one Holm correction. */
export function comparePairs({ summaries, over, ...material }: PairsMaterial): ArmPair[] {
  const { cells, task, rows } = material;
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
  const tested = comparedPairs(
    pairs.map((pair) => ({ ...pair, arm: pair.better, reference: pair.other })),
    material,
  ).map(({ better, other, areBest, comparison }) => {
    const metrics = task(better.task).metrics.slice(0, 1);
    const request = { a: rowsOf(other), b: rowsOf(better), metrics, seed: cells[0]?.seed ?? 0 };
    const differing = areBest && metrics.every(isMean) ? compareArms(request).flipped.length : undefined;
    return { better, other, comparison, differing };
  });
  return withGains(tested);
}

/** Holm's correction over exactly these pairs. */
export const withGains = <T extends Pick<ArmPair, "comparison">>(pairs: readonly T[]): (T & Pick<ArmPair, "gain">)[] =>
  corrected(pairs).map((pair) => {
    const { value = 0, interval } = gainEstimate(pair.comparison) ?? {};
    return { ...pair, gain: { value, interval, p: pair.comparison.metrics[0]?.holm } };
  });

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

/** `shown, p .004`; undefined below 10 users. */
export const shownText = ({ p }: Gain): string | undefined =>
  p === undefined ? undefined : `${isSignificant(p) ? "shown" : "not shown"}, p ${formatP(p)}`;

/** A sortable table a task of all its pairs; the page's script leaves those of the two methods that a reader chooses. */
export function comparisonTables(pairs: readonly ArmPair[], facts: readonly TaskFacts[]): Markup {
  const isCut = [...groupBy(pairs, ({ better }) => `${better.task}\t${better.dataset}`).values()].some(
    (ofTask) => new Set(ofTask.flatMap(({ better, other }) => [better, other])).size > MOST_IN_ALL_PAIRS,
  );
  const tested = pairs.filter(({ gain }) => gain.p !== undefined).length;
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
<ul class="notes"><li>gain: how much better the first method is than the second on the questions that both answered, counted upwards; under it the 95 % interval over users, ${TOO_NARROW}.</li>
<li>${tested === 0 ? "No comparison here has 10 users: none has a p over users." : `p Holm: over users (the larger of a swap test and Student’s), corrected over the ${countOf(tested, "comparison")} of this page. p questions takes questions as independent.`}</li>
${isCut ? html`<li>Above ${MOST_IN_ALL_PAIRS} methods on a task only the best and the reference are compared with each other one. <code>lamp-eval compare</code> does any two.</li>` : undefined}</ul>`;
}

const metricOf = ({ comparison }: ArmPair): MetricComparison => comparison.metrics[0]!; // compared by one metric

const columns: readonly ColumnOf<ArmPair>[] = [
  { title: "better", cell: ({ better }) => armLabel(better) },
  { title: "than", cell: ({ other }) => armLabel(other) },
  { title: "score", format: formatScore, cell: (pair) => metricOf(pair).b },
  { title: "score of the other", format: formatScore, cell: (pair) => metricOf(pair).a },
  { title: "gain", format: formatGain, interval: true, cell: ({ gain }) => gain },
  {
    title: "p Holm",
    help: "over users, corrected over all comparisons of the page",
    format: formatP,
    cell: ({ gain: { p } }) => ({ value: p, ...(isSignificant(p) ? { rank: 1 } : {}) }),
  },
  {
    title: "W/T/L",
    align: "right",
    help: "users for whom the first is better, equal, worse",
    cell: (pair) => {
      const { wins, ties, losses } = metricOf(pair).perUser;
      return `${wins}/${ties}/${losses}`;
    },
  },
  {
    title: "questions",
    help: "answered by both, with gold",
    format: formatAmount,
    cell: (pair) => pair.comparison.questions,
  },
  {
    title: "p questions",
    help: "exact McNemar where answers are right or wrong, Wilcoxon elsewhere",
    format: formatP,
    cell: (pair) => metricOf(pair).overQuestions?.p,
  },
  {
    title: "only one right",
    align: "right",
    help: "questions that only the first, or only the second, has right",
    cell: (pair) => {
      const found = metricOf(pair).overQuestions?.discordant;
      return found && `${found.onlyB}:${found.onlyA}`;
    },
  },
  {
    title: "effect",
    help: "Cohen's h where answers are right or wrong, rank-biserial r elsewhere",
    format: formatScore,
    cell: (pair) => upwards(metricOf(pair), metricOf(pair).overQuestions?.effect ?? Number.NaN),
  },
  {
    title: "needs users",
    help: "users like these for 80 % power at alpha .05, were difference and spread the true ones",
    format: formatAmount,
    cell: (pair) => metricOf(pair).power?.needed,
  },
  {
    title: "finds",
    help: "the smallest difference that as many users as here find",
    format: formatScore,
    cell: (pair) => metricOf(pair).power?.detectable,
  },
];
