import { complete, inCell, readOptions } from "../../registry/options.js";
import { contentId } from "../../text/content-id.js";
import type {
  Cell,
  Dataset,
  Method,
  Options,
  OptionTable,
  OptionValue,
  OthersPool,
  Sequence,
  Task,
  Unit,
} from "../../types/index.js";
import { askedRoles, withoutUnasked } from "./asked-roles.js";
import { controlled, givenControl, undefinedControl } from "./controls.js";

/** A task with its data, cut to the visible past. */
export interface LoadedTask {
  readonly task: Task;
  readonly dataset: Dataset;
  /** Of a large data set read when they are asked for, and then forgotten. */
  readonly units: Sequence<Unit>;
  /** In all units. */
  readonly questions: number;
  readonly others: OthersPool;
  /** Options given for this task, by dotted name; those that a method does not have are left out of its cells. */
  readonly given: Readonly<Record<string, OptionValue>>;
  /** The complete data options behind `units` and `others`: part of every cell. */
  readonly dataOptions: Readonly<Record<string, OptionValue>>;
  /** Whether each gold enters memory once its question is answered (`--online`). */
  readonly online?: boolean;
  /** What a reader of the table must know about the data: no order of time, questions without gold, ... */
  readonly remarks: readonly string[];
}

/** A cell, and the task data, method and options that its names stand for. */
export interface Arm {
  readonly cell: Cell;
  readonly loaded: LoadedTask;
  readonly method: Method;
  readonly options: Options<OptionTable>;
}

interface PlanSettings {
  readonly tasks: readonly LoadedTask[];
  readonly methods: readonly Method[];
  readonly models: readonly string[];
  /** Settings outside the methods that can change a reply (temperature, embedder), complete: part of every cell. */
  readonly runOptions: (
    given: Readonly<Record<string, OptionValue>>,
    model: string,
  ) => Readonly<Record<string, OptionValue>>;
  /** Options that vary between arms, on top of those given. Absent: none do. */
  readonly points?: readonly Point[];
  readonly seed: number;
  readonly repeats: number;
}

/** Options of one arm of a sweep; those that a method does not have leave it as it is. */
export type Point = Readonly<Record<string, OptionValue>>;

/** One arm per task, method, model, point and repeat, in that order. Points that come to the same settings are one arm. */
export function planArms(settings: PlanSettings): Arm[] {
  const arms = new Map<string, Arm>();
  for (const loaded of settings.tasks)
    for (const method of settings.methods)
      for (const model of settings.models)
        for (const point of settings.points ?? [{}])
          for (const arm of armsOf({ loaded, method, model, point }, settings)) arms.set(arm.cell.id, arm);
  return [...arms.values()];
}

interface ArmParts {
  readonly loaded: LoadedTask;
  readonly method: Method;
  readonly model: string;
  readonly point: Point;
}

/** None where the point's control of the past means nothing on the data. */
function armsOf(parts: ArmParts, settings: PlanSettings): Arm[] {
  const { "history.control": control = "right" } = givenControl({ ...parts.loaded.given, ...parts.point });
  if (undefinedControl(control, parts.loaded) !== undefined) return [];
  const method = controlled(parts.method, control, { task: parts.loaded.task, seed: settings.seed });
  return repeatsOf({ ...parts, method }, settings);
}

function repeatsOf({ loaded, method, model, point }: ArmParts, settings: PlanSettings): Arm[] {
  const given = { ...loaded.given, ...point };
  const methodOptions = complete(method.options, given);
  const options = readOptions(method.options, methodOptions);
  const all = sorted({
    ...withoutUnasked(settings.runOptions(given, model), askedRoles(method, options)),
    ...loaded.dataOptions,
    ...inCell(method.options, methodOptions, loaded.task),
  });
  return Array.from({ length: settings.repeats }, (_, repeat) => {
    const { task, dataset } = loaded;
    const { seed } = settings;
    const content = { task: task.name, dataset: dataset.name, method: method.name, model, options: all, seed, repeat };
    return { cell: { id: contentId(content).slice(0, 12), ...content }, loaded, method, options };
  });
}

const sorted = (options: Record<string, OptionValue>): Record<string, OptionValue> =>
  Object.fromEntries(Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1)));
