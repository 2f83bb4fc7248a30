import { rougeTokens } from "../text/tokens.js";
import type { Metric } from "../types/index.js";
import { lcsOverlap, ngramOverlap, type Overlap } from "./rouge-score.js";

/** Mean ROUGE-1 F-measure. */
export const rouge1 = rouge("rouge-1", "ROUGE-1", (target, prediction) => ngramOverlap(target, prediction, 1));

/** Mean ROUGE-2 F-measure. Not part of the benchmark's score. */
export const rouge2 = rouge("rouge-2", "ROUGE-2", (target, prediction) => ngramOverlap(target, prediction, 2));

/** Mean ROUGE-L F-measure (flat token lists). */
export const rougeL = rouge("rouge-l", "ROUGE-L", lcsOverlap);

/**
 * The exact mean, where the official script prints the median of 1000 unseeded bootstrap means
 * (`officialRouge`): the mean is what that number jitters around.
 */
function rouge(
  name: string,
  title: string,
  compare: (target: readonly string[], prediction: readonly string[]) => Overlap,
): Metric {
  return {
    name,
    title,
    better: "higher",
    source: "Google rouge_score 0.1.2 without stemming, as LaMP eval/evaluation.py @38c9d4d",
    width: 1,
    most: 1,
    add({ prediction, gold }, sums, offset = 0) {
      sums[offset]! += compare(rougeTokens(gold), rougeTokens(prediction)).f;
    },
    value: (sums, count) => sums[0]! / count,
  };
}
