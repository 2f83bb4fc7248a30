import { writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { Command } from "commander";
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
import { planData, taskFacts } from "./data-facts.js";
import type { Io } from "./io.js";
import { loadTask } from "./load-task.js";
import { type Predictions, readPredictions } from "./predictions.js";
import { loadResults, renderFolder } from "./report.js";
import { collect, integer } from "./run-flags.js";
import { type RunConfig, type RunSettings, runSettings } from "./run-settings.js";
import { version } from "./version.js";
import { withoutLogin } from "./without-login.js";

interface Flags
  extends Pick<RunConfig, "data" | "users" | "limit" | "queriesPerUser" | "historyLimit" | "seed" | "out"> {
  readonly task: string;
  readonly predictions: readonly string[];
  readonly name: string;
  readonly set?: Record<string, string>;
  readonly simulated?: boolean;
}

/** `lamp-eval import`: predictions of another program become a run that report, compare and gate accept. */
export function importCommand(io: Io): Command {
  return new Command("import")
    .description("make a run folder from the predictions of another program, for report, compare and gate")
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
    .action((flags: Flags) => importPredictions(flags, io));
}

// --- internal ---

async function importPredictions(flags: Flags, io: Io): Promise<void> {
  const { predictions: files, name, out, simulated = false, ...rest } = flags;
  refuseTakenName(name);
  const task = tasks.get(flags.task, "--task");
  const predictions = await Promise.all(files.map((file) => readPredictions(file, task, io.cwd)));
  const settings = runSettings({ ...rest, method: "imported" }, {}, io.cwd);
  const loaded = await loadTask(task, settings, io.cwd);
  for (const file of predictions) await refuseForeignIds(file, loaded, settings, io);
  const plan = planOf(name, loaded, predictions, settings);
  const folder = resolve(io.cwd, out ?? join("results", runName(plan)));
  const release = lockFolder(folder);
  try {
    write(folder, plan, { loaded, predictions, simulated }, io);
  } finally {
    release();
  }
  const rendered = renderFolder(loadResults(folder));
  for (const [file, text] of Object.entries(rendered.files)) writeFileSync(join(folder, file), text);
  io.out(rendered.terminal);
  for (const file of predictions) sayMissing(file, loaded, io);
  io.err(`everything is in ${relative(io.cwd, folder) || "."}`);
}

function refuseTakenName(name: string): void {
  if (!/^[\w][\w .+-]{0,59}$/.test(name))
    throw new UsageError(
      `--name ${name}: write 1 to 60 letters, digits, blanks or . _ + -, beginning with a letter or digit`,
    );
  if (methods.names.includes(name.toLowerCase().replaceAll("_", "-")))
    throw new UsageError(`--name ${name}: a built-in method is called so; choose another, e.g. --name my-${name}`);
}

/** Ids outside a selection (--users, --limit) are left out; ids that the data do not have at all are refused. */
async function refuseForeignIds(file: Predictions, loaded: LoadedTask, settings: RunSettings, io: Io): Promise<void> {
  const foreign = [...file.outputs.keys()].filter((id) => !questionsOf(loaded).has(id));
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

const questionsOf = ({ units }: LoadedTask): Set<string> =>
  new Set(units.flatMap(({ examples }) => examples.map(({ question }) => question.id)));

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

function write(folder: string, plan: RunPlan, { loaded, predictions, simulated }: Imported, io: Io): void {
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

function manifestOf(folder: string, plan: RunPlan, { loaded, predictions, simulated }: Imported, io: Io): Manifest {
  const now = new Date(io.clock.now()).toISOString();
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

function sayMissing({ name, outputs }: Predictions, loaded: LoadedTask, io: Io): void {
  const all = [...questionsOf(loaded)];
  const missing = all.filter((id) => outputs.get(id) === undefined);
  if (missing.length > 0)
    io.err(
      `${name}: ${missing.length} of ${all.length} questions have no prediction (first ${JSON.stringify(missing[0])}): counted as failed, not scored`,
    );
}
