import { writeFile } from "node:fs/promises";
import path from "node:path";
import { Command, Option } from "commander";
import { readJson } from "../app/read-json.js";
import { ScoreError, UsageError } from "../errors.js";
import { type Evaluation, type EvaluationRequest, type Evaluator, evaluators } from "../metrics/evaluators/index.js";
import { tasks } from "../tasks/index.js";
import type { Terminal } from "./terminal.js";

/** `lamp-eval score`: a drop-in replacement for the benchmark's own script, whose flag spellings it takes too. */
export function scoreCommand(io: Terminal): Command {
  const command = new Command("score")
    .option("--task <name>", "task of the files, e.g. lamp3 or LaMP_3")
    .option("--predictions <file>", "predictions JSON")
    .option("--golds <file>", "golds JSON (the official ..._outputs.json)")
    .option("--evaluator <name>", `whose file checks to apply: ${evaluators.names.join(", ")}`, "strict")
    .option(
      "--official-bootstrap",
      "ROUGE as the official script prints it (bootstrap median), seeded by --seed",
      false,
    )
    .option("--seed <n>", "seed of --official-bootstrap, as np.random.seed(n)", "0")
    .option("--output <file>", "also write the official result JSON to a file")
    .option("--json", "print JSON with full precision", false);
  for (const flag of Object.keys(OFFICIAL_SPELLINGS)) command.addOption(new Option(`${flag} <value>`).hideHelp());
  command.addHelpText("after", evaluatorHelp);
  return command.action((flags: Flags) => score(withOfficialSpellings(flags), io));
}

// --- internal ---

/** Flags of LaMP's eval/eval_task.py. */
const OFFICIAL_SPELLINGS = {
  "--task_name": "task",
  "--preds_json": "predictions",
  "--golds_json": "golds",
  "--output_file": "output",
} as const;

interface Flags {
  readonly task?: string;
  readonly predictions?: string;
  readonly golds?: string;
  readonly output?: string;
  readonly evaluator: string;
  readonly officialBootstrap: boolean;
  readonly seed: string;
  readonly json: boolean;
  readonly [official: string]: string | boolean | undefined;
}

async function score(flags: Flags, io: Terminal): Promise<void> {
  const taskName = required(flags.task, "--task", "e.g. --task lamp3");
  const predictions = required(flags.predictions, "--predictions", "e.g. --predictions p.json");
  const golds = required(flags.golds, "--golds", "e.g. --golds dev_outputs.json");
  const evaluator = evaluators.get(flags.evaluator, "--evaluator");
  const bootstrapSeed = flags.officialBootstrap ? readSeed(flags.seed) : undefined;
  const result = evaluate(evaluator, {
    taskName,
    predictions: { name: predictions, json: await readJson(predictions, "--predictions", io.cwd) },
    golds: { name: golds, json: await readJson(golds, "--golds", io.cwd) },
    resolve: (name, where) => tasks.get(name, where),
    tasks: tasks.all,
    bootstrapSeed,
  });
  if (flags.output !== undefined) await writeResult(flags.output, result, io.cwd);
  io.out(
    flags.json
      ? asJson(taskName, evaluator, result, bootstrapSeed)
      : asTable(taskName, evaluator, result, bootstrapSeed),
  );
}

async function writeResult(file: string, { scores }: Evaluation, cwd: string): Promise<void> {
  try {
    await writeFile(path.resolve(cwd, file), `${JSON.stringify(scores, undefined, 4)}\n`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--output ${file}: cannot be written (${reason})`, { cause: error });
  }
}

function withOfficialSpellings(flags: Flags): Flags {
  const merged: Record<string, string | boolean | undefined> = { ...flags };
  for (const [spelling, name] of Object.entries(OFFICIAL_SPELLINGS)) merged[name] ??= flags[spelling.slice(2)];
  return { ...flags, ...merged };
}

function required(value: string | undefined, flag: string, example: string): string {
  if (value === undefined) throw new UsageError(`${flag} is missing, ${example}`);
  return value;
}

function readSeed(text: string): number {
  const seed = Number(text);
  if (!/^\d+$/.test(text) || seed > 0xffffffff)
    throw new UsageError(`--seed ${text}: expected a whole number from 0 to ${0xffffffff}, as numpy takes`);
  return seed;
}

function evaluate(evaluator: Evaluator, request: EvaluationRequest): Evaluation {
  try {
    return evaluator.score(request);
  } catch (error) {
    if (!(error instanceof ScoreError)) throw error;
    throw new UsageError(
      `${error.message} (--evaluator ${evaluator.name}: the official script stops here too; --evaluator strict checks entry by entry)`,
      {
        cause: error,
      },
    );
  }
}

function asJson(task: string, evaluator: Evaluator, result: Evaluation, bootstrapSeed: number | undefined): string {
  const { scores, count, unparsed, unscored } = result;
  const rouge = bootstrapSeed === undefined ? {} : { bootstrapSeed };
  return `${JSON.stringify({ task, evaluator: evaluator.name, ...rouge, n: count, unparsed, unscored, ...scores }, undefined, 2)}`;
}

function asTable(task: string, evaluator: Evaluator, result: Evaluation, bootstrapSeed: number | undefined): string {
  const rows = Object.entries(result.scores).map(
    ([key, value]) => [key, value.toFixed(4), String(result.count)] as const,
  );
  const header = ["metric", "score", "n"] as const;
  const lines = [header, ...rows].map(([key, value, n]) => `${key.padEnd(8)}  ${value.padStart(8)}  ${n.padStart(6)}`);
  const notes = [
    `${task}, evaluator ${evaluator.name}${bootstrapSeed === undefined ? "" : `, official bootstrap with seed ${bootstrapSeed}`}`,
    ...lines,
    result.unparsed > 0 &&
      `${result.unparsed} of ${result.count} predictions cannot be read as an answer of the task; scored as the official scorer does`,
    result.unscored > 0 && `${result.unscored} golds are null: not scored, not in n`,
  ];
  return notes.filter((line) => line !== false).join("\n");
}

function evaluatorHelp(): string {
  const lines = evaluators.all.map(({ name, summary }) => `  ${name.padEnd(7)} ${summary}`);
  return `\nEvaluators:\n${lines.join("\n")}\n`;
}
