import { basename, resolve } from "node:path";
import type { Catalogue } from "../../catalogue.js";
import { UsageError } from "../../errors.js";
import type { LoadedTask } from "../../run/plan/plan.js";
import type { OptionValue } from "../../types.js";
import type { ArmChoice } from "../common/arm-choice.js";
import type { Io } from "../io.js";
import { type RunSettings, runSettings } from "../run/config/run-settings.js";
import { loadTask } from "../run/data/load-task.js";
import type { RunConfig } from "../run/settings.js";
import { answersOfRun } from "./of-run.js";
import { type Predictions, readPredictions } from "./predictions.js";

type DataSettings = Pick<RunConfig, "data" | "users" | "limit" | "queriesPerUser" | "historyLimit" | "seed" | "out">;

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
  const { data, users, limit, queriesPerUser, historyLimit, seed } = settings;
  const given = { data, users, limit, queriesPerUser, historyLimit, seed };
  const chosen = runSettings(
    {
      ...given,
      task: taskName,
      method: "imported",
      set: options,
    },
    io,
  );
  return {
    name,
    loaded: await loadTask(task, chosen, io.cwd),
    predictions,
    simulated,
    seed: chosen.seed,
    whole: () => loadTask(task, wholeOf(chosen), io.cwd),
  };
}

async function ofRun(settings: ImportSettings, run: string, catalogue: Catalogue, io: Io): Promise<Source> {
  for (const flag of ["predictions", "users", "limit", "queriesPerUser", "historyLimit", "options", "seed"] as const)
    if (settings[flag] !== undefined)
      throw new UsageError(`--run ${run}: its questions and answers are taken as they are; leave ${FLAGS[flag]} out`);
  const { method, ...source } = await answersOfRun({ ...settings, run }, io);
  const name = settings.name ?? `${method} of ${basename(resolve(io.cwd, run))}`.slice(0, 60).trim();
  refuseTakenName(name, catalogue);
  return { name, ...source, whole: async () => source.loaded };
}

const FLAGS = {
  predictions: "--predictions",
  users: "--users",
  limit: "--limit",
  queriesPerUser: "--queries-per-user",
  historyLimit: "--history-limit",
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
