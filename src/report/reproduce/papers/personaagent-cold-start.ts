import type { PaperTable } from "../paper-tables.js";
import { personaagent } from "./personaagent.js";

export const coldStart: PaperTable = {
  name: "personaagent/cold-start",
  title: "PersonaAgent with the 10 latest interactions of each user",
  source: "public notes on the ACL 2026 version of PersonaAgent (a secondary source)",
  columns: [
    { task: "lamp1", metric: "accuracy" },
    { task: "lamp3", metric: "mae" },
  ],
  rows: [
    {
      method: "PersonaAgent",
      arm: { method: "persona-agent", options: { "history.limit": "latest:10" } },
      printed: ["0.845", "0.301"],
      otherSet: ["lamp1", "lamp3"],
    },
  ],
  samples: { lamp1: personaagent.samples.lamp1, lamp3: personaagent.samples.lamp3 },
  settings: personaagent.settings,
  preset: personaagent.preset,
  claims: [],
  caveats: [
    "neither value is one that the test sets of personaagent/T2 can print: other questions, or another rounding",
  ],
  notes: ["the notes name neither model nor test set, nor which 10 interactions: ours are the latest"],
  views: [],
  make: "run --preset personaagent --task lamp1,lamp3 --method persona-agent --history-limit latest:10",
};
