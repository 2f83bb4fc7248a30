import { UsageError } from "../../../errors.js";
import { type Registry, registry } from "../../../registry.js";
import type { PaperTable } from "../paper-tables.js";
import * as all from "./all.js";

/** Known ids that no run of this tool can stand beside, each with the reason. A trailing `*` stands for all ids that begin so. */
const withoutMethod: readonly { readonly name: string; readonly why: string }[] = [
  { name: "personaagent/T1", why: "it ticks properties of approaches, and holds no measured value" },
  { name: "personaagent/Fig1", why: "it draws designs of agents, and holds no measured value" },
  { name: "personaagent/settings", why: "it lists settings: --preset personaagent applies them" },
  {
    name: "personaagent-graphrag/T1c",
    why: "it is personaagent-graphrag/T1 with its row labels corrected: reproduce personaagent-graphrag/T1 has them so",
  },
  { name: "personaagent-graphrag/Fig1", why: "it draws the architecture, and holds no measured value" },
  { name: "personaagent-graphrag/data", why: "it counts the training users: others.users sets how many are taken" },
  { name: "rums/*", why: "no run stands beside it number by number: reproduce rums says what is made of it, and how" },
  { name: "sage*", why: "the excerpt has no table of results: reproduce sage lists what there is" },
  { name: "assistant/T1", why: "it counts dialogues and turns: every table prints users and n" },
  { name: "assistant/T4", why: "it shows one turn: show RUN --question ID prints one of yours" },
  {
    name: "assistant/notebook",
    why: "it is what the release's notebook printed, not the paper: assistant/T3 is its cell of averages",
  },
  { name: "assistant/Fig1", why: "it draws the architecture, and holds no measured value" },
];

/** The published tables and figures that runs of this tool can stand beside. */
export const paperTables: Registry<PaperTable> = registry(
  "published table",
  Object.values(all).sort((one, other) => (one.name < other.name ? -1 : 1)),
);

/** The table of that id. Throws UsageError, with the reason where the id is known and no method here can produce it. */
export function paperTable(name: string, where: string): PaperTable {
  const known = withoutMethod.find((other) => covers(other.name, name));
  if (known !== undefined)
    throw new UsageError(`${where} ${name}: ${known.why}; tables: ${paperTables.names.join(", ")}`);
  return paperTables.get(name, where);
}

function covers(pattern: string, name: string): boolean {
  const [known, asked] = [pattern.toLowerCase(), name.toLowerCase()];
  return known.endsWith("*") ? asked.startsWith(known.slice(0, -1)) : asked === known;
}
