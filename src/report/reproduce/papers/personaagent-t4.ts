import { bestMethod } from "../claims.js";
import type { PaperTable } from "../paper-tables.js";
import { personaagent } from "./personaagent.js";
import { row } from "./row.js";

const columns = [
  { task: "lamp4", metric: "rouge-1" },
  { task: "lamp4", metric: "rouge-l" },
  { task: "lamp5", metric: "rouge-1" },
  { task: "lamp5", metric: "rouge-l" },
];

export const generation: PaperTable = {
  name: "personaagent/T4",
  title: "methods on two text generation tasks",
  source: `${personaagent.name}, Table 4, appendix G`,
  model: personaagent.model,
  columns,
  rows: [
    row("Prompt", "prompt", "0.129 0.118 0.455 0.384"),
    row("ICL", "icl", "0.140 0.127 0.444 0.380"),
    row("RAG", "rag", "0.161 0.145 0.475 0.424"),
    row("PAG", "pag", "0.160 0.143 0.472 0.413"),
    row("ReAct", "react", "0.167 0.150 0.468 0.407"),
    row("MemBank", "membank", "0.160 0.142 0.463 0.399"),
    row("PersonaAgent", "persona-agent", "0.178 0.166 0.503 0.434"),
  ],
  samples: {},
  settings: personaagent.settings,
  preset: personaagent.preset,
  claims: [
    bestMethod({
      text: "PersonaAgent is best on both tasks",
      source: "appendix G",
      method: "persona-agent",
      rivals: ["prompt", "icl", "rag", "pag", "react", "membank"],
      columns,
    }),
  ],
  caveats: [],
  notes: [
    ...personaagent.notes.slice(0, 2),
    "the paper does not say which ROUGE; ours is Google's without stemming, as the benchmark's, exact mean instead of its bootstrap median",
  ],
  views: [],
  make: "run --config configs/personaagent-t4.yaml",
};
