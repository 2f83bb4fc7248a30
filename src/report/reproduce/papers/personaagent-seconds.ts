import type { PaperTable } from "../paper-tables.js";
import { personaagent } from "./personaagent.js";
import { row } from "./row.js";

export const seconds: PaperTable = {
  name: "personaagent/seconds",
  title: "seconds per sample",
  source: "public notes on the ACL 2026 version of PersonaAgent (a secondary source)",
  columns: [{ task: "lamp2m", metric: "seconds" }],
  rows: [
    row("PAG", "pag", "1.24"),
    row("PersonaAgent", "persona-agent", "1.79"),
    row("ReAct", "react", "2.61"),
    row("MemBank", "membank", "2.92"),
  ],
  samples: {},
  settings: personaagent.settings,
  preset: personaagent.preset,
  claims: [],
  caveats: [],
  notes: [
    "the notes name neither task, model nor what is timed; beside them stand our seconds on LaMP-2M",
    "ours: median time of a question, preparation of the user left out, answered from the store left out; it holds the waiting of a shared connection",
  ],
  views: [],
  make: "run --preset personaagent --task lamp2m --method pag,persona-agent,react,membank",
};
