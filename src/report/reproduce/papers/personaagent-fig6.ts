import { incidentsInMost } from "../claims.js";
import type { PaperTable } from "../paper-tables.js";
import { personaagent } from "./personaagent.js";

export const agentCase: PaperTable = {
  name: "personaagent/Fig6",
  title: "one execution of PersonaAgent step by step, on LaMP-2M",
  source: `${personaagent.name}, Figure 6 (line 1087)`,
  model: personaagent.model,
  columns: [],
  rows: [],
  task: "lamp2m",
  samples: personaagent.samples,
  settings: personaagent.settings,
  preset: personaagent.preset,
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
  make: "run --preset personaagent --task lamp2m --method persona-agent",
};
