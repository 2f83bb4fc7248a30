import { dataOptions } from "../../data/options.js";
import { execOptions } from "../../extend/exec/options.js";
import { judgeOptions } from "../../judges/options.js";
import { controlOptions } from "../../run/plan/controls.js";
import { modelOptions } from "../../run/plan/model-options.js";
import { runOptions } from "../../run/plan/options.js";
import { serverOptions } from "../../run/plan/server-options.js";
import type { OptionTable } from "../../types/index.js";
import { builtIn, type Catalogue } from "../catalogue.js";

/** Every knob of every method, of the data and of the run, by dotted name. */
export function allOptions({ methods }: Catalogue = builtIn): OptionTable {
  return Object.assign(
    {},
    dataOptions,
    runOptions,
    modelOptions,
    serverOptions,
    judgeOptions,
    controlOptions,
    execOptions,
    ...methods.all.map(({ options }) => options),
  ) as OptionTable;
}
