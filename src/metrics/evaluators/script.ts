import { ScoreError } from "../../errors.js";
import { nounOf } from "../../text/count.js";
import { pythonStr } from "../../text/python.js";
import { CITATION_LABELS, MOVIE_LABELS, NEWS_LABELS } from "../official-labels.js";
import {
  type EvaluationScript,
  evaluated,
  labelScorer,
  type NamedJson,
  ratingScorer,
  shortJson,
  type TaskScorer,
  textScorer,
} from "./scorers.js";

/**
 * An official evaluation script: exact task names, type-strict ids, the last duplicate wins, unknown task names are scored
 * as ROUGE, a failed check is an error. Pairs come in the order of the golds, where the scripts take an arbitrary set order.
 */
function script(setup: {
  readonly name: string;
  readonly summary: string;
  readonly source: string;
  readonly dispatch: Readonly<Record<string, TaskScorer>>;
}): EvaluationScript {
  const { dispatch, ...identity } = setup;
  return {
    ...identity,
    score({ taskName, predictions, golds, bootstrapSeed }) {
      const given = readFile(predictions);
      const wanted = readFile(golds);
      if (given.task !== taskName)
        throw new ScoreError(
          `${predictions.name}: its task ${shortJson(given.task)} is not exactly the task name "${taskName}"`,
        );
      if (wanted.task !== taskName)
        throw new ScoreError(`${golds.name}: golds are for ${shortJson(wanted.task)}, not for "${taskName}"`);
      requireSameIds(given, wanted, predictions.name, golds.name);
      const scorer = Object.hasOwn(dispatch, taskName) ? dispatch[taskName]! : textScorer;
      const text = (value: unknown, file: string): string => {
        if (typeof value === "string" && /\p{Surrogate}/u.test(value) && !scorer.takesAnyValue)
          throw new ScoreError(`${file}: output ${shortJson(value)} holds half a surrogate pair`); // Python cannot encode it
        if (typeof value === "string" || scorer.takesAnyValue) return pythonStr(value);
        throw new ScoreError(`${file}: output ${shortJson(value)} is not a string`);
      };
      const pairs = [...wanted.outputs].map(([id, gold]) => ({
        prediction: text(given.outputs.get(id), predictions.name),
        gold: text(gold, golds.name),
      }));
      return evaluated(scorer, pairs, 0, bootstrapSeed);
    },
  };
}

interface Outputs {
  readonly task: unknown;
  readonly outputs: ReadonlyMap<string, unknown>;
}

function readFile({ name, json }: NamedJson): Outputs {
  const { task, golds } = fields(json);
  if (task === undefined || !Array.isArray(golds)) throw new ScoreError(`${name}: expected {"task", "golds": [...]}`);
  const outputs = new Map<string, unknown>();
  for (const [index, entry] of golds.entries()) {
    const { id, output } = fields(entry);
    const key = idKey(id);
    if (key === undefined || output === undefined)
      throw new ScoreError(`${name}: golds[${index}] lacks "id" or "output"`);
    outputs.set(key, output);
  }
  return { task, outputs };
}

/** Returns the fields of an object; other values have none of the names read here. */
function fields(json: unknown): Readonly<Record<string, unknown>> {
  return { ...Object(json) };
}

function requireSameIds(given: Outputs, wanted: Outputs, predictionsName: string, goldsName: string): void {
  const missing = [...wanted.outputs.keys()].filter((id) => !given.outputs.has(id)).length;
  const extra = [...given.outputs.keys()].filter((id) => !wanted.outputs.has(id)).length;
  if (missing + extra > 0)
    throw new ScoreError(
      `${predictionsName}: ${missing} ${nounOf(missing, "id")} of ${goldsName} ${nounOf(missing, "is", "are")} missing, ${extra} ${nounOf(extra, "id is", "ids are")} not in it`,
    );
}

/** Returns type-strict key of an id as Python dictionaries compare them: "10" is not 10, but 1, 1.0 and true are one. Undefined: no id. */
export function idKey(id: string | number | bigint): string;
export function idKey(id: unknown): string | undefined;
export function idKey(id: unknown): string | undefined {
  if (typeof id === "string") return `text ${id}`;
  if (typeof id === "bigint") return `number ${id}`;
  if (typeof id === "number" || typeof id === "boolean") return `number ${Number(id)}`;
  return id === null ? "null" : undefined;
}

/** LaMP's own script. It knows LaMP_2 as the movie task only. */
export const lamp = script({
  name: "lamp",
  summary: "LaMP's eval_task.py, exactly: LaMP_1, LaMP_2 (movies), LaMP_3, all else ROUGE",
  source: "LaMP-Benchmark/LaMP eval/evaluation.py @38c9d4d",
  dispatch: {
    LaMP_1: labelScorer(CITATION_LABELS),
    LaMP_2: labelScorer(MOVIE_LABELS),
    LaMP_3: ratingScorer,
  },
});

/** OPPU's copy of the script. It splits LaMP_2 into LaMP_2N and LaMP_2M, so a plain LaMP_2 is scored as ROUGE. */
export const oppu = script({
  name: "oppu",
  summary: "OPPU's eval_task.py, exactly: LaMP_1, LaMP_2N, LaMP_2M, LaMP_3, all else ROUGE",
  source: "TamSiuhin/OPPU eval/evaluation.py @9fb3f46",
  dispatch: {
    LaMP_1: labelScorer(CITATION_LABELS),
    LaMP_2N: labelScorer(NEWS_LABELS),
    LaMP_2M: labelScorer(MOVIE_LABELS),
    LaMP_3: ratingScorer,
  },
});
