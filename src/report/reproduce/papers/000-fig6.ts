import { incidentsInMost } from "../claims.js";
import type { PaperTable } from "../paper-tables.js";
import { paper000 } from "./paper-000.js";

export const agentCase: PaperTable = {
  name: "000/Fig6",
  title: "one execution of PersonaAgent step by step, on LaMP-2M",
  source: `${paper000.name}, Figure 6 (line 1087)`,
  model: paper000.model,
  columns: [],
  rows: [],
  task: "lamp2m",
  samples: paper000.samples,
  settings: paper000.settings,
  preset: paper000.preset,
  claims: [
    incidentsInMost({
      text: "the agent asks both Wikipedia and its memory of the user before it answers",
      source: "Figure 6, one case",
      method: "persona-agent",
      incidents: ["runs-with-two-tools", "tool=wikipedia", "tool=episodic_memory"],
      says: "questions answered with both tools",
    }),
  ],
  caveats: ["the figure has Wikipedia before memory; in which order tools are asked is not checked"],
  notes: ["one case, chosen by the authors: nothing follows from it for other questions"],
  views: [
    { command: "show RUN --method persona-agent --question QUESTION", method: "persona-agent" },
    { command: "persona RUN --user USER --method persona-agent", method: "persona-agent" },
  ],
  make: "run --preset paper-000 --task lamp2m --method persona-agent",
};
