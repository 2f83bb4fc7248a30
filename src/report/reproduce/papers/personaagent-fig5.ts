import type { PaperTable } from "../paper-tables.js";
import { mostlyUnlike } from "../personas.js";
import { personaagent } from "./personaagent.js";

export const personaSimilarity: PaperTable = {
  name: "personaagent/Fig5",
  title: "Jaccard similarity of the learned personas of 100 users on LaMP-2M",
  source: `${personaagent.name}, Figure 5, appendix I (line 1082)`,
  model: personaagent.model,
  columns: [],
  rows: [],
  task: "lamp2m",
  samples: personaagent.samples,
  settings: personaagent.settings,
  preset: personaagent.preset,
  claims: [mostlyUnlike("appendix I")],
  caveats: [],
  notes: ["the paper does not say how it cuts words: ours are lower-cased runs of letters, digits and apostrophes"],
  views: [
    { command: "report RUN --html", method: "persona-agent" },
    { command: "persona RUN --user USER --method persona-agent", method: "persona-agent" },
  ],
  make: "run --preset personaagent --task lamp2m --method persona-agent",
};
