import type { TaskBrief } from "../../types/index.js";

/** Scores a file of predictions against a file of golds, both in the benchmark's form `{task, golds: [{id, output}]}`. */
export interface Evaluator {
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

/** What `strict` knows of a task: passed in, since metrics do not import tasks. */
export type ScoredTask = Pick<TaskBrief, "name" | "kind" | "labels"> & { readonly official: string };

export interface EvaluationRequest {
  /** As typed. */
  readonly taskName: string;
  readonly predictions: NamedJson;
  readonly golds: NamedJson;
  /** Resolves a spelling of a task name; throws UsageError where there is none. */
  readonly resolve: (name: string, where: string) => ScoredTask;
  /** All tasks, so that a file of another task can be named. */
  readonly tasks: readonly ScoredTask[];
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
