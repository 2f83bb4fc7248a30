import { resolve } from "node:path";
import { Command } from "commander";
import { readJson } from "../disk/read-json.js";
import { writeText } from "../disk/whole-file.js";
import { ScoreError, UsageError } from "../errors.js";
import { type Evaluation, evaluators } from "../metrics/evaluators/index.js";
import { catalogueOf } from "../plan/catalogue.js";
import type { Io } from "../plan/io.js";
import { mailTask } from "../tasks/index.js";
import { nounOf } from "../text/count.js";
import type { Terminal } from "./terminal.js";

export interface OfficialAnswers {
  /** The official name: `LaMP_3`. */
  readonly task: string;
  /** Also where they are predictions. */
  readonly golds: readonly { readonly id: string; readonly output: string }[];
}

/** Predictions and golds in the official form, and how they are to be scored. */
export interface ScoreSettings {
  /** A name: `lamp3`, `LaMP_3`. */
  readonly task: string;
  /** Files, or what would stand in them. */
  readonly predictions: string | OfficialAnswers;
  readonly golds: string | OfficialAnswers;
  /** Where to write the official result JSON. Absent: nowhere. */
  readonly output?: string | undefined;
  /** Whose file checks to apply. Default: `strict`. */
  readonly evaluator?: string | undefined;
  /** ROUGE as the official script prints it, seeded so (a whole number as numpy takes). Absent: exact means. */
  readonly bootstrapSeed?: string | number | undefined;
}

export interface Scored extends Evaluation {
  /** As it was named. */
  readonly task: string;
  readonly evaluator: string;
  readonly bootstrapSeed: number | undefined;
}

interface Flags extends ScoreSettings {
  readonly officialBootstrap: boolean;
  readonly seed: string;
  readonly json: boolean;
}

/** `lamp-eval score`: the benchmark's own script. RMSE and macro-F1 are summed in another order than numpy's: 15 digits are equal. */
export function scoreCommand(io: Terminal): Command {
  return new Command("score")
    .requiredOption("--task <name>", "task of the files, e.g. lamp3 or LaMP_3")
    .requiredOption("--predictions <file>", "predictions JSON")
    .requiredOption("--golds <file>", "golds JSON (the official ..._outputs.json)")
    .option("--evaluator <name>", `whose file checks to apply: ${evaluators.names.join(", ")}`, "strict")
    .option("--official-bootstrap", "ROUGE as the official script prints it (bootstrap median)", false)
    .option("--seed <n>", "seed of --official-bootstrap, as np.random.seed(n)", "0")
    .option("--output <file>", "also write the official result JSON to a file")
    .option("--json", "print JSON with full precision", false)
    .action(async ({ officialBootstrap, seed, json, ...settings }: Flags) => {
      const scored = await score({ ...settings, bootstrapSeed: officialBootstrap ? seed : undefined }, io);
      io.out(json ? scoreJson(scored) : scoreTable(scored));
    });
}

/** Scores predictions exactly as the benchmark's own script. Throws UsageError on files and names that it cannot take. */
export async function score(settings: ScoreSettings, io: Pick<Io, "cwd" | "catalogue">): Promise<Scored> {
  const { tasks } = catalogueOf(io);
  const { task, predictions, golds } = settings;
  const evaluator = evaluators.get(settings.evaluator ?? "strict", "--evaluator");
  const bootstrapSeed = settings.bootstrapSeed === undefined ? undefined : readSeed(String(settings.bootstrapSeed));
  const request = {
    taskName: task,
    predictions: await official(predictions, "--predictions", io.cwd),
    golds: await official(golds, "--golds", io.cwd),
    resolve: (name: string, where?: string) => mailTask.find(name) ?? tasks.get(name, where),
    tasks: tasks.all,
    bootstrapSeed,
  };
  let result: Evaluation;
  try {
    result = evaluator.score(request);
  } catch (error) {
    if (!(error instanceof ScoreError)) throw error;
    const hint = `--evaluator ${evaluator.name}: the official script stops here too; --evaluator strict checks entry by entry`;
    throw new UsageError(`${error.message} (${hint})`, { cause: error });
  }
  if (settings.output !== undefined)
    writeText(resolve(io.cwd, settings.output), `${JSON.stringify(result.scores, undefined, 4)}\n`);
  return { ...result, task, evaluator: evaluator.name, bootstrapSeed };
}

const official = async (given: string | OfficialAnswers, flag: string, cwd: string) =>
  typeof given === "string"
    ? { name: given, json: await readJson(given, flag, cwd) }
    : { name: flag.replace("--", ""), json: given };

function readSeed(text: string): number {
  const seed = Number(text);
  if (/^\d+$/.test(text) && seed <= 0xffffffff) return seed;
  throw new UsageError(`--seed ${text}: expected a whole number from 0 to ${0xffffffff}, as numpy takes`);
}

function scoreJson({ task, evaluator, bootstrapSeed, scores, count: n, unparsed, unscored, empty }: Scored): string {
  return JSON.stringify({ task, evaluator, bootstrapSeed, n, unparsed, empty, unscored, ...scores }, undefined, 2);
}

function scoreTable({ task, evaluator, bootstrapSeed, scores, count, unparsed, empty = 0, unscored }: Scored): string {
  const row = (key: string, value: string, n: string) => `${key.padEnd(8)}  ${value.padStart(8)}  ${n.padStart(6)}`;
  const seeded = bootstrapSeed === undefined ? "" : `, official bootstrap with seed ${bootstrapSeed}`;
  const remarks: readonly (readonly [number, string])[] = [
    [unparsed, `of ${count} predictions cannot be read as an answer of the task; scored as the official scorer does`],
    [empty, `of ${count} predictions are empty texts: scored 0, as the official scorer does`],
    [unscored, `${nounOf(unscored, "gold is", "golds are")} null: not scored, not in n`],
  ];
  return [
    `${task}, evaluator ${evaluator}${seeded}`,
    row("metric", "score", "n"),
    ...Object.entries(scores).map(([key, value]) => row(key, value.toFixed(4), String(count))),
    ...remarks.flatMap(([number, said]) => (number > 0 ? [`${number} ${said}`] : [])),
  ].join("\n");
}
