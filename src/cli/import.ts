import { join, relative, resolve } from "node:path";
import { Command } from "commander";
import { type Predictions, readPredictions } from "../app/import/predictions.js";
import { writeResults } from "../app/report/results.js";
import { planData, questionsOf, taskFacts } from "../app/run/data-facts.js";
import { loadTask } from "../app/run/load-task.js";
import { type RunConfig, type RunSettings, runSettings } from "../app/run/settings.js";
import { timestamp } from "../app/timestamp.js";
import { version } from "../app/version.js";
import { withoutLogin } from "../app/without-login.js";
import { UsageError } from "../errors.js";
import { methods } from "../methods/index.js";
import { importRows } from "../run/import-rows.js";
import {
  lockFolder,
  type Manifest,
  type RunPlan,
  readManifest,
  refuseChangedPlan,
  runName,
  writeManifest,
} from "../run/manifest.js";
import type { LoadedTask } from "../run/plan.js";
import { recordHashes } from "../run/record-hashes.js";
import { RunRows, requestsByCell } from "../run/run-rows.js";
import { tasks } from "../tasks/index.js";
import { contentId } from "../text/content-id.js";
import type { Row } from "../types.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import { collect, integer, upTo } from "./run-flags.js";
import type { Terminal } from "./terminal.js";

interface Flags
  extends Pick<RunConfig, "data" | "users" | "limit" | "queriesPerUser" | "historyLimit" | "seed" | "out"> {
  readonly task: string;
  readonly predictions: readonly string[];
  readonly name: string;
  readonly set?: Record<string, string>;
  readonly simulated?: boolean;
  readonly maxFailed: number;
}

/** `lamp-eval import`: predictions of another program become a run that report, compare and gate accept. */
export function importCommand(io: Terminal): Command {
  const command = new Command("import")
    .requiredOption(
      "--predictions <file>",
      "official predictions JSON, a list of {id, output}, or JSON lines; repeatable: one file a repeat",
      (file: string, sofar: readonly string[] = []) => [...sofar, file],
    )
    .requiredOption("--task <name>", "task of the predictions (lamp-eval list tasks)")
    .requiredOption("--name <name>", "what the method is called in tables; no name of a built-in method")
    .option("--data <dir>", "data folder that the predictions answer (default: the built-in demo data)")
    .option("--users <n>", "the first n users", integer)
    .option("--queries-per-user <n>", "at most n questions a user, drawn by data.querySeed", integer)
    .option("--limit <n>", "at most n questions in all", integer)
    .option("--history-limit <latest:n>", "cut each history to its n latest events")
    .option("--set <name=value>", "set a data option by its dotted name; repeatable", collect)
    .option("--seed <n>", "seed of the intervals (default: 0)", integer)
    .option("--simulated", "mark the numbers SIMULATED (predictions of an embedded model)")
    .option("--out <dir>", "run folder (default: results/<task>-<name>-<plan>)")
    .option("--max-failed <share>", "exit 1 when a larger share of questions has no prediction", upTo(1), 0)
    .action(async (flags: Flags) => setExitCode(command, await importPredictions(flags, io)));
  return command;
}

// --- internal ---

/** Returns the exit code. */
async function importPredictions(flags: Flags, io: Terminal): Promise<number> {
  const { predictions: files, name, out, simulated = false, maxFailed, ...rest } = flags;
  refuseTakenName(name);
  const task = tasks.get(flags.task, "--task");
  const predictions = await Promise.all(files.map((file) => readPredictions(file, task, io.cwd)));
  const settings = runSettings({ ...rest, method: "imported" }, {}, io);
  const loaded = await loadTask(task, settings, io.cwd);
  const asked = [...questionsOf(loaded).keys()];
  for (const file of predictions) await refuseForeignIds(file, new Set(asked), loaded, settings, io);
  const plan = planOf(name, loaded, predictions, settings);
  const folder = resolve(io.cwd, out ?? join("results", runName(plan)));
  const release = lockFolder(folder);
  try {
    write(folder, plan, { loaded, predictions, simulated }, io);
  } finally {
    release();
  }
  io.out(writeResults(folder).terminal);
  const missing = predictions.map((file) => sayMissing(file, asked, io)).reduce((sum, count) => sum + count, 0);
  io.err(`everything is in ${relative(io.cwd, folder) || "."}`);
  const share = missing === 0 ? 0 : missing / (asked.length * predictions.length);
  if (share <= maxFailed) return exitCodes.done;
  io.err(
    `${(share * 100).toFixed(1)} % of the questions have no prediction, more than --max-failed ${maxFailed}; the run is written all the same`,
  );
  return exitCodes.failures;
}

