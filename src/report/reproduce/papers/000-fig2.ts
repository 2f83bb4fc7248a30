import type { PaperTable } from "../paper-tables.js";
import { distinctPersonas } from "../personas.js";
import { paper000 } from "./paper-000.js";

export const personaMap: PaperTable = {
  name: "000/Fig2",
  title: "t-SNE map of the learned personas, with the initial template, on LaMP-2M",
  source: `${paper000.name}, Figure 2 and section 3.4 (line 264)`,
  model: paper000.model,
  columns: [],
  rows: [],
  task: "lamp2m",
  samples: paper000.samples,
  settings: paper000.settings,
  preset: paper000.preset,
  claims: [distinctPersonas("section 3.4")],
  caveats: [],
  notes: [
    "the paper names no encoder and no t-SNE settings: distances on the map are not comparable, only its separation",
  ],
  views: [
    { command: "report RUN --html", method: "persona-agent" },
    { command: "persona RUN --user USER --method persona-agent --diff", method: "persona-agent" },
  ],
  make: "run --preset paper-000 --task lamp2m --method persona-agent",
};
