import type { Metric } from "../types.js";
import { labelIndex } from "./official-labels.js";

/** Counts of one label over all pairs. */
interface LabelCounts {
  readonly hits: number;
  readonly predicted: number;
  readonly gold: number;
}

const COUNTS = 3;

/** A label's score, and its derivatives by the three counts; all 0 for a label that neither side has. */
interface LabelScore {
  /** Asked of labels with hits: the others score 0. */
  value(counts: LabelCounts): number;
  slopes(counts: LabelCounts): LabelCounts;
}

export const FLAT: LabelCounts = { hits: 0, predicted: 0, gold: 0 };

/**
 * A mean over the fixed label list of a score per label: labels absent from both sides score 0 and still divide.
 * An answer that is no label is never a class of its own but costs its gold label recall. Source: scikit-learn, `average="macro"`.
 */
export function macro(
  labels: readonly string[],
  facts: { readonly name: string; readonly title: string; readonly source: string },
  ofLabel: LabelScore,
): Metric {
  return {
    ...facts,
    better: "higher",
    width: labels.length * COUNTS,
    labels,
    add({ prediction, gold }, sums, offset = 0) {
      const predicted = labelIndex(labels, prediction);
      const truth = labelIndex(labels, gold);
      if (predicted === truth && truth >= 0) sums[offset + truth * COUNTS]! += 1;
      if (predicted >= 0) sums[offset + predicted * COUNTS + 1]! += 1;
      if (truth >= 0) sums[offset + truth * COUNTS + 2]! += 1;
    },
    value(sums, count) {
      if (count === 0) return Number.NaN;
      let total = 0;
      for (let at = 0; at < labels.length * COUNTS; at += COUNTS) {
        if (sums[at] === 0) continue;
        total += ofLabel.value({ hits: sums[at]!, predicted: sums[at + 1]!, gold: sums[at + 2]! });
      }
      return total / labels.length;
    },
    slopes(sums) {
      const slopes = new Float64Array(sums.length);
      for (let at = 0; at < labels.length * COUNTS; at += COUNTS) {
        const found = ofLabel.slopes({ hits: sums[at]!, predicted: sums[at + 1]!, gold: sums[at + 2]! });
        slopes[at] = found.hits / labels.length;
        slopes[at + 1] = found.predicted / labels.length;
        slopes[at + 2] = found.gold / labels.length;
      }
      return slopes;
    },
  };
}
