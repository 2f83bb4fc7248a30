import { basename, resolve } from "node:path";
import { UsageError } from "../../errors.js";
import { refusePart } from "../../run/plan/part.js";
import type { LoadedTask } from "../../run/plan/plan.js";
import { contentId } from "../../text/content-id.js";
import type { Cell, OptionValue } from "../../types/index.js";
import type { Catalogue } from "../catalogue.js";
import { type ArmChoice, isChosen, variantsText } from "../common/arm-choice.js";
import { dataOfRun } from "../common/run-data.js";
import { openRunFolder, refuseAbsent, type StoredRun } from "../common/run-folder.js";
import type { Io } from "../io.js";
import { type RunSettings, runSettings } from "../run/config/resolve-settings.js";
import { loadTask } from "../run/data/load-task.js";
import type { RunConfig } from "../run/settings.js";
import { type Predictions, readPredictions } from "./predictions.js";

type DataSettings = Pick<RunConfig, "data" | "users" | "limit" | "queriesPerUser" | "seed" | "out">;

/** Predictions of another program, and the questions that they answer. */
export interface ImportSettings extends DataSettings, ArmChoice {
  /** Needed with `predictions`, and where `run` has several. */
  readonly task?: string | undefined;
  /** Files, one a repeat; or `run`. */
  readonly predictions?: readonly string[] | undefined;
  /** A run whose answers, of the one method that is named or chosen, are taken as predictions with all its data and choice of questions. */
  readonly run?: string | undefined;
  readonly method?: string | undefined;
  /** What the method is called in tables. Default with `run`: `METHOD of RUN`. */
  readonly name?: string | undefined;
  /** Options of the data, by dotted name. */
  readonly options?: Readonly<Record<string, OptionValue>> | undefined;
  /** Marks the numbers SIMULATED. */
  readonly simulated?: boolean | undefined;
  /** Share of questions without a prediction above which `ended` is `failures`. Default: 0. */
  readonly maxFailed?: number | undefined;
  /** Numbers of metrics that another program counted, by name: files, one for each of `predictions`, in their order. */
  readonly metrics?: Readonly<Record<string, readonly string[]>> | undefined;
  /** What the person typed, kept in the manifest. */
  readonly argv?: readonly string[] | undefined;
}

/** What is imported, and the questions that it answers. */
export interface Source {
  readonly name: string;
  readonly loaded: LoadedTask;
  readonly predictions: readonly Predictions[];
  readonly simulated: boolean;
  readonly seed: number;
  /** The same data without a selection of users or questions. */
  whole(): Promise<LoadedTask>;
}

/** Throws UsageError on flags, files, names and data that do not fit together. */
export const sourceOf = (settings: ImportSettings, catalogue: Catalogue, io: Io): Promise<Source> =>
  settings.run === undefined ? ofFiles(settings, catalogue, io) : ofRun(settings, settings.run, catalogue, io);

async function ofFiles(settings: ImportSettings, catalogue: Catalogue, io: Io): Promise<Source> {
  const { predictions: files = [], task: taskName, name, simulated = false, options } = settings;
  if (files.length === 0 || taskName === undefined || name === undefined)
    throw new UsageError("--predictions, --task and --name are needed; or name a run of lamp-eval with --run");
  for (const flag of ["method", "variant", "model"] as const)
    if (settings[flag] !== undefined) throw new UsageError(`--${flag} is for --run; leave it out`);
  refuseTakenName(name, catalogue);
  const task = catalogue.tasks.get(taskName, "--task");
  const predictions = await Promise.all(files.map((file) => readPredictions(file, task, catalogue.tasks, io)));
  const { data, users, limit, queriesPerUser, seed } = settings;
  const choice = { data, users, limit, queriesPerUser, seed };
  const chosen = runSettings({ ...choice, task: taskName, method: "imported", set: options }, io);
  return {
    name,
    loaded: await loadTask(task, chosen, io.cwd),
    predictions,
    simulated,
    seed: chosen.seed,
    whole: () => loadTask(task, wholeOf(chosen), io.cwd),
  };
}

