import { ScoreError } from "../../src/errors.js";
import { accuracy } from "../../src/metrics/accuracy.js";
import { evaluators } from "../../src/metrics/evaluators/index.js";
import { macroF1 } from "../../src/metrics/macro.js";
import { mae } from "../../src/metrics/mae.js";
import { labelIndex } from "../../src/metrics/official-labels.js";
import { mapRating } from "../../src/metrics/rating.js";
import { rmse } from "../../src/metrics/rmse.js";
import { officialRouge, rouge1, rougeL, rougeScore } from "../../src/metrics/rouge.js";
import { scoreAll } from "../../src/metrics/score-all.js";
import { tasks } from "../../src/tasks/index.js";
import { parsePythonFloat, pySplit, pyStrip, pythonStr } from "../../src/text/python.js";
import { rougeTokens } from "../../src/text/tokens.js";
import type { Pair } from "../../src/types/index.js";
import { difference, each, expectError, type Sections } from "./section.js";

const TOLERANCE = 1e-12;

interface PairsVector {
  readonly tag: string;
  readonly task: string;
  readonly preds: readonly unknown[];
  readonly golds: readonly unknown[];
}

interface LabelVector extends PairsVector {
  readonly accuracy: number;
  readonly f1: number;
  readonly pred_idx: readonly number[];
  readonly gold_idx: readonly number[];
  readonly correct: readonly number[];
}

interface RatingVector extends PairsVector {
  readonly mapped: readonly (number | string)[];
  readonly error?: unknown;
  readonly MAE?: number;
  readonly RMSE?: number;
  readonly abs_err?: readonly number[];
}

interface RougeVector {
  readonly target: string;
  readonly prediction: string;
  readonly tokens_target: readonly string[];
  readonly tokens_prediction: readonly string[];
  readonly nostem: unknown;
}

interface CorpusVector {
  readonly preds: readonly string[];
  readonly golds: readonly string[];
  readonly f1_rouge1: readonly number[];
  readonly f1_rougeL: readonly number[];
  readonly mean_rouge1: number;
  readonly mean_rougeL: number;
  readonly official_seeded: readonly {
    readonly seed: number;
    readonly "rouge-1": number;
    readonly "rouge-L": number;
  }[];
}

interface FileVector {
  readonly evaluator: string;
  readonly tag: string;
  readonly golds: unknown;
  readonly preds: unknown;
  readonly task_name: string;
  readonly result?: unknown;
  readonly error?: unknown;
}

interface FloatVector {
  readonly s: string;
  readonly stripped: string;
  readonly ok: boolean;
  readonly value: number | string | null;
  readonly float32: string | null;
}

interface SpaceVector {
  readonly cp: number;
  readonly py_strip: boolean;
  readonly py_split: boolean;
  readonly re_s: boolean;
}

const tagged = (vector: PairsVector, index: number): string => `#${index} ${vector.task} ${vector.tag}`;

export const sections: Sections = {
  classification: each(checkLabels, tagged),
  real_predictions: each(checkLabels, tagged),
  rating: each(checkRating, tagged),
  rouge_pairs: each(checkRouge, (vector) => JSON.stringify(vector.target.slice(0, 40))),
  rouge_corpora: each(checkCorpus),
  rouge_bad_types: each((vector: { readonly pred: unknown }) =>
    expectError(() => evaluateFiles("lamp", "LaMP_4", one("LaMP_4", vector.pred), one("LaMP_4", "x"))),
  ),
  files: each(checkFiles, (vector) => `${vector.evaluator} ${vector.tag}`),
  float_parse: each(checkFloat, (vector) => JSON.stringify(vector.s)),
  whitespace: each(checkSpace, (vector) => `U+${vector.cp.toString(16)}`),
};

function textPairs({ preds, golds }: PairsVector): Pair[] {
  return preds.map((prediction, i) => ({ prediction: pythonStr(prediction), gold: pythonStr(golds[i]) }));
}

function checkLabels(vector: LabelVector): string | undefined {
  const { labels } = tasks.get(vector.task);
  const predicted = vector.preds.map((value) => labelIndex(labels, value));
  const truth = vector.golds.map((value) => labelIndex(labels, value));
  const pairs = textPairs(vector);
  const actual = {
    pred_idx: predicted,
    gold_idx: truth,
    correct: pairs.map((pair) => scoreAll(accuracy(labels), [pair])),
    accuracy: scoreAll(accuracy(labels), pairs),
    f1: scoreAll(macroF1(labels), pairs),
  };
  const { pred_idx, gold_idx, correct, accuracy: share, f1 } = vector;
  return difference(actual, { pred_idx, gold_idx, correct, accuracy: share, f1 }, TOLERANCE);
}

