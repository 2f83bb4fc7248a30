import type { Catalogue } from "../../catalogue.js";
import { dataOptions, QUESTION_IDS } from "../../data/options.js";
import { ofCell, readOptions } from "../../options.js";
import { KNOB } from "../../run/plan/controls.js";
import type { Cell, OptionTable } from "../../types.js";

/** All settings that a cell ran with: of an option that it lacks, though data or method have it, what held before there was one. */
export function heldSettings({ method: name, task: taskName, options }: Cell, catalogue: Catalogue): Cell["options"] {
  const own = { [KNOB]: "right", ...options };
  const [method, task] = [catalogue.methods.find(name), catalogue.tasks.find(taskName)];
  if (method === undefined || task === undefined) return own;
  const table: OptionTable = { ...dataOptions, ...method.options };
  const whole = ofCell(table, options);
  const asked = readOptions(method.options, ofCell(method.options, options));
  const readsPool = (method.usesOthers?.(asked) ?? false) !== false;
  const before = Object.entries(table).flatMap(([option, { before }]) =>
    before === undefined ||
    option === LIMIT_ORDER ||
    (option === QUESTION_IDS && !readsPool) ||
    before.matters?.(task, whole) === false
      ? []
      : [[option, before.value] as const],
  );
  return { ...own, ...Object.fromEntries(before.filter(([option]) => !(option in own))) };
}

/** Without a limit, which a cell does not tell, it says nothing. */
const LIMIT_ORDER = "data.limitOrder";
