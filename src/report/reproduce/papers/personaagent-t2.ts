import { bestMethod } from "../claims.js";
import type { PaperTable } from "../paper-tables.js";
import { decisionColumns, personaagent } from "./personaagent.js";
import { row } from "./row.js";

export const mainResults: PaperTable = {
  name: "personaagent/T2",
  title: "methods on four decision tasks",
  source: `${personaagent.name}, Table 2`,
  model: personaagent.model,
  columns: decisionColumns,
  rows: [
    row("Prompt", "prompt", "0.772 0.771 0.387 0.302 0.660 0.386 0.295 0.590"),
    row("ICL", "icl", "0.780 0.766 0.283 0.217 0.388 0.145 0.277 0.543"),
    row("RAG", "rag", "0.715 0.714 0.427 0.386 0.742 0.484 0.313 0.713"),
    row("PAG", "pag", "0.837 0.837 0.430 0.387 0.768 0.509 0.339 0.835"),
    row("ReAct", "react", "0.837 0.853 0.450 0.378 0.639 0.381 0.313 0.590"),
    row("MemBank", "membank", "0.862 0.861 0.470 0.391 0.741 0.456 0.321 0.582"),
    row("PersonaAgent", "persona-agent", "0.919 0.918 0.513 0.424 0.796 0.532 0.241 0.509"),
  ],
  samples: personaagent.samples,
  alsoFits: personaagent.alsoFits,
  support: personaagent.support,
  settings: personaagent.settings,
  preset: personaagent.preset,
  claims: [
    bestMethod({
      text: "PersonaAgent is best on all four tasks",
      source: "section 3.2",
      method: "persona-agent",
      rivals: ["prompt", "icl", "rag", "pag", "react", "membank"],
      columns: decisionColumns,
    }),
  ],
  caveats: [
    "what alignment alone gains stands in personaagent/T3: on LaMP-1 3 hits of 123, the smallest size that fits, which no pairing makes significant (of 246, which fits too, 6, and p goes down to .031)",
  ],
  notes: personaagent.notes,
  views: [],
  make: "run --config configs/personaagent-t2.yaml",
};
