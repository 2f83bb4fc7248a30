import { ScoreError, UsageError } from "../../errors.js";
import { nounOf } from "../../text/count.js";
import { isObject } from "../../text/json.js";
import { pythonStr } from "../../text/python.js";
import type { Pair } from "../../types/index.js";
import { labelIndex } from "../official-labels.js";
import { ratingError } from "../rating.js";
import {
  type EvaluationRequest,
  type EvaluationScript,
  evaluated,
  labelScorer,
  type NamedJson,
  ratingScorer,
  shortJson,
  type TaskLabels,
  type TaskScorer,
  textScorer,
} from "./scorers.js";

import { idKey } from "./script.js";

interface Entry {
  readonly id: string | number | bigint;
  readonly key: string;
  /** Null where the file says null or has no output. */
  readonly output: unknown;
}

interface AnswerFile {
  readonly name: string;
  readonly task: string;
  /** Entries by type-strict id, in file order. */
  readonly entries: ReadonlyMap<string, Entry>;
}

/** Reads `{task, golds: [{id, output}]}`. Throws UsageError naming the file, the entry and the fix. */
function readAnswerFile({ name, json }: NamedJson): AnswerFile {
  if (!isObject(json)) throw new UsageError(`${name}: ${SHAPE}, found ${kindOf(json)}`);
  if (typeof json.task !== "string") throw new UsageError(`${name}: no "task"; ${SHAPE}`);
  if (!Array.isArray(json.golds)) throw new UsageError(`${name}: "golds" is ${kindOf(json.golds)}; ${SHAPE}`);
  if (json.golds.length === 0) throw new UsageError(`${name}: "golds" is empty, nothing to score`);
  const entries = new Map<string, Entry>();
  const places = new Map<string, number>();
  for (const [index, record] of json.golds.entries()) {
    const entry = readEntry(record, `${name}: golds[${index}]`);
    const earlier = places.get(entry.key);
    if (earlier !== undefined)
      throw new UsageError(
        `${name}: id ${shortJson(entry.id)} stands twice (golds[${earlier}] and golds[${index}]); keep one, or use --evaluator lamp, where the last wins`,
      );
    places.set(entry.key, index);
    entries.set(entry.key, entry);
  }
  return { name, task: json.task, entries };
}

const SHAPE = 'expected {"task": "LaMP_3", "golds": [{"id": "...", "output": "..."}]}';

function readEntry(record: unknown, where: string): Entry {
  if (!isObject(record)) throw new UsageError(`${where}: expected {"id", "output"}, found ${kindOf(record)}`);
  const { id, output } = record;
  if (typeof id !== "string" && typeof id !== "number" && typeof id !== "bigint")
    throw new UsageError(`${where}: "id" is ${kindOf(id)}; write the question's id as a string`);
  return { id, key: idKey(id), output: output ?? null };
}

function kindOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : shortJson(value);
}

/** Computes the official metrics and refuses files that the scripts would score silently wrong. */
export const strict: EvaluationScript = {
  name: "strict",
  summary: "official numbers; aliases accepted, duplicates, foreign ids and unusable values refused",
  source: "own checks around the official metrics",
  score(request) {
    const task = request.resolve(request.taskName, "--task");
    const golds = readAnswerFile(request.golds);
    const predictions = readAnswerFile(request.predictions);
    const scored = [...golds.entries.values()].filter((entry) => entry.output !== null);
    if (scored.length === 0) throw new UsageError(`${golds.name}: every gold is null, nothing to score`);
    requireOwnLabels(task, golds, scored, request.tasks);
    for (const file of [golds, predictions]) requireTaskName(file, task, request.resolve);
    requireSameIds(predictions, golds, scored);
    const scorer = scorerOf(task);
    const pairs = scored.map((gold): Pair => {
      const given = predictions.entries.get(gold.key)!; // the ids are the same
      const pair = { prediction: outputText(given, predictions, scorer), gold: outputText(gold, golds, scorer) };
      if (scorer === ratingScorer)
        refuseCrash(pair, `${predictions.name} against ${golds.name}: id ${shortJson(gold.id)}`);
      return pair;
    });
    return evaluated(scorer, pairs, golds.entries.size - scored.length, request.bootstrapSeed);
  },
};

