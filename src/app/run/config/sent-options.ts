import { UsageError } from "../../../errors.js";
import { givenJudgeOptions } from "../../../judges/options.js";
import { type UnsupportedPolicy, unsupportedParameters } from "../../../models/wrap/adapted.js";
import { complete, readOptions } from "../../../registry/options.js";
import { givenControl } from "../../../run/plan/controls.js";
import { givenModelOptions } from "../../../run/plan/model-options.js";
import { runOptions } from "../../../run/plan/options.js";
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
  const name = "openai.api";
  const other = variants.find((given) => given[name] !== set[name]);
  if (other !== undefined)
    throw new UsageError(
      `${name}=${other[name]}: it holds for a whole run; set it with --set, in no sweep and for no single task`,
    );
}

/** Finds the temperature that each model is sent, and remembers where it had to be left out. */
function temperatures(models: readonly Model[], { unsupported }: RunSettings, answering: number) {
  const left = new Set<string>();
  return {
    sent(given: Given, name: string): number | undefined {
      const model = models.find(({ id }) => id === name)!; // arms are planned over these models
      const wanted = readOptions(runOptions, complete(runOptions, given)).temperature;
      const { temperature, notApplied } = applicable(wanted, model, unsupported);
      for (const parameter of notApplied) left.add(answering === 1 ? parameter : `${parameter} of ${name}`);
      return temperature;
    },
    notApplied: (): string[] => [...left],
  };
}

/** The temperature that is really sent, and what had to be left out, as `--unsupported` says. */
function applicable(
  temperature: number | undefined,
  model: Model,
  policy: UnsupportedPolicy,
): { temperature: number | undefined; notApplied: string[] } {
  const refused = temperature === undefined ? [] : unsupportedParameters(model.capabilities, { temperature });
  if (refused.length === 0) return { temperature, notApplied: [] };
  if (policy === "drop") return { temperature: undefined, notApplied: refused };
  throw new UsageError(
    `${model.id} takes no temperature (temperature=${temperature}): use --unsupported drop or --set temperature=none, and --repeats to measure the spread`,
  );
}
