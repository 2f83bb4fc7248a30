import { dataOptions } from "../data/options.js";
import { embedderProvider, openEmbedder } from "../embedders/index.js";
import { UsageError } from "../errors.js";
import { methods } from "../methods/index.js";
import { openModel } from "../models/index.js";
import { priceOf } from "../models/prices.js";
import { unsupportedParameters } from "../models/wrap/adapted.js";
import { complete, readOptions, refuseUnknown } from "../options.js";
import type { RunPlan } from "../run/manifest.js";
import { runOptions } from "../run/options.js";
import { type Arm, type LoadedTask, planArms } from "../run/plan.js";
import { tasks } from "../tasks/index.js";
import { contentId } from "../text/content-id.js";
import type { Embedder, Method, Model, OptionValue, Task } from "../types.js";
import type { Io } from "./io.js";
import { allOptions } from "./list.js";
import { loadTask, withDemoFixture } from "./load-task.js";
import type { RunSettings } from "./run-settings.js";
import { noTools, openRunTools, type RunTools } from "./run-tools.js";
import { version } from "./version.js";
import { withoutLogin } from "./without-login.js";

/** Used when no --model is given, whatever keys the environment holds. */
export const demoModel = "offline/lexical";

/** Everything a run needs, with every name resolved and every input checked, before the first call. */
export interface Prepared {
  readonly arms: readonly Arm[];
  readonly loaded: readonly LoadedTask[];
  /** The provider's model, bare. */
  readonly provider: Model;
  readonly embedder: Embedder;
  /** Whether the run keeps the embedder's vectors in its folder. */
  readonly keepVectors: boolean;
  readonly tools: RunTools;
  readonly temperature: number | undefined;
  readonly plan: RunPlan;
  /** What is no mistake, but worth a line before the first call. */
  readonly warnings: readonly string[];
}

export async function prepareRun(settings: RunSettings, io: Io, dryRun = false): Promise<Prepared> {
  const chosenTasks = settings.tasks.map((name) => tasks.get(name, "--task"));
  const chosen = [...new Set(settings.methods.map((name) => methods.get(name, "--method")))];
  const known = Object.keys(allOptions());
  refuseUnknown(Object.keys(settings.set), known, "--set");
  for (const { name } of chosenTasks) refuseUnknown(Object.keys(settings.setFor(name)), known, `perTask ${name}`);
  const knobs = complete(runOptions, settings.set);
  const provider = await openModel(settings.model ?? demoModel, {
    env: io.env,
    concurrency: settings.concurrency,
    sendsNothing: dryRun,
    ...(settings.baseUrl === undefined ? {} : { baseUrl: settings.baseUrl }),
  });
  refuseUnpriced(provider, settings, io);
  const run = readOptions(runOptions, knobs);
  const { temperature, notApplied } = applicable(run.temperature, provider, settings.unsupported);
  const embedder = await openEmbedder(run.embedder, {
    env: io.env,
    clock: io.clock,
    cwd: io.cwd,
    similarity: run["embedder.similarity"],
    ...(run["embedder.baseUrl"] === "" ? {} : { baseUrl: run["embedder.baseUrl"] }),
  });
  const keepVectors = embedderProvider(run.embedder).costly;
  const loaded: LoadedTask[] = [];
  for (const task of chosenTasks) loaded.push(await loadTask(task, settings, io.cwd));
  const arms = planArms({
    tasks: loaded,
    methods: chosen,
    model: provider.id,
    runOptions: { ...knobs, temperature: temperature ?? "none", ...(settings.online ? { online: true } : {}) },
    seed: settings.seed,
    repeats: settings.repeats,
  });
  for (const { method, options, loaded: data } of arms) method.check?.(options, data.task);
  refuseEmptyPools(arms);
  const calling = arms.some(({ method, options }) => (method.needs?.(options).tools.length ?? 0) > 0);
  const tools = calling ? openRunTools(withDemoFixture(settings.set, settings), io) : noTools;
  const plan = planOf(arms, loaded, settings, { notApplied, fixture: tools.fixture });
  const warnings = unusedKnobs(settings.set, chosen);
  return { arms, loaded, provider, embedder, keepVectors, tools, temperature, plan, warnings };
}

// --- internal ---

/** The temperature that is really sent, and what had to be left out, as `--unsupported` says. */
function applicable(
  temperature: number | undefined,
  model: Model,
  policy: "error" | "drop",
): { temperature: number | undefined; notApplied: string[] } {
  const refused = temperature === undefined ? [] : unsupportedParameters(model.capabilities, { temperature });
  if (refused.length === 0) return { temperature, notApplied: [] };
  if (policy === "drop") return { temperature: undefined, notApplied: refused };
  throw new UsageError(
    `${model.id} takes no temperature (temperature=${temperature}): use --unsupported drop or --set temperature=none, and --repeats to measure the spread`,
  );
}

/** A knob of a method that is not in the run has no effect: said, since presets set many at once. */
function unusedKnobs(set: Readonly<Record<string, OptionValue>>, chosen: readonly Method[]): string[] {
  const used = new Set(
    [dataOptions, runOptions, ...chosen.map(({ options }) => options)].flatMap((table) => Object.keys(table)),
  );
  const unused = Object.keys(set).filter((name) => !used.has(name));
  return unused.length === 0 ? [] : [`no effect on the chosen methods: ${unused.join(", ")}`];
}

/** A cap in dollars needs a price: said before the run has a folder. */
function refuseUnpriced({ id }: Model, { maxUsd }: RunSettings, io: Io): void {
  if (maxUsd !== undefined && priceOf(id, { in: 1, out: 1 }, io.clock.now()) === undefined)
    throw new UsageError(`--max-usd ${maxUsd}: no price is known for ${id}; use --max-calls`);
}

function refuseEmptyPools(arms: readonly Arm[]): void {
  for (const { method, options, loaded } of arms)
    if (method.usesOthers?.(options) === true && loaded.others.size === 0)
      throw new UsageError(
        `${method.name} on ${loaded.dataset.name}: the pool of other users is empty; give data with training users (user_others.json), --set others=leave-one-out with two or more users, or leave ${method.name} out`,
      );
}

function planOf(
  arms: readonly Arm[],
  loaded: readonly LoadedTask[],
  settings: RunSettings,
  outside: { readonly notApplied: string[]; readonly fixture: string | undefined },
): RunPlan {
  return {
    version: version(),
    cells: arms.map(({ cell }) => ({ ...cell, options: { ...cell.options } })),
    data: loaded.map(({ task, dataset, units }) => ({
      task: task.name,
      name: dataset.name,
      files: dataset.files.map((file) => ({ ...file })),
      facts: { ...dataset.facts },
      units: contentId(units),
      wording: wordingId(task, units[0]?.user.history[0]),
    })),
    ...(settings.baseUrl === undefined ? {} : { baseUrl: withoutLogin(settings.baseUrl) }),
    ...(outside.fixture === undefined ? {} : { wikipedia: outside.fixture }),
    notApplied: outside.notApplied,
  };
}

/** Changes when the task's instructions, or how it shows and poses an event, change. */
function wordingId(task: Task, sample: Parameters<Task["show"]>[0] | undefined): string {
  const shown = sample === undefined ? [] : [task.show(sample), task.pose(sample) ?? null];
  return contentId([task.summary.instruction, task.labels, ...shown]);
}
