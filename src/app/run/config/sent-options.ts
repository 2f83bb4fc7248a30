import { UsageError } from "../../../errors.js";
import { givenJudgeOptions } from "../../../judges/options.js";
import { complete, readOptions } from "../../../registry/options.js";
import { givenControl } from "../../../run/plan/controls.js";
import { givenModelOptions } from "../../../run/plan/model-options.js";
import { runOptions } from "../../../run/plan/options.js";
import type { Arm } from "../../../run/plan/plan.js";
import type { Model, OptionValue } from "../../../types/index.js";
import type { RunSettings } from "./resolve-settings.js";

/** Options as they are given, one choice for an arm. */
export type Given = Readonly<Record<string, OptionValue>>;

/** The options of the whole run that an arm has, complete. */
export interface SentOptions {
  /** For a model by its id. Throws UsageError where the model refuses one that must be sent. */
  of(given: Given, model: string): Record<string, OptionValue>;
  /** Parameters that had to be left out so far. */
  notApplied(): string[];
}

/** `models`: with what their providers settled. `answering`: how many of them answer. */
export function sentOptions(models: readonly Model[], settings: RunSettings, answering: number): SentOptions {
  const temperature = temperatures(models, settings, answering);
  return {
    of: (given, model) => ({
      ...complete(runOptions, given),
      temperature: temperature.sent(given, model) ?? "none",
      ...givenModelOptions(given, models.find(({ id }) => id === model)?.settled),
      ...givenJudgeOptions(given),
      ...givenControl(given),
      ...(settings.online ? { online: true } : {}),
    }),
    notApplied: temperature.notApplied,
  };
}

/** Throws UsageError where the wire differs between arms: a model is opened once. */
export function refuseSweptWire(variants: readonly Given[], { set }: RunSettings): void {
  for (const name of ["openai.api", "model.omit"]) {
    const other = variants.find((given) => given[name] !== set[name]);
    if (other !== undefined)
      throw new UsageError(
        `${name}=${other[name]}: it holds for a whole run; set it with --set, in no sweep and for no single task`,
      );
  }
}

/** Finds the temperature that each model is sent, and remembers where it had to be left out. */
function temperatures(models: readonly Model[], { written, sweep }: RunSettings, answering: number) {
  const isSet = [...written, ...Object.keys(sweep?.axes ?? {})].includes("temperature");
  const left = new Set<string>();
  return {
    sent(given: Given, name: string): number | undefined {
      const model = models.find(({ id }) => id === name)!; // arms are planned over these models
      const wanted = readOptions(runOptions, complete(runOptions, given)).temperature;
      if (wanted === undefined || model.capabilities.temperature) return wanted;
      if (isSet)
        throw new UsageError(
          `temperature=${wanted}: ${model.id} takes no temperature; leave the option out, and measure the spread with --repeats`,
        );
      left.add(answering === 1 ? "temperature" : `temperature of ${name}`);
      return undefined;
    },
    notApplied: (): string[] => [...left],
  };
}

/** Throws UsageError on a temperature of a method that the person set for a model that takes none. */
export function refuseSetTemperatures(arms: readonly Arm[], models: readonly Model[], { written }: RunSettings): void {
  const able = (id: string): boolean => models.find((model) => model.id === id)?.capabilities.temperature === true;
  for (const { cell, method } of arms)
    for (const name of written) {
      const isTemperature = name.endsWith(".temperature") && name in (method.options ?? {});
      const isOfAnother = cell.options["model.reference"] !== undefined;
      if (isTemperature && !isOfAnother && typeof cell.options[name] === "number" && !able(cell.model))
        throw new UsageError(`${name}=${cell.options[name]}: ${cell.model} takes no temperature; leave the option out`);
    }
}
