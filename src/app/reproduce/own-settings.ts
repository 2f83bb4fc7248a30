import type { Catalogue } from "../../catalogue.js";
import type { OwnArm } from "../../report/reproduce/paper-tables.js";
import { withControl } from "../../run/plan/controls.js";
import type { Cell } from "../../types.js";
import { allOptions } from "../common/all-options.js";
import { runDefaults } from "../run/config/settings.js";

/** What an arm of so many repeats ran with, beside the program's defaults. Of imported predictions the seed made nothing. */
export function ownSettings(cell: Cell, repeats: number, catalogue: Catalogue): OwnArm["settings"] {
  const table = allOptions(catalogue);
  const held = Object.entries(withControl(cell)).map(([name, value]) => {
    const option = table[name];
    if (option !== undefined) return [name, { value, usual: option.canonical(name, option.default) }] as const;
    return [name, name === ONLINE ? { value, usual: runDefaults.online } : { value }] as const;
  });
  return {
    ...Object.fromEntries(held),
    repeats: { value: repeats, usual: runDefaults.repeats },
    ...(IMPORTED in cell.options ? {} : { seed: { value: cell.seed, usual: runDefaults.seed } }),
  };
}

/** A flag of the command line, which a cell holds where it is given. */
const ONLINE = "online";

/** The id of imported predictions, which a cell of a run has not. */
const IMPORTED = "import.files";
