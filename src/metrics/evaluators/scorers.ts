import { parsePythonFloat, pyStrip } from "../../text/python.js";
import type { Metric, Pair, TaskBrief } from "../../types/index.js";
import { accuracy } from "../accuracy.js";
import { macroF1 } from "../macro.js";
import { mae } from "../mae.js";
import { labelIndex } from "../official-labels.js";
import { rmse } from "../rmse.js";
import { officialRouge, rouge1, rougeL } from "../rouge.js";
import { scoreAll } from "../score-all.js";

/** Scores a file of predictions against a file of golds, both in the benchmark's form `{task, golds: [{id, output}]}`. */
export interface EvaluationScript {
  readonly name: string;
  readonly summary: string;
  readonly source: string;
  /** Throws ScoreError where an official script crashes, UsageError where `strict` refuses. */
  score(request: EvaluationRequest): Evaluation;
}

/** Parsed JSON and the name that messages call it by. */
export interface NamedJson {
  readonly name: string;
  readonly json: unknown;
}

/** The parts of a task that `strict` needs: passed in, since metrics do not import tasks. */
export type TaskLabels = Pick<TaskBrief, "name" | "kind" | "labels"> & { readonly official: string };

export interface EvaluationRequest {
  /** The task name as typed. */
  readonly taskName: string;
  readonly predictions: NamedJson;
  readonly golds: NamedJson;
  /** Resolves a spelling of a task name; throws UsageError where there is none. */
  readonly resolve: (name: string, where: string) => TaskLabels;
  /** All tasks, so that a file of another task can be named. */
  readonly tasks: readonly TaskLabels[];
  /** Gives ROUGE as the official seeded bootstrap median; absent: the exact mean. */
  readonly bootstrapSeed?: number | undefined;
}

export interface Evaluation {
  /** The official result keys in print order: `accuracy, f1`, `MAE, RMSE` or `rouge-1, rouge-L`. */
  readonly scores: Readonly<Record<string, number>>;
  /** Pairs behind every score. */
  readonly count: number;
  /** Predictions that are no label or no number: officially scored as wrong. */
  readonly unparsed: number;
  /** Empty texts, which are read and score 0. Absent: none. */
  readonly empty?: number;
  /** Golds without an answer, left out of `count`. */
  readonly unscored: number;
}

/** The official scores for one kind of task, under the scripts' result keys. */
export interface TaskScorer {
  /** The scripts write `str(output)` for labels and ratings, and crash on ROUGE texts that are no strings. */
  readonly takesAnyValue: boolean;
  readable(prediction: string): boolean;
  /** Throws ScoreError where the scripts crash on a pair. */
  score(pairs: readonly Pair[], bootstrapSeed?: number): Record<string, number>;
}

export const labelScorer = (labels: readonly string[]): TaskScorer => ({
  takesAnyValue: true,
  readable: (prediction) => labelIndex(labels, prediction) >= 0,
  score: byKey({ accuracy: accuracy(labels), f1: macroF1(labels) }),
});

export const ratingScorer: TaskScorer = {
  takesAnyValue: true,
  readable: (prediction) => parsePythonFloat(prediction) !== undefined,
  score: byKey({ MAE: mae, RMSE: rmse }),
};

export const textScorer: TaskScorer = {
  takesAnyValue: false,
  readable: () => true, // as runs and imports read: the scripts take every text, the empty one too
  score: (pairs, bootstrapSeed) =>
    bootstrapSeed === undefined ? meanRouge(pairs) : officialRouge(pairs, bootstrapSeed),
};

/** A value of a file in a message: JSON, at most 40 characters of it. */
export const shortJson = (value: unknown): string =>
  (typeof value === "bigint" ? String(value) : JSON.stringify(value)).slice(0, 40);

const meanRouge = byKey({ "rouge-1": rouge1, "rouge-L": rougeL });

function byKey(metrics: Readonly<Record<string, Metric>>): (pairs: readonly Pair[]) => Record<string, number> {
  return (pairs) =>
    Object.fromEntries(Object.entries(metrics).map(([key, metric]) => [key, scoreAll(metric, pairs)] as const));
}

/** Scores pairs; `unscored`: golds left out before, for want of an answer. */
export function evaluated(
  scorer: TaskScorer,
  pairs: readonly Pair[],
  unscored: number,
  bootstrapSeed: number | undefined,
): Evaluation {
  const isEmpty = ({ prediction }: Pair): boolean => !scorer.takesAnyValue && pyStrip(prediction) === "";
  const empty = pairs.filter(isEmpty).length;
  return {
    scores: scorer.score(pairs, bootstrapSeed),
    count: pairs.length,
    unparsed: pairs.filter(({ prediction }) => !scorer.readable(prediction)).length,
    ...(empty === 0 ? {} : { empty }),
    unscored,
  };
}
