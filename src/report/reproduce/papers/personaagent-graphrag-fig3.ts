import type { PaperTable } from "../paper-tables.js";
import { graphRagPreset, graphRagSettings } from "./personaagent.js";

export const graphRagCase: PaperTable = {
  name: "personaagent-graphrag/Fig3",
  title: "one case: similar items of other users set an answer right, on LaMP-2N",
  source: "PersonaAgent with GraphRAG, Figure 3 and section Case Study",
  model: "LLaMA3-8B",
  columns: [],
  rows: [],
  task: "lamp2n",
  samples: {},
  settings: graphRagSettings,
  preset: graphRagPreset,
  claims: [],
  caveats: [],
  notes: [
    "one case, chosen by the authors; lamp-eval compare with a run at --set graph-rag.kGlobal=0 asks all questions at once",
  ],
  views: [
    { command: "graph RUN --question QUESTION", method: "graph-rag" },
    { command: "show RUN --method graph-rag --question QUESTION", method: "graph-rag" },
  ],
  make: "run --preset personaagent-graphrag --task lamp2n --method graph-rag",
};
