import type { Metric } from "../types.js";
import { FLAT, macro } from "./macro.js";

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