/** Throws UsageError where there is no run, more than one arm is meant, or the run's data are not at hand. */
async function ofRun(settings: ImportSettings, run: string, catalogue: Catalogue, io: Io): Promise<Source> {
  for (const flag of ["predictions", "users", "limit", "queriesPerUser", "options", "seed"] as const)
    if (settings[flag] !== undefined)
      throw new UsageError(`--run ${run}: its questions and answers are taken as they are; leave ${FLAGS[flag]} out`);
  const folder = openRunFolder(run, io.cwd);
  refusePart(run, folder.manifest);
  const cells = armOf(folder, { ...settings, run });
  const { id, task, method, seed } = cells[0]!; // at least one
  catalogue.tasks.get(task, `${run}: its task (of a plug-in: --plugin FILE)`);
  const loaded = await dataOfRun(folder, task, { run, data: settings.data }, io);
  const predictions = cells.map((cell) => predictionsOf(cell, folder, run));
  const name = settings.name ?? `${method} of ${basename(resolve(io.cwd, run))}`.slice(0, 60).trim();
  refuseTakenName(name, catalogue);
  const simulated = folder.rows.some((row) => row.cell === id && row.simulated === true);
  return { name, loaded, predictions, simulated, seed, whole: async () => loaded };
}

const FLAGS = {
  predictions: "--predictions",
  users: "--users",
  limit: "--limit",
  queriesPerUser: "--queries-per-user",
  options: "--set",
  seed: "--seed",
} as const;

function refuseTakenName(name: string, { methods }: Catalogue): void {
  if (!/^\w(?:[\w .+-]{0,58}[\w.+-])?$/.test(name))
    throw new UsageError(
      `--name ${JSON.stringify(name)}: write 1 to 60 letters, digits, blanks or . _ + -, beginning with a letter or digit and without a blank at the end`,
    );
  if (methods.names.includes(name.toLowerCase().replaceAll(/[_ ]+/g, "-")))
    throw new UsageError(`--name ${name}: a built-in method is called so; choose another, e.g. --name my-${name}`);
}

/** The same data without a selection of users or questions. */
function wholeOf(settings: RunSettings): RunSettings {
  const setFor = (task: string) => ({ ...settings.setFor(task), "data.maxQueriesPerUser": 0 });
  return { ...settings, users: undefined, limit: undefined, setFor };
}

/** The repeats of the one arm that is meant, in order. */
function armOf(
  { manifest }: StoredRun,
  { run, task, method, ...choice }: ArmChoice & Pick<ImportSettings, "task" | "method"> & { readonly run: string },
): readonly Cell[] {
  const { cells } = manifest.plan;
  refuseAbsent(run, "--task", task, cells.map((cell) => cell.task)); // biome-ignore format: one call a flag
  const ofTask = cells.filter((cell) => task === undefined || cell.task === task);
  refuseAbsent(run, "--method", method, ofTask.map((cell) => cell.method)); // biome-ignore format: one call a flag
  const ofMethod = ofTask.filter((cell) => method === undefined || cell.method === method);
  for (const [flag, names] of [
    ["--task", ofMethod.map((cell) => cell.task)],
    ["--method", ofMethod.map((cell) => cell.method)],
  ] as const)
    if (new Set(names).size > 1)
      throw new UsageError(
        `${run}: has several ${flag.slice(2)}s; name one: ${flag} ${[...new Set(names)].join(` or ${flag} `)}`,
      );
  const chosen = ofMethod.filter((cell) => isChosen(cell, choice));
  const repeats = [...chosen].sort((a, b) => a.repeat - b.repeat);
  if (repeats.length === 0 || new Set(repeats.map(({ repeat }) => repeat)).size < repeats.length)
    throw new UsageError(
      `${run}: ${repeats.length === 0 ? "no such arm" : "several arms"}; choose one with --variant or --model; its arms: ${variantsText(ofMethod, choice)}`,
    );
  return repeats;
}

function predictionsOf({ id, method }: Cell, { rows }: StoredRun, run: string): Predictions {
  const outputs = new Map(
    rows.flatMap(({ cell, question, outcome }) =>
      cell === id && outcome.kind !== "failed" ? [[question, outcome.reply] as const] : [],
    ),
  );
  const name = `${method} of ${basename(run)}`;
  const told = JSON.stringify([...outputs]);
  return { name, file: { name, bytes: Buffer.byteLength(told), sha256: contentId([...outputs]) }, outputs };
}
