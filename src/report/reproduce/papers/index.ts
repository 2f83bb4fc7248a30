import { UsageError } from "../../../errors.js";
import { type Registry, registry } from "../../../registry.js";
import type { PaperTable } from "../paper-tables.js";
import * as all from "./all.js";

/** Known ids that no run of this tool can stand beside, each with the reason. A trailing `*` stands for all ids that begin so. */
const withoutMethod: readonly { readonly name: string; readonly why: string }[] = [
  { name: "000/T1", why: "it ticks properties of approaches, and holds no measured value" },
  { name: "000/Fig1", why: "it draws designs of agents, and holds no measured value" },
  { name: "000/settings", why: "it lists settings: --preset paper-000 applies them" },
  { name: "001/T1c", why: "it is 001/T1 with its row labels corrected: reproduce 001/T1 has them so" },
  { name: "001/Fig1", why: "it draws the architecture, and holds no measured value" },
  { name: "001/data", why: "it counts the training users: others.users sets how many are taken" },
  { name: "002/*", why: "no run stands beside it number by number: reproduce 002 says what is made of it, and how" },
  { name: "003*", why: "the excerpt has no table of results: reproduce 003 lists what there is" },
  { name: "004/T1", why: "it counts dialogues and turns: every table prints users and n" },
  { name: "004/T4", why: "it shows one turn: show RUN --question ID prints one of yours" },
  {
    name: "004/notebook",
    why: "it is what the release's notebook printed, not the paper: 004/T3 is its cell of averages",
  },
  { name: "004/Fig1", why: "it draws the architecture, and holds no measured value" },
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
