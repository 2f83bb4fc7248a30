import type { PaperTable } from "../paper-tables.js";
import { mostlyUnlike } from "../personas.js";
import { paper000 } from "./paper-000.js";

export const personaSimilarity: PaperTable = {
  name: "000/Fig5",
  title: "Jaccard similarity of the learned personas of 100 users on LaMP-2M",
  source: `${paper000.name}, Figure 5, appendix I (line 1082)`,
  model: paper000.model,
  columns: [],
  rows: [],
  task: "lamp2m",
  samples: paper000.samples,
  settings: paper000.settings,
  preset: paper000.preset,
  claims: [mostlyUnlike("appendix I")],
  caveats: [],
  notes: ["the paper does not say how it cuts words: ours are lower-cased runs of letters, digits and apostrophes"],
  views: [
    { command: "report RUN --html", method: "persona-agent" },
    { command: "persona RUN --user USER --method persona-agent", method: "persona-agent" },
  ],
  make: "run --preset paper-000 --task lamp2m --method persona-agent",
};
