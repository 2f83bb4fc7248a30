import type { Metric } from "../types.js";
import { labelIndex } from "./label-index.js";

/** Counts of one label over all pairs. */
interface LabelCounts {
  readonly hits: number;
  readonly predicted: number;
  readonly gold: number;
}

const COUNTS = 3;

/**
 * A mean over the fixed label list of a score per label: labels absent from both sides score 0 and still divide.
 * An answer that is no label is never a class of its own but costs its gold label recall. Source: scikit-learn, `average="macro"`.
 */
export function macro(
  labels: readonly string[],
  facts: { readonly name: string; readonly title: string; readonly source: string },
  ofLabel: (counts: LabelCounts) => number,
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
      for (let at = 0; at < labels.length * COUNTS; at += COUNTS)
        total += ofLabel({ hits: sums[at]!, predicted: sums[at + 1]!, gold: sums[at + 2]! });
      return total / labels.length;
    },
  };
}
