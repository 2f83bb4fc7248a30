import type { Metric } from "../types.js";
import { FLAT, macro } from "./macro.js";

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
