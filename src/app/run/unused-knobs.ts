import { dataOptions } from "../../data/options.js";
import { runOptions } from "../../run/options.js";
import type { Method, OptionTable } from "../../types.js";
import type { RunSettings } from "./settings.js";

/** A knob that somebody wrote for methods that are not in the run has no effect: said. Presets set many at once: not said. */
export function unusedKnobs({ written }: RunSettings, chosen: readonly Method[]): string[] {
  const tables: readonly OptionTable[] = [dataOptions, runOptions, ...chosen.map(({ options }) => options)];
  const unused = written.filter((name) => !tables.some((table) => name in table));
  return unused.length === 0 ? [] : [`no effect on the chosen methods: ${unused.join(", ")}`];
}
