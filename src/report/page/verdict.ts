import { armLabel } from "../../results/arms.js";
import { type Comparison, gainOf } from "../../results/compare.js";
import type { ArmPair } from "../../results/gains.js";
import type { Summary } from "../../results/summary.js";
import { countOf } from "../../text/count.js";
import { gainSentence } from "../compare.js";
import { html, type Markup } from "../html.js";
import { formatAmount, formatScore } from "../tables/format.js";
import type { TaskFacts } from "../tables/results.js";

/** An arm and one with a worse score, compared by the first metric. */
export type ComparedPair = ArmPair & { readonly comparison: Comparison };

/** Says which method is best, by how much, and what answers without a model score. `arms`: the best first. */
export function bestMethodSentence(
  arms: readonly Summary[],
  { baseline }: TaskFacts,
  pairs: readonly ComparedPair[],
): Markup {
  const [best, next] = arms.filter(({ planned, metrics }) => planned === undefined && metrics[0]?.strict !== undefined);
  const metric = best?.metrics[0];
  if (best === undefined || metric === undefined) {
    const asked = arms.reduce((sum, { counts }) => sum + counts.questions, 0);
    const all = arms.reduce((sum, { counts, planned }) => sum + (planned ?? counts.questions), 0);
    const soFar = `${formatAmount(asked)} of ${countOf(all, "answer")} so far`;
    return html`<strong>${soFar}</strong>; no method has all of its own yet`;
  }
  const least = baseline?.values[metric.name];
  const named = `${baseline?.name} ${formatScore(least)}`;
  const score = `${armLabel(best)} ${formatScore(metric.strict)}`;
  if (least !== undefined && gainOf(metric, least, metric.strict ?? 0) <= 0)
    return html`<strong>No method is better than the ${named}</strong>; ${metric.name} of the best: ${score}`;
  const tail = least === undefined ? "" : `; ${named}`;
  const pair = pairs.find(({ arm, reference }) => arm === best && reference === next);
  if (next === undefined || pair === undefined) {
    const unasked = next && `no question that ${armLabel(next)} answered too`;
    return html`<strong>${metric.name}: ${score}</strong>; ${unasked ?? "no other method to compare it with"}${tail}`;
  }
  const { b, gain, interval } = pair.comparison.metrics[0]!; // compared by one
  const says = gainSentence({ name: armLabel(best), score: b, over: armLabel(next), gain, interval });
  return html`<strong>${metric.name}: ${says}</strong>${tail}`;
}
