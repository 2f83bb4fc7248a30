import { dataOptions } from "../../data/options.js";
import { UsageError } from "../../errors.js";
import { EXEC } from "../../exec/command.js";
import { readModelName } from "../../models/endpoints.js";
import { furtherModels } from "../../registry/further-models.js";
import { complete, readOptions } from "../../registry/options.js";
import { suggest } from "../../registry/registry.js";
import { modelOptions } from "../../run/plan/model-options.js";
import { runOptions } from "../../run/plan/options.js";
import { sweepPoints, sweepProblems } from "../../run/plan/sweep.js";
import type { Method, OptionTable, OptionValue } from "../../types/index.js";
import { allOptions } from "../common/all-options.js";
import type { RunSettings } from "../run/config/resolve-settings.js";
import { unusedKnobs } from "../run/config/unused-knobs.js";
import { demoModel } from "../run/settings.js";

/** An arm before its data are read. */
export interface PlannedArm {
  readonly task: string;
  readonly method: string;
  readonly model: string;
  /** The options of its point that the method has. */
  readonly variant: string;
}

interface PlanOutlook {
  readonly arms: readonly PlannedArm[];
  /** All mistakes, one line each. */
  readonly problems: readonly string[];
  /** What is no mistake but worth knowing. */
  readonly remarks: readonly string[];
}

/** What the settings would run, and everything that is wrong with the names and values in them. */
export function planWithoutData(settings: RunSettings): PlanOutlook {
  const problems: string[] = [];
  const tried = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      if (!problems.includes(error.message)) problems.push(error.message);
      return undefined;
    }
  };
  const { sweep, catalogue, endpoints, set } = settings;
  const knobs = allOptions(catalogue);
  const models = settings.models.length === 0 ? [demoModel] : settings.models;
  for (const model of [...models, ...Object.values(furtherModels({ options: set }))])
    tried(() => readModelName(model, endpoints, catalogue.providers, "model"));
  const programs = (name: string): boolean => name.startsWith(EXEC); // looked for when they are run
  const chosen = settings.methods
    .filter((name) => !programs(name))
    .flatMap((name) => tried(() => catalogue.methods.get(name, "method")) ?? []);
  const named = settings.tasks.map((name) => catalogue.tasks.get(name));
  checkKnobs("set", set, knobs, tried);
  for (const { name } of named) checkKnobs(`perTask: ${name}`, ownOf(settings, name), knobs, tried);
  const points = sweep === undefined ? [{}] : sweepPoints(sweep);
  if (sweep !== undefined) {
    for (const point of points) checkKnobs("sweep", point, knobs, tried);
    problems.push(...sweepProblems(sweep, { methods: chosen, models, demo: settings.demo, common: dataOptions }));
  }
  if (problems.length > 0) return { arms: [], problems, remarks: settings.remarks };
  const arms = new Map<string, PlannedArm>();
  for (const task of named)
    for (const method of chosen)
      for (const model of models)
        for (const point of points) {
          const given = { ...settings.setFor(task.name), ...point };
          tried(() => method.check?.(readOptions(method.options, complete(method.options, given)), task));
          const variant = variantOf(method, point);
          const arm = { task: task.name, method: method.name, model, variant };
          arms.set(Object.values(arm).join("\t"), arm);
        }
  const repeated = settings.repeats > 1 ? [`${settings.repeats} repeats of each arm`] : [];
  return {
    arms: [...arms.values()],
    problems,
    remarks: [...settings.remarks, ...repeated, ...unusedKnobs(settings, chosen)],
  };
}

type Tried = <T>(work: () => T) => T | undefined;

const ownOf = ({ set, setFor }: RunSettings, task: string): Record<string, OptionValue> =>
  Object.fromEntries(Object.entries(setFor(task)).filter(([name, value]) => set[name] !== value));

function checkKnobs(
  where: string,
  given: Readonly<Record<string, OptionValue>>,
  table: OptionTable,
  tried: Tried,
): void {
  const known = Object.keys(table);
  for (const [name, value] of Object.entries(given))
    tried(() => {
      const option = table[name];
      if (option === undefined) throw new UsageError(`${where}: ${name}: no such option${suggest(name, known)}`);
      option.read(`${where}: ${name}`, value);
    });
}

function variantOf({ options }: Method, point: Readonly<Record<string, OptionValue>>): string {
  const tables: readonly OptionTable[] = [options, runOptions, modelOptions];
  return Object.entries(point)
    .filter(([name]) => tables.some((table) => name in table))
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}