function checkRating(vector: RatingVector): string | undefined | Promise<string | undefined> {
  const pairs = textPairs(vector);
  const mapped = pairs.map(({ prediction, gold }) => named(mapRating(prediction, gold)));
  const mappedDiffers = difference(mapped, vector.mapped, TOLERANCE, "mapped");
  if (mappedDiffers !== undefined) return mappedDiffers;
  const run = () => ({
    MAE: scoreAll(mae, pairs),
    RMSE: scoreAll(rmse, pairs),
    abs_err: pairs.map((pair) => scoreAll(mae, [pair])),
  });
  if (vector.error !== undefined) return expectError(run);
  const { MAE, RMSE, abs_err } = vector;
  return difference(run(), { MAE, RMSE, abs_err }, TOLERANCE);
}

function checkRouge(vector: RougeVector): string | undefined {
  const { target, prediction } = vector;
  const { tokens_target, tokens_prediction, nostem } = vector;
  const actual = {
    tokens_target: rougeTokens(target),
    tokens_prediction: rougeTokens(prediction),
    nostem: Object.fromEntries(
      Object.entries(rougeScore(target, prediction)).map(([type, { precision, recall, f }]) => [
        type,
        [precision, recall, f],
      ]),
    ),
  };
  return difference(actual, { tokens_target, tokens_prediction, nostem }, TOLERANCE);
}

function checkCorpus(vector: CorpusVector): string | undefined {
  const pairs = vector.preds.map((prediction, i): Pair => ({ prediction, gold: vector.golds[i]! }));
  const actual = {
    f1_rouge1: pairs.map((pair) => scoreAll(rouge1, [pair])),
    f1_rougeL: pairs.map((pair) => scoreAll(rougeL, [pair])),
    mean_rouge1: scoreAll(rouge1, pairs),
    mean_rougeL: scoreAll(rougeL, pairs),
    official_seeded: vector.official_seeded.map(({ seed }) => ({ seed, ...officialRouge(pairs, seed) })),
  };
  const { f1_rouge1, f1_rougeL, mean_rouge1, mean_rougeL, official_seeded } = vector;
  return difference(actual, { f1_rouge1, f1_rougeL, mean_rouge1, mean_rougeL, official_seeded }, TOLERANCE);
}

function checkFiles(vector: FileVector): string | undefined | Promise<string | undefined> {
  const run = () => evaluateFiles(vector.evaluator, vector.task_name, vector.preds, vector.golds);
  return vector.error === undefined ? difference(run(), vector.result, TOLERANCE) : expectError(run);
}

function evaluateFiles(evaluator: string, taskName: string, predictions: unknown, golds: unknown): unknown {
  return evaluators.get(evaluator).score({
    taskName,
    predictions: { name: "preds", json: predictions },
    golds: { name: "golds", json: golds },
    resolve: (name, where) => tasks.get(name, where),
    tasks: tasks.all,
  }).scores;
}

const one = (task: string, output: unknown): unknown => ({ task, golds: [{ id: "1", output }] });

function checkFloat(vector: FloatVector): string | undefined {
  const value = parsePythonFloat(vector.s);
  const actual = {
    stripped: pyStrip(vector.s),
    ok: value !== undefined,
    value: value === undefined ? null : named(value),
  };
  const { stripped, ok, value: expected } = vector;
  const single = value === undefined ? null : named(Math.fround(value));
  return (
    difference(actual, { stripped, ok, value: expected }, TOLERANCE) ??
    difference(single, vector.float32 === null ? null : named(pythonFloat(vector.float32)), TOLERANCE, "float32")
  );
}

function pythonFloat(text: string): number {
  const value = parsePythonFloat(text);
  if (value === undefined) throw new ScoreError(`the vector's ${text} is not a float`);
  return value;
}

/** Vectors write non-finite numbers as Python prints them. */
function named(value: number): number | string {
  if (Number.isFinite(value)) return value;
  return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

function checkSpace({ cp, py_strip, py_split, re_s }: SpaceVector): string | undefined {
  const character = String.fromCodePoint(cp);
  const stripped = pyStrip(`${character}a${character}`) === "a";
  const separates = pySplit(`a${character}b`).length === 2;
  return difference({ py_strip: stripped, py_split: separates, re_s: separates }, { py_strip, py_split, re_s });
}
