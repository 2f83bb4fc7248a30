import type { PaperTable } from "../paper-tables.js";
import { distinctPersonas } from "../personas.js";
import { personaagent } from "./personaagent.js";

export const personaMap: PaperTable = {
  name: "personaagent/Fig2",
  title: "t-SNE map of the learned personas, with the initial template, on LaMP-2M",
  source: `${personaagent.name}, Figure 2 and section 3.4 (line 264)`,
  model: personaagent.model,
  columns: [],
  rows: [],
  task: "lamp2m",
  samples: personaagent.samples,
  settings: personaagent.settings,
  preset: personaagent.preset,
  claims: [distinctPersonas("section 3.4")],
  caveats: [],
  notes: [
    "the paper names no encoder and no t-SNE settings: distances on the map are not comparable, only its separation",
  ],
  views: [
    { command: "report RUN --html", method: "persona-agent" },
    { command: "persona RUN --user USER --method persona-agent --diff", method: "persona-agent" },
  ],
  make: "run --preset personaagent --task lamp2m --method persona-agent",
};
