import { dataOptions } from "../../data/options.js";
import { judgeOptions } from "../../judges/options.js";
import { modelKnob, modelRoles, serverKnob } from "../../registry/further-models.js";
import type { OptionTable } from "../../types/index.js";
import { controlOptions } from "./controls.js";
import { modelOptions, runOptions, serverOptions } from "./options.js";
import type { Arm, Plan } from "./types.js";

/**
 * Returns a line for the options that the person wrote and that do nothing: no method of the run has them, a method's other settings
 * leave them without use, or no method asks the further model that they name. Options of presets are passed over.
 */
export function unusedOptions({ written, sweep, set }: Plan, arms: readonly Arm[]): string[] {
  const methods = [...new Map(arms.map(({ method }) => [method.name, method])).values()];
  const tables: readonly OptionTable[] = [
    ...[dataOptions, runOptions, modelOptions, serverOptions, judgeOptions, controlOptions],
    ...methods.map(({ options }) => options),
  ];
  const further: readonly string[] = modelRoles.flatMap((role) => [modelKnob(role), serverKnob(role)]);
  const isInCell = (name: string, of = arms): boolean => of.some(({ cell }) => name in cell.options);
  const nowhere = written.filter(
    (name) => !tables.some((table) => name in table) || (further.includes(name) && set[name] !== "" && !isInCell(name)),
  );
  const varied = [...new Set([...written, ...Object.keys(sweep?.axes ?? {})])];
  const idle = methods.flatMap(({ name: method, options }) => {
    const mine = arms.filter((arm) => arm.method.name === method);
    const names = varied.filter((name) => name in options && !isInCell(name, mine));
    return names.length === 0 ? [] : [`no effect on ${method} as it is set: ${names.join(", ")}`];
  });
  return [...(nowhere.length === 0 ? [] : [`no effect on the chosen methods: ${nowhere.join(", ")}`]), ...idle];
}
