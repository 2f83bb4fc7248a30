import type { Catalogue } from "../../catalogue.js";
import type { OwnArm } from "../../report/reproduce/paper-tables.js";
import type { Cell } from "../../types.js";
import { allOptions } from "../common/all-options.js";
import { heldSettings } from "../common/held-settings.js";

/** What an arm ran with, beside the program's defaults. */
export function ownSettings(cell: Cell, catalogue: Catalogue): OwnArm["settings"] {
  const table = allOptions(catalogue);
  return Object.fromEntries(
    Object.entries(heldSettings(cell, catalogue)).map(([name, value]) => {
      const option = table[name];
      if (option !== undefined) return [name, { value, usual: option.canonical(name, option.default) }];
      return [name, name === ONLINE ? { value, usual: false } : { value }];
    }),
  );
}

// --- internal ---

/** A flag of the command line, which a cell holds where it is given. */
const ONLINE = "online";