function refuseTakenName(name: string): void {
  if (!/^\w(?:[\w .+-]{0,58}[\w.+-])?$/.test(name))
    throw new UsageError(
      `--name ${JSON.stringify(name)}: write 1 to 60 letters, digits, blanks or . _ + -, beginning with a letter or digit and without a blank at the end`,
    );
  if (methods.names.includes(name.toLowerCase().replaceAll(/[_ ]+/g, "-")))
    throw new UsageError(`--name ${name}: a built-in method is called so; choose another, e.g. --name my-${name}`);
}

/** Ids outside a selection (--users, --limit) are left out; ids that the data do not have at all are refused. */
async function refuseForeignIds(
  file: Predictions,
  asked: ReadonlySet<string>,
  loaded: LoadedTask,
  settings: RunSettings,
  io: Terminal,
): Promise<void> {
  const foreign = [...file.outputs.keys()].filter((id) => !asked.has(id));
  if (foreign.length === 0) return;
  const whole = await loadTask(loaded.task, wholeOf(settings), io.cwd);
  const all = questionsOf(whole);
  const unknown = foreign.filter((id) => !all.has(id));
  if (unknown.length > 0)
    throw new UsageError(
      `${file.name}: ${unknown.length} of ${file.outputs.size} ids are no questions of ${loaded.dataset.name} (first ${JSON.stringify(unknown[0])}); give the --data that the predictions answer`,
    );
  io.err(`${file.name}: ${foreign.length} predictions are outside the chosen users and questions and are left out`);
}

/** The same data without a selection of users or questions. */
function wholeOf(settings: RunSettings): RunSettings {
  const setFor = (task: string) => ({ ...settings.setFor(task), "data.maxQueriesPerUser": 0 });
  return { ...settings, users: undefined, limit: undefined, setFor };
}

function planOf(name: string, loaded: LoadedTask, predictions: readonly Predictions[], { seed }: RunSettings): RunPlan {
  const files = predictions.map(({ file }) => file);
  const cells = files.map((_, repeat) => {
    const content = {
      task: loaded.task.name,
      dataset: loaded.dataset.name,
      method: name,
      model: "imported",
      options: { ...loaded.dataOptions, "import.files": contentId(files.map(({ sha256 }) => sha256)).slice(0, 12) },
      seed,
      repeat,
    };
    return { id: contentId(content).slice(0, 12), ...content };
  });
  return { version: version(), cells, data: [planData(loaded)], imported: files, notApplied: [] };
}

const placeOf = ({ cell, unit, question }: Row) => ({ cell, unit, question });

interface Imported {
  readonly loaded: LoadedTask;
  readonly predictions: readonly Predictions[];
  readonly simulated: boolean;
}

function write(folder: string, plan: RunPlan, { loaded, predictions, simulated }: Imported, io: Terminal): void {
  const old = readManifest(folder);
  if (old !== undefined) refuseChangedPlan(folder, old.plan, plan);
  const rows = new RunRows(folder);
  for (const [repeat, { name, outputs }] of predictions.entries()) {
    const { id: cell } = plan.cells[repeat]!; // one cell a file
    for (const row of importRows({ cell, loaded, outputs, source: name, simulated })) {
      rows.row(row);
      rows.trace({ ...placeOf(row), requests: [], notes: [{ kind: "imported", data: name }] });
    }
    for (const { id: unit, user } of loaded.units)
      rows.unit({ cell, user: user.id, unit, historySize: user.history.length, spend: {}, incidents: {} });
  }
  rows.finish();
  writeManifest(folder, manifestOf(folder, plan, { loaded, predictions, simulated }, io));
}

function manifestOf(
  folder: string,
  plan: RunPlan,
  { loaded, predictions, simulated }: Imported,
  io: Terminal,
): Manifest {
  const now = timestamp(io);
  const origin = `imported from ${predictions.map(({ file }) => file.name).join(", ")}: calls, tokens and cost are unknown`;
  return {
    format: 1,
    plan,
    simulated,
    tasks: [taskFacts(loaded, [origin])],
    argv: io.argv.map(withoutLogin),
    startedAt: now,
    node: process.version,
    finishedAt: now,
    answeredBy: [],
    requests: requestsByCell(folder),
    records: recordHashes(folder),
  };
}

/** Returns how many are missing. */
function sayMissing({ name, outputs }: Predictions, asked: readonly string[], io: Terminal): number {
  const missing = asked.filter((id) => outputs.get(id) === undefined);
  if (missing.length > 0)
    io.err(
      `${name}: ${missing.length} of ${asked.length} questions have no prediction (first ${JSON.stringify(missing[0])}): counted as failed, not scored`,
    );
  return missing.length;
}
