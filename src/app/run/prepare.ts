import { dataOptions } from "../../data/options.js";
import { UsageError } from "../../errors.js";
import { type Commands, openCommands } from "../../exec/open-commands.js";
import { givenJudgeOptions } from "../../judges/options.js";
import { plannedEndpoints } from "../../models/endpoints.js";
import { type UnsupportedPolicy, unsupportedParameters } from "../../models/wrap/adapted.js";
import { replaying } from "../../models/wrap/replaying.js";
import { complete as completeOptions, readOptions, refuseUnknown } from "../../options.js";
import type { RunPlan } from "../../run/manifest/manifest.js";
import { controls, givenControl, undefinedControl } from "../../run/plan/controls.js";
import { givenModelOptions } from "../../run/plan/model-options.js";
import { runOptions } from "../../run/plan/options.js";
import { inPart, isShard, type RunPart } from "../../run/plan/part.js";
import { type Arm, type LoadedTask, planArms } from "../../run/plan/plan.js";
import { checkSweep, sweepFacts, sweepPoints } from "../../run/plan/sweep.js";
import { knownSecrets, SHORTEST_SECRET } from "../../secrets/known.js";
import { withoutUrlSecrets } from "../../secrets/url.js";
import { checkSelectorFile } from "../../selectors/select-option.js";
import type { Model, OptionValue, SweepFacts } from "../../types.js";
import { allOptions } from "../common/all-options.js";
import { version } from "../common/version.js";
import type { Io } from "../io.js";
import { openReplay, type Replay } from "../replay/replay.js";
import { asStored } from "./config/as-stored.js";
import type { RunSettings } from "./config/settings.js";
import { unusedKnobs } from "./config/unused-knobs.js";
import { planData } from "./data/data-facts.js";
import { dataWarnings } from "./data/data-warnings.js";
import { withInputFiles } from "./data/input-files.js";
import { loadTask, withDemoFixture } from "./data/load-task.js";
import { type Embedders, openEmbedders } from "./models/open-embedders.js";
import { openFurtherModels, openModels } from "./models/open-models.js";
import { noTools, openRunTools, type RunTools } from "./models/tools.js";
import { openStops, type Stops } from "./stops.js";

/** Everything a run needs, with every name resolved and every input checked, before the first call. */
export interface Prepared {
  readonly arms: readonly Arm[];
  /** Those that would be there if their method said something on their task. */
  readonly absent: readonly Arm[];
  readonly loaded: readonly LoadedTask[];
  /** The providers' models, bare: those that answer, then the further ones that options name. */
  readonly models: readonly Model[];
  readonly embedders: Embedders;
  readonly tools: RunTools;
  /** The programs of `exec:` methods. */
  readonly commands: Commands;
  readonly plan: RunPlan;
  /** What varies between the arms; undefined where nothing but the method does. */
  readonly sweep: SweepFacts | undefined;
  /** The recording that answers in everyone's place; undefined in a run that calls. */
  readonly replay: Replay | undefined;
  /** The part of the run that is done here; undefined: all of it. `loaded` and `plan` are of the whole run in any case. */
  readonly part: RunPart | undefined;
  /** Texts of the files that options name, by the names in the cells. */
  readonly files: ReadonlyMap<string, string>;
  /** What is no mistake, but worth a line before the first call. */
  readonly warnings: readonly string[];
}

interface PrepareSettings {
  /** Nothing will be sent. */
  readonly dryRun?: boolean;
  /** Endpoints will be asked to count tokens, in a dry run too. */
  readonly counts?: boolean;
  /** The folder or file of a recording, from which alone all is answered. */
  readonly replay?: string | undefined;
  /** Arms get the units of this shard alone. */
  readonly part?: RunPart | undefined;
  /** The cells of the run that is taken up; absent: a new one. */
  readonly recorded?: RunPlan["cells"] | undefined;
  readonly stops?: Stops;
}

