import { bestMethod } from "../claims.js";
import { bestModel } from "../models.js";
import type { PaperTable } from "../paper-tables.js";
import { personaagent } from "./personaagent.js";

const columns = [{ task: "lamp2m", metric: "accuracy" }];

const models = {
  mistralSmall: { label: "Mistral-Small", is: /mistral-small/i, example: "bedrock/mistral.mistral-small-2402-v1:0" },
  mistralLarge: { label: "Mistral-Large", is: /mistral-large/i, example: "bedrock/mistral.mistral-large-2402-v1:0" },
  claude35: { label: "Claude-3.5", is: /claude-3[.-]5/i, example: "anthropic/claude-3-5-sonnet-20241022" },
  claude37: { label: "Claude-3.7", is: /claude-3[.-]7/i, example: "anthropic/claude-3-7-sonnet-20250219" },
};

export const backbones: PaperTable = {
  name: "personaagent/Fig4",
  title: "methods on LaMP-2M by base model: Mistral-Small, Mistral-Large, Claude-3.5, Claude-3.7",
  source: `${personaagent.name}, Figure 4 and section 3.6: the one value in its text`,
  model: "Mistral-Small, Mistral-Large, Claude-3.5, Claude-3.7",
  columns,
  rows: [
    {
      method: "PersonaAgent, Claude-3.7",
      arm: { method: "persona-agent", model: models.claude37.is },
      printed: ["55.0%"],
    },
  ],
  samples: { lamp2m: personaagent.samples.lamp2m },
  settings: personaagent.settings,
  preset: personaagent.preset,
  claims: [
    bestMethod({
      text: "PersonaAgent is best with every base model",
      source: "section 3.6",
      method: "persona-agent",
      rivals: ["prompt", "icl", "rag", "pag", "react", "membank"],
      columns,
      models: Object.values(models),
    }),
    bestModel({
      text: "PersonaAgent with Claude-3.7 is best of all settings",
      source: "section 3.6",
      method: "persona-agent",
      model: models.claude37,
      ...columns[0]!,
    }),
  ],
  caveats: ["all other values stand in the picture only: no published numbers for them"],
  notes: personaagent.notes,
  views: [{ command: "report RUN --html", method: "persona-agent" }],
  make: "sweep backbones --config configs/personaagent-fig4.yaml",
};
