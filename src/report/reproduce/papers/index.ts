import { UsageError } from "../../../errors.js";
import { type Registry, registry } from "../../../registry.js";
import type { PaperTable } from "../paper-tables.js";
import * as all from "./all.js";
import { withoutMethod } from "./without-method.js";

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
