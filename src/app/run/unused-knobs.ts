import { dataOptions } from "../../data/options.js";
import { judgeOptions } from "../../judges/options.js";
import { controlOptions } from "../../run/controls.js";
import { modelOptions } from "../../run/model-options.js";
import { runOptions } from "../../run/options.js";
import type { Method, OptionTable } from "../../types.js";
import type { RunSettings } from "./settings.js";

/**
 * One line that names the knobs that the person wrote and no method of the run has: they do nothing. Empty where there are
 * none. Knobs of presets are passed over, as presets set many at once.
 */
export function unusedKnobs({ written }: RunSettings, chosen: readonly Method[]): string[] {
  const tables: readonly OptionTable[] = [
    dataOptions,
    runOptions,
    modelOptions,
    judgeOptions,
    controlOptions,
    ...chosen.map(({ options }) => options),
  ];
  const unused = written.filter((name) => !tables.some((table) => name in table));
  return unused.length === 0 ? [] : [`no effect on the chosen methods: ${unused.join(", ")}`];
}