/** Picks a scorer; choices are scored as labels: their outputs are letters. */
const scorerOf = ({ kind, labels }: TaskLabels): TaskScorer =>
  kind === "text" ? textScorer : kind === "rating" ? ratingScorer : labelScorer(labels);

/** Throws UsageError where the official script crashes on a pair. */
function refuseCrash(pair: Pair, where: string): void {
  try {
    ratingError(pair);
  } catch (error) {
    throw error instanceof ScoreError ? new UsageError(`${where}: ${error.message}`) : error;
  }
}

function outputText({ id, output }: Entry, file: AnswerFile, scorer: TaskScorer): string {
  if (
    typeof output === "string" ||
    ((typeof output === "number" || typeof output === "bigint") && scorer.takesAnyValue)
  )
    return pythonStr(output);
  const found = output === null ? "missing or null" : shortJson(output);
  throw new UsageError(`${file.name}: id ${shortJson(id)}: "output" is ${found}; write it as a string`);
}

/** Officially a gold outside the label list equals any other wrong answer: that is a wrong task, not a score. */
function requireOwnLabels(
  task: TaskLabels,
  golds: AnswerFile,
  scored: readonly Entry[],
  tasks: readonly TaskLabels[],
): void {
  if (task.kind !== "label") return;
  const foreign = scored.find((entry) => labelIndex(task.labels, entry.output) < 0);
  if (foreign === undefined) return;
  const fitting = tasks.find(
    ({ kind, labels }) => kind === "label" && scored.every((entry) => labelIndex(labels, entry.output) >= 0),
  );
  const fix =
    fitting === undefined ? `its labels: ${task.labels.join(", ")}` : `these are labels of --task ${fitting.name}`;
  throw new UsageError(
    `${golds.name}: gold ${shortJson(foreign.output)} (id ${shortJson(foreign.id)}) is no label of ${task.name}; ${fix}`,
  );
}

/**
 * The files' own task name must mean this task. Files of 2023 leave out the variant's letter (`LaMP_2` for news, LaMP_2N):
 * accepted too, since the golds have been found to be this task's labels.
 */
function requireTaskName(file: AnswerFile, task: TaskLabels, resolve: EvaluationRequest["resolve"]): void {
  const withoutVariant = task.official.replace(/[A-Z]$/, "");
  if (task.kind === "label" && file.task.replace("-", "_").toLowerCase() === withoutVariant.toLowerCase()) return;
  const named = resolve(file.task, `${file.name}: "task"`);
  if (named.name !== task.name)
    throw new UsageError(`${file.name}: its task is "${file.task}" (${named.name}), but --task says ${task.name}`);
}

function requireSameIds(predictions: AnswerFile, golds: AnswerFile, scored: readonly Entry[]): void {
  const missing = scored.filter((entry) => !predictions.entries.has(entry.key));
  const extra = [...predictions.entries.values()].filter((entry) => !golds.entries.has(entry.key));
  const problems = [
    missing.length > 0 &&
      `${missing.length} of ${scored.length} ${nounOf(scored.length, "gold")} ${nounOf(missing.length, "has", "have")} no prediction, first ${firstId(missing)}`,
    extra.length > 0 &&
      `${extra.length} ${nounOf(extra.length, "id is", "ids are")} not in ${golds.name}, first ${firstId(extra)}`,
  ].filter((problem) => problem !== false);
  if (problems.length === 0) return;
  const texts = new Set(missing.map((entry) => String(entry.id)));
  const hint = extra.some((entry) => texts.has(String(entry.id)))
    ? '; ids are strings: write "10", not 10'
    : "; predict every gold id once, from the same split";
  throw new UsageError(`${predictions.name}: ${problems.join("; ")}${hint}`);
}

const firstId = (entries: readonly Entry[]): string => shortJson(entries[0]!.id);
