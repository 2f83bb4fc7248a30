import { dataOptions } from "../../../data/options.js";
import { judgeOptions } from "../../../judges/options.js";
import { modelKnob, modelRoles, serverKnob } from "../../../registry/further-models.js";
import { complete, readOptions } from "../../../registry/options.js";
import { askedRoles } from "../../../run/plan/asked-roles.js";
import { controlOptions } from "../../../run/plan/controls.js";
import { modelOptions } from "../../../run/plan/model-options.js";
import { runOptions } from "../../../run/plan/options.js";
import { serverOptions } from "../../../run/plan/server-options.js";
import { sweepPoints } from "../../../run/plan/sweep.js";
import type { Method, OptionTable, OptionValue, Task } from "../../../types/index.js";
import type { RunSettings } from "./resolve-settings.js";

/**
 * Lines that name the knobs that the person wrote and that do nothing: no method of the run has them, a method's other settings
 * leave them without use, or no method asks the further model that they name. Empty where there are none. Knobs of presets are
 * passed over, as presets set many at once.
 */
export function unusedKnobs(settings: RunSettings, chosen: readonly Method[]): string[] {
  const { written, sweep } = settings;
  const tables: readonly OptionTable[] = [
    dataOptions,
    runOptions,
    modelOptions,
    serverOptions,
    judgeOptions,
    controlOptions,
    ...chosen.map(({ options }) => options),
  ];
  const arms = armsOf(settings);
  const unasked = unaskedModels(settings, chosen, arms);
  const nowhere = written.filter((name) => !tables.some((table) => name in table) || unasked.has(name));
  const varied = [...new Set([...written, ...Object.keys(sweep?.axes ?? {})])];
  const idle = chosen.flatMap((method) => {
    const names = varied.filter((name) => isIdle(name, method, arms));
    return names.length === 0 ? [] : [`no effect on ${method.name} as it is set: ${names.join(", ")}`];
  });
  return [...(nowhere.length === 0 ? [] : [`no effect on the chosen methods: ${nowhere.join(", ")}`]), ...idle];
}

interface SetArm {
  readonly task: Task;
  readonly given: Readonly<Record<string, OptionValue>>;
}

function armsOf({ catalogue, tasks, setFor, sweep }: RunSettings): SetArm[] {
  const points = sweep === undefined ? [{}] : sweepPoints(sweep);
  return tasks.flatMap((name) =>
    points.map((point) => ({ task: catalogue.tasks.get(name), given: { ...setFor(name), ...point } })),
  );
}

/** Whether the method has the knob and no arm can be changed by it. */
function isIdle(name: string, { options }: Method, arms: readonly SetArm[]): boolean {
  const matters = options[name]?.matters;
  return matters !== undefined && arms.every(({ task, given }) => !matters(task, complete(options, given)));
}

/** The knobs of further models that are named and that no method asks. */
function unaskedModels({ set }: RunSettings, chosen: readonly Method[], arms: readonly SetArm[]): ReadonlySet<string> {
  const named = modelRoles.filter((role) => (set[modelKnob(role)] ?? "") !== "");
  if (named.length === 0) return new Set();
  const asked = new Set(
    chosen.flatMap((method) =>
      arms.flatMap(({ given }) => [
        ...askedRoles(method, readOptions(method.options, complete(method.options, given))),
      ]),
    ),
  );
  return new Set(named.filter((role) => !asked.has(role)).flatMap((role) => [modelKnob(role), serverKnob(role)]));
}
