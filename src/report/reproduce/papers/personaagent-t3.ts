import { bestMethod } from "../claims.js";
import type { PaperTable } from "../paper-tables.js";
import { decisionColumns, personaagent } from "./personaagent.js";
import { row } from "./row.js";

export const ablation: PaperTable = {
  name: "personaagent/T3",
  title: "PersonaAgent without each of its parts",
  source: `${personaagent.name}, Table 3`,
  model: personaagent.model,
  columns: decisionColumns,
  rows: [
    row("PersonaAgent", "persona-agent", "0.919 0.918 0.513 0.424 0.796 0.532 0.241 0.509"),
    row("w/o alignment", "persona-agent-wo-alignment", "0.894 0.893 0.487 0.403 0.775 0.502 0.259 0.560"),
    row("w/o persona", "persona-agent-wo-persona", "0.846 0.855 0.463 0.361 0.769 0.483 0.277 0.542"),
    row("w/o Memory", "persona-agent-wo-memory", "0.821 0.841 0.460 0.365 0.646 0.388 0.348 0.661"),
    row("w/o Action", "persona-agent-wo-action", "0.764 0.789 0.403 0.329 0.626 0.375 0.375 0.756"),
  ],
  samples: personaagent.samples,
  alsoFits: personaagent.alsoFits,
  support: personaagent.support,
  settings: personaagent.settings,
  preset: personaagent.preset,
  claims: [
    bestMethod({
      text: "every part of PersonaAgent helps on every task",
      source: "section 3.3",
      method: "persona-agent",
      rivals: [
        "persona-agent-wo-alignment",
        "persona-agent-wo-persona",
        "persona-agent-wo-memory",
        "persona-agent-wo-action",
      ],
      columns: decisionColumns,
      each: true,
    }),
  ],
  caveats: [],
  notes: [
    ...personaagent.notes,
    "the paper does not say whether parts are removed one at a time (ablation.mode=individual, the default) or one after the other",
  ],
  views: [],
  make: "sweep ablation --config configs/personaagent-t3.yaml",
};
