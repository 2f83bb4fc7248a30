import { ScoreError, UsageError } from "../errors.js";
import { judgeOptions } from "../judges/options.js";
import { askedRoles, withoutUnasked } from "../registry/further-models.js";
import { complete, givenIn, inArm, readOptions } from "../registry/options.js";
import { contentId } from "../text/content-id.js";
import type { Method, Metric, Model, OptionValue, SweepFacts } from "../types/index.js";
import { controlled, controlOptions, controls, undefinedControl } from "./controls.js";
import { givenModelOptions, runOptions, serverOptions } from "./options.js";
import { sweepPoints } from "./sweep.js";
import type { Arm, Given, LoadedTask, Plan } from "./types.js";
import { MOST_REPEATS, partName } from "./types.js";

/** The tasks, methods and models of a plan. */
interface ArmSources {
  readonly loaded: readonly LoadedTask[];
  readonly methods: readonly Method[];
  /** The models that answer. */
  readonly models: readonly Pick<Model, "id" | "capabilities" | "settled">[];
}

interface PlannedArms {
  readonly arms: readonly Arm[];
  /** Arms that are left out because their method does not apply to their task. */
  readonly unfit: readonly Arm[];
  /** Parameters that are not sent because a model does not take them. */
  readonly notApplied: readonly string[];
}

type ArmPlan = Pick<Plan, "seed" | "repeats"> & Partial<Pick<Plan, "sweep" | "online" | "written">>;

/**
 * Returns one arm for each task, method, model, point of the sweep and repeat, in that order. Points with equal options make one arm.
 * Throws UsageError on options that a method or a model refuses, and if no method applies to its task.
 */
export function planArms(plan: ArmPlan, { loaded, methods, models }: ArmSources): PlannedArms {
  const { written = [], sweep } = plan;
  const isTemperatureSet = [...written, ...Object.keys(sweep?.axes ?? {})].includes("temperature");
  const notApplied = new Set<string>();
  const temperatureFor = (model: ArmSources["models"][number], given: Given): OptionValue => {
    const { temperature = "none" } = readOptions(runOptions, complete(runOptions, given));
    if (temperature === "none" || model.capabilities.temperature) return temperature;
    if (isTemperatureSet)
      throw noTemperature(`temperature=${temperature}`, model.id, ", and measure the spread with --repeats");
    notApplied.add(models.length === 1 ? "temperature" : `temperature of ${model.id}`);
    return "none";
  };
  const planned = new Map<string, Arm>();
  for (const data of loaded)
    for (const method of methods)
      for (const model of models)
        for (const point of sweepPoints(sweep)) {
          const given = { ...data.given, ...point };
          const parts = { data, method, model, given, temperature: temperatureFor(model, given) };
          for (const arm of armsOf(parts, plan)) planned.set(arm.spec.id, arm);
        }
  const all = [...planned.values()];
  const arms = all.filter(({ method, loaded: { task } }) => method.unfit?.(task) === undefined);
  const [first] = all;
  if (arms.length === 0 && first !== undefined)
    throw new UsageError(
      `${first.method.name} says nothing on ${first.loaded.task.name}: ${first.method.unfit?.(first.loaded.task)}`,
    );
  for (const arm of arms) refuseSetTemperature(arm, models, written);
  const unfit = all.filter((arm) => !arms.includes(arm) && arm.spec.repeat === 0);
  return { arms, unfit, notApplied: [...notApplied] };
}

const controlOf = (given: Given) => readOptions(controlOptions, given);

const noTemperature = (option: string, model: string, more = ""): UsageError =>
  new UsageError(`${option}: ${model} takes no temperature; leave the option out${more}`);

/** All parts of an arm but its repeat. */
interface ArmParts {
  readonly data: LoadedTask;
  readonly method: Method;
  readonly model: ArmSources["models"][number];
  readonly given: Given;
  readonly temperature: OptionValue;
}

/** Returns one arm for each repeat; none if the control of the history is undefined on the data. */
function armsOf({ data, method: named, model, given, temperature }: ArmParts, plan: ArmPlan): Arm[] {
  const { seed, repeats, online = false } = plan;
  if (repeats > MOST_REPEATS) throw new UsageError(`--repeats ${repeats}: at most ${MOST_REPEATS} are run`);
  const { "history.control": control } = controlOf(given);
  if (undefinedControl(control, data) !== undefined) return [];
  const method = controlled(named, control, { task: data.task, seed });
  const methodOptions = complete(method.options, given);
  const options = readOptions(method.options, methodOptions);
  const runValues = {
    ...complete(runOptions, given),
    temperature,
    ...givenModelOptions(given, model.settled),
    ...givenIn({ ...judgeOptions, ...controlOptions }, given),
    ...(online ? { online: true } : {}),
  };
  const all = sorted({
    ...withoutUnasked(runValues, askedRoles(method, options)),
    ...data.dataOptions,
    ...inArm(method.options, methodOptions, data.task),
  });
  return Array.from({ length: repeats }, (_, repeat) => {
    const content = {
      task: data.task.name,
      dataset: data.dataset.name,
      method: method.name,
      model: model.id,
      options: all,
      seed,
      repeat,
    };
    return { spec: { id: contentId(content).slice(0, 12), ...content }, loaded: data, method, options };
  });
}

