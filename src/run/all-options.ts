import { dataOptions } from "../data/options.js";
import { judgeOptions } from "../judges/options.js";
import type { OptionTable } from "../types/index.js";
import { builtIn, type Catalogue } from "./catalogue.js";
import { controlOptions } from "./plan/controls.js";
import { execOptions } from "./plan/exec-options.js";
import { modelOptions } from "./plan/model-options.js";
import { runOptions } from "./plan/options.js";
import { serverOptions } from "./plan/server-options.js";

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
