import type { Metric } from "../types.js";
import { FLAT, macro } from "./macro.js";

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
