import path from "node:path";
import { readJson } from "../disk/read-json.js";
import { writeText } from "../disk/whole-file.js";
import { ScoreError, UsageError } from "../errors.js";
import {
  type Evaluation,
  type EvaluationRequest,
  type Evaluator,
  evaluators,
  type NamedJson,
} from "../metrics/evaluators/index.js";
import { catalogueOf } from "../run/catalogue.js";
import type { Io } from "../run/io.js";
import { nounOf } from "../text/count.js";

export interface OfficialAnswers {
  /** The official name: `LaMP_3`. */
  readonly task: string;
  /** Also where they are predictions. */
  readonly golds: readonly { readonly id: string; readonly output: string }[];
}

/** Predictions and golds in the official form, and how they are to be scored. */
export interface ScoreSettings {
  readonly task?: string | undefined;
  /** Files, or what would stand in them. */
  readonly predictions?: string | OfficialAnswers | undefined;
  readonly golds?: string | OfficialAnswers | undefined;
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

/** Names and summaries of what `evaluator` takes. */
export const scoreEvaluators: readonly Pick<Evaluator, "name" | "summary">[] = evaluators.all;

/** Scores predictions exactly as the benchmark's own script. Throws UsageError on files and names that it cannot take. */
export async function score(settings: ScoreSettings, io: Pick<Io, "cwd" | "catalogue">): Promise<Scored> {
  const task = required(settings.task, "--task", "e.g. --task lamp3");
  const predictions = required(settings.predictions, "--predictions", "e.g. --predictions p.json");
  const golds = required(settings.golds, "--golds", "e.g. --golds dev_outputs.json");
  const evaluator = evaluators.get(settings.evaluator ?? "strict", "--evaluator");
  const bootstrapSeed = settings.bootstrapSeed === undefined ? undefined : readSeed(String(settings.bootstrapSeed));
  const { tasks } = catalogueOf(io);
  const result = evaluate(evaluator, {
    taskName: task,
    predictions: await official(predictions, "--predictions", io.cwd),
    golds: await official(golds, "--golds", io.cwd),
    resolve: (name, where) => tasks.get(name, where),
    tasks: tasks.all,
    bootstrapSeed,
  });
  if (settings.output !== undefined) writeResult(settings.output, result, io.cwd);
  return { ...result, task, evaluator: evaluator.name, bootstrapSeed };
}

/** The result as JSON, with full precision. */
export function scoreJson({ task, evaluator, bootstrapSeed, ...result }: Scored): string {
  const { scores, count, unparsed, unscored, empty } = result;
  const rouge = bootstrapSeed === undefined ? {} : { bootstrapSeed };
  return `${JSON.stringify({ task, evaluator, ...rouge, n: count, unparsed, ...(empty === undefined ? {} : { empty }), unscored, ...scores }, undefined, 2)}`;
}

/** The result as a table, with what a reader must know below it. */
export function scoreTable({ task, evaluator, bootstrapSeed, ...result }: Scored): string {
  const rows = Object.entries(result.scores).map(
    ([key, value]) => [key, value.toFixed(4), String(result.count)] as const,
  );
  const header = ["metric", "score", "n"] as const;
  const lines = [header, ...rows].map(([key, value, n]) => `${key.padEnd(8)}  ${value.padStart(8)}  ${n.padStart(6)}`);
  const notes = [
    `${task}, evaluator ${evaluator}${bootstrapSeed === undefined ? "" : `, official bootstrap with seed ${bootstrapSeed}`}`,
    ...lines,
    result.unparsed > 0 &&
      `${result.unparsed} of ${result.count} ${nounOf(result.count, "prediction")} cannot be read as an answer of the task; scored as the official scorer does`,
    result.empty !== undefined &&
      `${result.empty} of ${result.count} ${nounOf(result.count, "prediction is an empty text", "predictions are empty texts")}: scored 0, as the official scorer does`,
    result.unscored > 0 &&
      `${result.unscored} ${nounOf(result.unscored, "gold is", "golds are")} null: not scored, not in n`,
  ];
  return notes.filter((line) => line !== false).join("\n");
}

const writeResult = (file: string, { scores }: Evaluation, cwd: string): void =>
  writeText(path.resolve(cwd, file), `${JSON.stringify(scores, undefined, 4)}\n`);

const official = async (given: string | OfficialAnswers, flag: string, cwd: string): Promise<NamedJson> =>
  typeof given === "string"
    ? { name: given, json: await readJson(given, flag, cwd) }
    : { name: flag.replace("--", ""), json: given };

function required<T>(value: T | undefined, flag: string, example: string): T {
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
