import { UsageError } from "../../errors.js";
import type { LoadedTask } from "../../run/plan/plan.js";
import type { OptionValue } from "../../types/index.js";
import type { Catalogue } from "../catalogue.js";
import type { Io } from "../io.js";
import { type RunSettings, runSettings } from "../run/config/resolve-settings.js";
import { loadTask } from "../run/data/load-task.js";
import type { RunConfig } from "../run/settings.js";
import { type Predictions, readPredictions } from "./predictions.js";

type DataSettings = Pick<RunConfig, "data" | "users" | "limit" | "queriesPerUser" | "seed" | "out">;

/** Predictions of another program, and the questions that they answer. */
export interface ImportSettings extends DataSettings {
  readonly task?: string | undefined;
  /** Files, one a repeat. */
  readonly predictions?: readonly string[] | undefined;
  /** What the method is called in tables. */
  readonly name?: string | undefined;
  /** Options of the data, by dotted name. */
  readonly options?: Readonly<Record<string, OptionValue>> | undefined;
  /** Marks the numbers SIMULATED. */
  readonly simulated?: boolean | undefined;
  /** Share of questions without a prediction above which `ended` is `failures`. Default: 0. */
  readonly maxFailed?: number | undefined;
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

/** Throws UsageError on files, names and data that do not fit together. */
export async function sourceOf(settings: ImportSettings, catalogue: Catalogue, io: Io): Promise<Source> {
  const { predictions: files = [], task: taskName, name, simulated = false, options } = settings;
  if (files.length === 0 || taskName === undefined || name === undefined)
    throw new UsageError("--predictions, --task and --name are needed");
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
