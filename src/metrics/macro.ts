import type { Metric } from "../types/index.js";
import { labelIndex } from "./official-labels.js";

/** Counts of a label: hits, predictions, golds. */
const COUNTS = 3;

/**
 * A mean over the fixed label list of a score per label: labels without a hit score 0 and still divide. An answer that is no label is
 * never a class of its own but costs its gold label recall. Source: scikit-learn, `average="macro"`, `zero_division=0`.
 */
function macro(
  labels: readonly string[],
  facts: Pick<Metric, "name" | "title" | "source">,
  ofLabel: (hits: number, predicted: number, gold: number) => number,
): Metric {
  return {
    ...facts,
    better: "higher",
    sumCount: labels.length * COUNTS,
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
        if (sums[at] !== 0) total += ofLabel(sums[at]!, sums[at + 1]!, sums[at + 2]!);
      return total / labels.length;
    },
  };
}

/** Macro-F1 over the fixed label list, as the official scorer. */
export const macroF1 = (labels: readonly string[]): Metric =>
  macro(
    labels,
    { name: "f1", title: "Macro-F1", source: "LaMP eval/evaluation.py @38c9d4d" },
    (hits, predicted, gold) => (2 * hits) / (predicted + gold),
  );

export const macroPrecision = (labels: readonly string[]): Metric =>
  macro(
    labels,
    { name: "precision", title: "Macro precision", source: "PersonaAgent with GraphRAG, scikit-learn precision_score" },
    (hits, predicted) => hits / predicted,
  );

export const macroRecall = (labels: readonly string[]): Metric =>
  macro(
    labels,
    { name: "recall", title: "Macro recall", source: "PersonaAgent with GraphRAG, scikit-learn recall_score" },
    (hits, _predicted, gold) => hits / gold,
  );
