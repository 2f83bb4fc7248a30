import { join, relative, resolve } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { lockFolder, runName } from "../run/manifest.js";
import { printEstimates } from "./dry-run.js";
import { executeRun } from "./execute-run.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import type { Io } from "./io.js";
import { demoModel, prepareRun } from "./prepare-run.js";
import { type RunConfig, type RunSettings, runSettings } from "./run-settings.js";

interface Flags extends RunConfig {
  readonly config?: string;
  readonly preset?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** `lamp-eval run`: plans, runs or resumes, and prints the tables. */
export function runCommand(io: Io): Command {
  const command = new Command("run")
    .description("run methods on tasks and print the results table; the same command again resumes")
    .option("-t, --task <names>", "tasks, comma separated (lamp-eval list tasks)")
    .option("-m, --method <names>", "methods, comma separated (lamp-eval list methods)")
    .option("--model <provider/id>", `model (default: ${demoModel}, the embedded one)`)
    .option("--data <dir>", "data folder, or task=dir,task=dir (default: the built-in demo data)")
    .option("--users <n>", "the first n users", integer)
    .option("--queries-per-user <n>", "at most n questions a user, drawn by data.querySeed", integer)
    .option("--limit <n>", "at most n questions in all", integer)
    .option("--history-limit <latest:n>", "cut each history to its n latest events")
    .option("--set <name=value>", "set an option by its dotted name; repeatable (lamp-eval list options)", collect)
    .option("--preset <name>", "all knobs of a published table, e.g. paper-000")
    .option("--config <file.yaml>", "settings from a file; flags win")
    .option("--repeats <n>", "independent repeats of every question", integer)
    .option("--seed <n>", "seed of everything random (default: 0)", integer)
    .option("--concurrency <n>", "most model calls in flight (default: 8)", integer)
    .option("--deadline-seconds <n>", "most time of one try of a call (default: 120)", number)
    .option("--max-calls <n>", "stop, resumably, before call n+1", integer)
    .option("--max-usd <x>", "stop, resumably, before this much is spent", number)
    .option("--max-failed <share>", "exit 1 when a larger share of questions failed (default: 0)", number)
    .addOption(
      new Option("--unsupported <policy>", "parameters that the model refuses (default: error)").choices([
        "error",
        "drop",
      ]),
    )
    .option("--base-url <url>", "server of the provider, e.g. http://localhost:8000/v1")
    .option("--online", "prequential mode: questions in order of time, each gold enters memory after it is scored")
    .option("--out <dir>", "run folder (default: results/<tasks>-<methods>-<plan>)")
    .option("--dry-run", "print calls, tokens and dollars per method and phase; send nothing")
    .option("--json", "print the results as JSON on stdout")
    .action(async ({ config, preset, dryRun, json, set, ...flags }: Flags) => {
      const files = { ...(config === undefined ? {} : { config }), ...(preset === undefined ? {} : { preset }) };
      const settings = runSettings({ ...flags, ...(set === undefined ? {} : { set }) }, files, io.cwd);
      setExitCode(command, await run(settings, { dryRun: dryRun === true, json: json === true }, io));
    });
  return command;
}

// --- internal ---

async function run(settings: RunSettings, show: { dryRun: boolean; json: boolean }, io: Io): Promise<number> {
  const prepared = await prepareRun(settings, io, show.dryRun);
  io.err(openingLine(settings));
  for (const warning of prepared.warnings) io.err(warning);
  if (show.dryRun) {
    await printEstimates(prepared, show.json, io);
    return exitCodes.done;
  }
  const folder = resolve(io.cwd, settings.out ?? join("results", runName(prepared.plan)));
  const release = lockFolder(folder);
  try {
    return await executeRun(
      prepared,
      settings,
      { folder, shown: relative(io.cwd, folder) || ".", json: show.json },
      io,
    );
  } finally {
    release();
  }
}

/** What is run on what, and whether its numbers mean anything. */
function openingLine({ data, model, tasks }: RunSettings): string {
  const demo = data === undefined ? "the built-in demo data (synthetic)" : `data ${data}`;
  const embedded = model === undefined || model.startsWith("offline/");
  const numbers = embedded ? "; its numbers are SIMULATED" : "";
  const missing = [data === undefined ? "--data DIR" : "", model === undefined ? "--model PROVIDER/ID" : ""].filter(
    Boolean,
  );
  const hint = missing.length === 0 ? "" : `; for real ones: ${missing.join(" ")}`;
  return `lamp-eval run: ${tasks.join(", ")} on ${demo}, ${embedded ? "the embedded model" : "model"} ${model ?? demoModel}${numbers}${hint}`;
}

const numeric =
  (accepts: string, fits: (value: number) => boolean) =>
  (text: string): number => {
    const value = text.trim() === "" ? Number.NaN : Number(text);
    if (!fits(value)) throw new InvalidArgumentError(`expected ${accepts}.`);
    return value;
  };
const integer = numeric("a whole number of 0 or more", (value) => Number.isInteger(value) && value >= 0);
const number = numeric("a number of 0 or more", (value) => value >= 0);

function collect(pair: string, sofar: Record<string, string> = {}): Record<string, string> {
  const equals = pair.indexOf("=");
  if (equals < 1) throw new InvalidArgumentError("expected name=value, e.g. rag.k=2.");
  return { ...sofar, [pair.slice(0, equals)]: pair.slice(equals + 1) };
}
