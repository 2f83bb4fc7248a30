import { bestModel, worseModel, worstModel } from "../models.js";
import type { PaperTable } from "../paper-tables.js";
import { graphRagPreset, graphRagSettings } from "./personaagent.js";

const arm = { method: "graph-rag", task: "lamp2n", source: "section Metrics Comparison" } as const;
const sonnet = {
  label: "Claude 3.5 Sonnet",
  is: /claude-3[.-]5-sonnet/i,
  example: "anthropic/claude-3-5-sonnet-20241022",
};

export const graphRagBackbones: PaperTable = {
  name: "personaagent-graphrag/Fig2",
  title: "base models on LaMP-2N: Mistral Small, LLaMA2-7B, LLaMA3-8B, Claude 3.5 Sonnet, Claude 4",
  source: "PersonaAgent with GraphRAG, Figure 2 and section Metrics Comparison",
  model: "Mistral Small, LLaMA2-7B, LLaMA3-8B, Claude 3.5 Sonnet, Claude 4",
  columns: [],
  rows: [],
  task: "lamp2n",
  samples: {},
  settings: graphRagSettings,
  preset: graphRagPreset,
  claims: [
    worstModel({
      ...arm,
      text: "Mistral Small is worst by all metrics",
      model: { label: "Mistral Small", is: /mistral-small/i, example: "bedrock/mistral.mistral-small-2402-v1:0" },
      metrics: ["accuracy", "f1", "precision", "recall"],
    }),
    bestModel({ ...arm, text: "Claude 3.5 Sonnet has the highest F1", model: sonnet, metric: "f1" }),
    bestModel({ ...arm, text: "Claude 3.5 Sonnet has the highest recall", model: sonnet, metric: "recall" }),
    worseModel({
      ...arm,
      text: "Claude 4 is below Claude 3.5 Sonnet by all metrics",
      better: sonnet,
      model: {
        label: "Claude 4",
        is: /claude-(?:(?:opus|sonnet)-)?4(?!\d|-\d(?!\d))/i,
        example: "anthropic/claude-sonnet-4-20250514",
      },
      metrics: ["accuracy", "f1", "precision", "recall"],
    }),
  ],
  caveats: [],
  notes: ["no model of the figure but its names is stated: no versions, no settings"],
  views: [{ command: "report RUN --html", method: "graph-rag" }],
  make: "sweep backbones --config configs/personaagent-graphrag-fig2.yaml",
};
