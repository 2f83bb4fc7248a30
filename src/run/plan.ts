import { complete, readOptions } from "../options.js";
import { contentId } from "../text/content-id.js";
import type { Cell, Dataset, Method, Options, OptionTable, OptionValue, OthersPool, Task, Unit } from "../types.js";

/** A task with its data, cut to the visible past. */
export interface LoadedTask {
  readonly task: Task;
  readonly dataset: Dataset;
  readonly units: readonly Unit[];
  readonly others: OthersPool;
  /** Options given for this task, by dotted name; those that a method does not have are left out of its cells. */
  readonly given: Readonly<Record<string, OptionValue>>;
  /** The complete data options behind `units` and `others`: part of every cell. */
  readonly dataOptions: Readonly<Record<string, OptionValue>>;
  /** What a reader of the table must know about the data: events hidden, questions without gold, ... */
  readonly remarks: readonly string[];
}

/** A cell with the things its names stand for. */
export interface Arm {
  readonly cell: Cell;
  readonly loaded: LoadedTask;
  readonly method: Method;
  readonly options: Options<OptionTable>;
}

export interface PlanSettings {
  readonly tasks: readonly LoadedTask[];
  readonly methods: readonly Method[];
  readonly model: string;
  /** Settings of the whole run that can change a reply (temperature, embedder): part of every cell. */
  readonly runOptions: Readonly<Record<string, OptionValue>>;
  readonly seed: number;
  readonly repeats: number;
}

/** One arm per task, method and repeat, in that order. */
export function planArms(settings: PlanSettings): Arm[] {
  const arms: Arm[] = [];
  for (const loaded of settings.tasks)
    for (const method of settings.methods) {
      const own = complete(method.options, loaded.given);
      for (let repeat = 0; repeat < settings.repeats; repeat++) {
        const content = {
          task: loaded.task.name,
          dataset: loaded.dataset.name,
          method: method.name,
          model: settings.model,
          options: sorted({ ...settings.runOptions, ...loaded.dataOptions, ...own }),
          seed: settings.seed,
          repeat,
        };
        const cell: Cell = { id: contentId(content).slice(0, 12), ...content };
        arms.push({ cell, loaded, method, options: readOptions(method.options, own) });
      }
    }
  return arms;
}

const sorted = (options: Record<string, OptionValue>): Record<string, OptionValue> =>
  Object.fromEntries(Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1)));