const sorted = (options: Record<string, OptionValue>): Record<string, OptionValue> =>
  Object.fromEntries(Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Throws UsageError if a method's temperature option is set, and the model takes no temperature. */
function refuseSetTemperature({ spec, method }: Arm, models: ArmSources["models"], written: readonly string[]): void {
  const takesTemperature = models.find(({ id }) => id === spec.model)?.capabilities.temperature === true;
  if (takesTemperature || spec.options["model.reference"] !== undefined) return;
  for (const name of written)
    if (name.endsWith(".temperature") && name in method.options && typeof spec.options[name] === "number")
      throw noTemperature(`${name}=${spec.options[name]}`, spec.model);
}

/** Throws UsageError on an arm that cannot be run: its options, an empty pool of other users, or calls for shared values in a shard. */
export function refuseArms(arms: readonly Arm[], plan: Pick<Plan, "shard">): void {
  for (const { method, options, loaded, spec } of arms) {
    method.check?.(options, loaded.task);
    const use = method.usesOthers?.(options) ?? false;
    const where = `${method.name} on ${loaded.dataset.name}`;
    if (use !== false && loaded.others.isEmpty)
      throw new UsageError(
        `${where}: the pool of other users is empty; give data with training users (user_others.json), --set others=leave-one-out with two or more users, or leave ${method.name} out`,
      );
    if (use === "labelled" && loaded.others.labelled === 0)
      throw new UsageError(
        `${where}: no history item of other users has a label; choose where labels of past papers come from (--set lamp1.labels=own-title-proxy needs nothing else), or leave ${method.name} out`,
      );
    const callsForAllUsers = Object.values(method.plan(options).perArm?.() ?? {}).some(({ high }) => high > 0);
    if (plan.shard !== undefined && callsForAllUsers)
      throw new UsageError(
        `--${partName(plan.shard)}: ${spec.method} on ${spec.task} asks a model for something that all users share; run it without --shard`,
      );
  }
}

/** Returns the controls of the history that are undefined on tasks, and why. Throws UsageError if one of them was chosen by itself. */
export function undefinedControls(
  loaded: readonly LoadedTask[],
  kind: SweepFacts["kind"] | undefined,
): NonNullable<SweepFacts["undefinedFor"]> {
  return loaded.flatMap((data) => {
    const { "history.control": chosen } = controlOf(data.given);
    return controls.flatMap((value) => {
      const reason = undefinedControl(value, data);
      if (reason === undefined) return [];
      if (kind !== "controls" && value === chosen)
        throw new UsageError(
          `history.control=${value}: undefined on ${data.task.name}, ${data.dataset.name}: ${reason}`,
        );
      return [{ task: data.task.name, value, reason }];
    });
  });
}

/** Throws UsageError on a metric of `--metric` that cannot score the first gold of a task: every report would fail. */
export function refuseMetrics(metrics: readonly Metric[], { task, units }: LoadedTask): void {
  const gold = firstGold(units);
  if (gold === undefined) return;
  for (const metric of metrics)
    try {
      metric.add({ prediction: gold, gold }, new Float64Array(metric.sumCount));
    } catch (error) {
      if (!(error instanceof ScoreError)) throw error;
      throw new UsageError(`--metric ${metric.name}: it cannot score ${task.name} (${error.message}); leave it out`);
    }
}

function firstGold(units: LoadedTask["units"]): string | undefined {
  for (const { examples } of units) for (const { gold } of examples) if (gold !== undefined) return gold;
  return undefined;
}

/** Returns the name of an arm: task, method, options that differ between arms of the method, and repeat. */
export function armTitle(spec: Arm["spec"], arms: readonly Arm[]): string {
  const settings = ({ model, options }: Arm["spec"]): Given => ({ model, ...options });
  const peers = arms.filter((arm) => arm.spec.task === spec.task && arm.spec.method === spec.method);
  const differing = Object.entries(settings(spec)).filter(([name, value]) =>
    peers.some((peer) => settings(peer.spec)[name] !== value),
  );
  const repeat = spec.repeat > 0 ? [`#${spec.repeat + 1}`] : [];
  return [spec.task, spec.method, ...differing.map(([name, value]) => `${name}=${value}`), ...repeat].join(" ");
}

/** Returns a warning about options that were set or varied, and that no arm has. */
export function unusedOptions({ written, sweep, options }: Plan, arms: readonly Arm[]): string[] {
  const isUsed = (name: string): boolean =>
    name in serverOptions || name === "openai.api" || arms.some(({ spec }) => name in spec.options);
  const varied = [...new Set([...written, ...Object.keys(sweep?.axes ?? {})])];
  const unused = varied.filter((name) => options[name] !== "" && !isUsed(name));
  return unused.length === 0 ? [] : [`no effect on the chosen methods as they are set: ${unused.join(", ")}`];
}

/** Throws UsageError if a model takes no batches, or an arm makes calls in sequence, each a batch of its own, without `--batch agents`. */
export function refuseUnbatched(
  { servers: { batch }, online }: Pick<Plan, "servers" | "online">,
  models: readonly Model[],
  arms: readonly Arm[],
): void {
  if (batch === undefined) return;
  for (const { id, batch: wire, noBatch = "its provider takes none here" } of models)
    if (wire === undefined) throw new UsageError(`--batch: no batches of ${id}: ${noBatch}`);
  const sequential = arms.find(
    ({ method, options }) => online || method.needs?.(options).agent === true || method.sequential?.(options) === true,
  );
  if (sequential === undefined || batch.agents) return;
  const { method, options } = sequential;
  const most = Object.values(method.plan(options).perQuestion()).reduce((sum, { high }) => sum + high, 0);
  const why = online ? "--online asks one question of a user after the other" : "it asks turn after turn";
  const turns = most > 1 ? ` (up to ${most} for a question)` : "";
  throw new UsageError(
    `--batch: ${method.name}: ${why}, and each turn is a batch of its own, most of an hour, up to a day; --batch agents does it${turns}, or leave --batch out`,
  );
}
