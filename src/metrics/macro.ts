import type { Metric } from "../types/index.js";
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

const FLAT: LabelCounts = { hits: 0, predicted: 0, gold: 0 };

/**
 * A mean over the fixed label list of a score per label: labels absent from both sides score 0 and still divide.
 * An answer that is no label is never a class of its own but costs its gold label recall. Source: scikit-learn, `average="macro"`.
 */
function macro(
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

/** Macro-F1 over the fixed label list, as the official scorer. */
export function macroF1(labels: readonly string[]): Metric {
  return macro(
    labels,
    { name: "f1", title: "Macro-F1", source: "LaMP eval/evaluation.py @38c9d4d" },
    {
      value: ({ hits, predicted, gold }) => (2 * hits) / (predicted + gold),
      slopes({ hits, predicted, gold }) {
        const both = predicted + gold;
        if (both === 0) return FLAT;
        const fall = (-2 * hits) / both ** 2;
        return { hits: 2 / both, predicted: fall, gold: fall };
      },
    },
  );
}

/** Macro precision over the fixed label list; a label never predicted scores 0 (scikit-learn, `zero_division=0`). */
export function macroPrecision(labels: readonly string[]): Metric {
  return macro(
    labels,
    { name: "precision", title: "Macro precision", source: "PersonaAgent with GraphRAG, scikit-learn precision_score" },
    {
      value: ({ hits, predicted }) => hits / predicted,
      slopes: ({ hits, predicted }) =>
        predicted === 0 ? FLAT : { hits: 1 / predicted, predicted: -hits / predicted ** 2, gold: 0 },
    },
  );
}

/** Macro recall over the fixed label list; a label absent from the golds scores 0 (scikit-learn, `zero_division=0`). */
export function macroRecall(labels: readonly string[]): Metric {
  return macro(
    labels,
    { name: "recall", title: "Macro recall", source: "PersonaAgent with GraphRAG, scikit-learn recall_score" },
    {
      value: ({ hits, gold }) => hits / gold,
      slopes: ({ hits, gold }) => (gold === 0 ? FLAT : { hits: 1 / gold, predicted: 0, gold: -hits / gold ** 2 }),
    },
  );
}
