import { ScoreError } from "../../errors.js";
import { parsePythonFloat } from "../../text/float.js";
import { pyStrip } from "../../text/python.js";
import type { Metric, Pair, TaskBrief } from "../../types/index.js";
import { accuracy } from "../accuracy.js";
import { macroF1 } from "../macro.js";
import { mae } from "../mae.js";
import { labelIndex } from "../official-labels.js";
import { ratingError } from "../rating.js";
import { rmse } from "../rmse.js";
import { rouge1, rougeL } from "../rouge.js";
import { officialRouge } from "../rouge-score.js";
import { scoreAll } from "../score-all.js";

/** What the official scripts compute for one kind of task, under their own result keys. */
export interface Scorer {
  /** The scripts write `str(output)` for labels and ratings, and crash on ROUGE texts that are no strings. */
  readonly takesAnyValue: boolean;
  readable(prediction: string): boolean;
  /** Whether a text that is read has nothing in it. Absent: there is no such text. */
  empty?(prediction: string): boolean;
  /** Why the scripts crash on this pair, if they do. */
  crash(pair: Pair): string | undefined;
  score(pairs: readonly Pair[], bootstrapSeed?: number): Record<string, number>;
}

export const labelScorer = (labels: readonly string[]): Scorer => ({
  takesAnyValue: true,
  readable: (prediction) => labelIndex(labels, prediction) >= 0,
  crash: () => undefined,
  score: byKey({ accuracy: accuracy(labels), f1: macroF1(labels) }),
});

export const ratingScorer: Scorer = {
  takesAnyValue: true,
  readable: (prediction) => parsePythonFloat(prediction) !== undefined,
  crash: ratingCrash,
  score: byKey({ MAE: mae, RMSE: rmse }),
};

export const textScorer: Scorer = {
  takesAnyValue: false,
  readable: () => true, // as runs and imports read: the scripts take every text, the empty one too
  empty: (prediction) => pyStrip(prediction) === "",
  crash: () => undefined,
  score: (pairs, bootstrapSeed) =>
    bootstrapSeed === undefined ? meanRouge(pairs) : officialRouge(pairs, bootstrapSeed),
};

export const scorerOfKind: Readonly<Record<TaskBrief["kind"], (labels: readonly string[]) => Scorer>> = {
  label: labelScorer,
  rating: () => ratingScorer,
  text: () => textScorer,
  choice: labelScorer, // outputs are letters
};

/** How many predictions are empty texts; nothing where none is. */
export function emptyTexts(pairs: readonly Pair[], { empty }: Scorer): { empty?: number } {
  const count = pairs.filter(({ prediction }) => empty?.(prediction) === true).length;
  return count === 0 ? {} : { empty: count };
}

const meanRouge = byKey({ "rouge-1": rouge1, "rouge-L": rougeL });

function ratingCrash(pair: Pair): string | undefined {
  try {
    ratingError(pair);
    return undefined;
  } catch (error) {
    if (error instanceof ScoreError) return error.message;
    throw error;
  }
}

function byKey(metrics: Readonly<Record<string, Metric>>): (pairs: readonly Pair[]) => Record<string, number> {
  return (pairs) =>
    Object.fromEntries(Object.entries(metrics).map(([key, metric]) => [key, scoreAll(metric, pairs)] as const));
}