/** Resolves every name, reads the data, opens models, embedders and tools. Throws UsageError on whatever is wrong. */
export async function prepareRun(
  asked: RunSettings,
  io: Io,
  { dryRun = false, counts = false, replay: cassette, part, recorded, stops = openStops({}) }: PrepareSettings = {},
): Promise<Prepared> {
  const { settings: named, files } = withInputFiles(asked, io.cwd);
  const { catalogue } = named;
  const { tasks, methods } = catalogue;
  const chosenTasks = asked.tasks.map((name) => tasks.get(name, "--task"));
  const { cwd, env, clock } = io;
  const commands = openCommands({
    cwd,
    env,
    allowed: asked.execEnv,
    keys: Object.values(asked.endpoints).flatMap(({ keyEnv }) => keyEnv ?? []),
    clock,
    dryRun,
    stop: stops.asked,
    kill: stops.kill,
  });
  const chosen = [...new Set(asked.methods.map((name) => commands.method(name) ?? methods.get(name, "--method")))];
  const known = Object.keys(allOptions(catalogue));
  refuseUnknown(Object.keys(asked.set), known, "--set");
  for (const { name } of chosenTasks) refuseUnknown(Object.keys(asked.setFor(name)), known, `perTask ${name}`);
  const replay = cassette === undefined ? undefined : openReplay(cassette, chosen, io);
  const settings = asStored(named, replay, io);
  const look = {
    dryRun: (dryRun && !counts) || replay !== undefined,
    recorded: replay?.cassette.head.plan.cells ?? recorded,
  };
  const opened = await openModels(settings, chosen, io, look);
  const names = opened.map(({ id }) => id);
  const sweep = settings.sweep;
  if (sweep !== undefined)
    checkSweep(sweep, { methods: chosen, models: names, demo: settings.demo, common: dataOptions });
  const points = sweep === undefined ? [{}] : sweepPoints(sweep);
  const variants = chosenTasks.flatMap(({ name }) => points.map((point) => ({ ...settings.setFor(name), ...point })));
  const bare = [...opened, ...(await openFurtherModels(variants, opened, settings, io, look))];
  const models = replay === undefined ? bare : bare.map(replaying);
  const temperature = temperatures(models, settings, names.length);
  const complete = (given: Given, model: string) => ({
    ...completeOptions(runOptions, given),
    temperature: temperature.sent(given, model) ?? "none",
    ...givenModelOptions(given, bare.find(({ id }) => id === model)?.settled),
    ...givenJudgeOptions(given),
    ...givenControl(given),
    ...(settings.online ? { online: true } : {}),
  });
  for (const given of variants) for (const name of names) complete(given, name);
  refuseSweptWire(variants, settings);
  const embedders = await openEmbedders(variants, catalogue.embedders, io, replay);
  const loaded: LoadedTask[] = [];
  for (const task of chosenTasks) loaded.push(await loadTask(task, settings, io.cwd));
  const { seed, repeats } = settings;
  const mine = isShard(part) ? loaded.map((data) => inPart(data, part)) : loaded;
  const planned = planArms({
    tasks: mine,
    methods: chosen,
    models: names,
    runOptions: complete,
    points,
    seed,
    repeats,
  });
  const arms = fitting(planned);
  const absent = planned.filter((arm) => !arms.includes(arm) && arm.cell.repeat === 0);
  const undefinedFor = sweep?.kind === "controls" ? undefinedControls(loaded) : [];
  if (sweep?.kind !== "controls") refuseUndefinedControl(loaded);
  const fileRemarks = new Set<string | undefined>();
  for (const { cell, method, options, loaded: data } of arms) {
    method.check?.(options, data.task);
    if (cell.options.select === undefined) continue;
    const { units } = loaded.find(({ task }) => task === data.task) ?? data; // a shard's are not all
    fileRemarks.add(checkSelectorFile(options, files, units, cell.task));
  }
  refuseEmptyPools(arms);
  const calling = arms.some(({ method, options }) => (method.needs?.(options).tools.length ?? 0) > 0);
  const tools = calling ? openRunTools(withDemoFixture(settings.set, settings), io, replay?.tools) : noTools;
  const plan = planOf(arms, loaded, settings, { notApplied: temperature.notApplied(), fixture: tools.fixture });
  replay?.begin(plan);
  return {
    arms,
    absent,
    loaded,
    models,
    embedders,
    tools,
    commands,
    plan,
    sweep:
      sweep === undefined
        ? undefined
        : {
            ...sweepFacts(sweep, { methods: chosen, models: names, given: settings.set }),
            ...(undefinedFor.length === 0 ? {} : { undefinedFor }),
          },
    replay,
    part,
    files,
    warnings: [
      ...unusedKnobs(settings, chosen),
      ...[...fileRemarks].flatMap((one) => one ?? []),
      ...loaded.flatMap(dataWarnings),
      ...exemptSecrets(env),
    ],
  };
}

// --- internal ---

/** The arms whose method says something on their task. Throws UsageError where there is none. */
function fitting(arms: readonly Arm[]): Arm[] {
  const fit = arms.filter(({ method, loaded }) => method.unfit?.(loaded.task) === undefined);
  const [first] = arms;
  if (fit.length === 0 && first !== undefined)
    throw new UsageError(
      `${first.method.name} says nothing on ${first.loaded.task.name}: ${first.method.unfit?.(first.loaded.task)}`,
    );
  return fit;
}

type Given = Readonly<Record<string, OptionValue>>;

/** Throws UsageError where the wire differs between arms: a model is opened once. */
function refuseSweptWire(variants: readonly Given[], { set }: RunSettings): void {
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
      const wanted = readOptions(runOptions, completeOptions(runOptions, given)).temperature;
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

function refuseEmptyPools(arms: readonly Arm[]): void {
  for (const { method, options, loaded } of arms) {
    const use = method.usesOthers?.(options) ?? false;
    const where = `${method.name} on ${loaded.dataset.name}`;
    if (use === false) continue;
    const { size, labelled } = loaded.others;
    if (size === 0)
      throw new UsageError(
        `${where}: the pool of other users is empty; give data with training users (user_others.json), --set others=leave-one-out with two or more users, or leave ${method.name} out`,
      );
    if (use === "labelled" && labelled === 0)
      throw new UsageError(
        `${where}: no past item of other users has a label (${size} without one); choose where labels of past papers come from (--set lamp1.labels=own-title-proxy needs nothing else), or leave ${method.name} out`,
      );
  }
}

/** The controls of the past that mean nothing on a task's data, and why. */
const undefinedControls = (loaded: readonly LoadedTask[]): NonNullable<SweepFacts["undefinedFor"]> =>
  loaded.flatMap((data) =>
    controls.flatMap((value) => {
      const reason = undefinedControl(value, data);
      return reason === undefined ? [] : [{ task: data.task.name, value, reason }];
    }),
  );

function refuseUndefinedControl(loaded: readonly LoadedTask[]): void {
  for (const data of loaded) {
    const { "history.control": control = "right" } = givenControl(data.given);
    const reason = undefinedControl(control, data);
    if (reason !== undefined)
      throw new UsageError(
        `history.control=${control}: undefined on ${data.task.name}, ${data.dataset.name}: ${reason}`,
      );
  }
}

/** Names the variables whose secrets are too short to be told from ordinary text. */
function exemptSecrets(env: Io["env"]): string[] {
  const { exempt } = knownSecrets(env);
  if (exempt.length === 0) return [];
  return [`${exempt.join(", ")}: too short (under ${SHORTEST_SECRET} characters) to be taken out of what is written`];
}

function planOf(
  arms: readonly Arm[],
  loaded: readonly LoadedTask[],
  settings: RunSettings,
  outside: { readonly notApplied: string[]; readonly fixture: string | undefined },
): RunPlan {
  const endpoints = plannedEndpoints(settings.models, settings.endpoints);
  return {
    version: version(),
    cells: arms.map(({ cell }) => ({ ...cell, options: { ...cell.options } })),
    data: loaded.map(planData),
    ...(settings.baseUrl === undefined ? {} : { baseUrl: withoutUrlSecrets(settings.baseUrl) }),
    ...(endpoints === undefined ? {} : { endpoints }),
    ...(outside.fixture === undefined ? {} : { wikipedia: outside.fixture }),
    notApplied: outside.notApplied,
  };
}
