import type { Summary } from "../summary.js";
import type { TaskFacts } from "../tables/results.js";

/** What one run of several came to. */
export interface RunLine {
  /** Its folder, as it is named. */
  readonly run: string;
  /** What a person calls it. */
  readonly name?: string;
  readonly state: "done" | "at work" | "not ended" | "not readable";
  readonly simulated?: boolean;
  readonly arms: number;
  /** Questions that have an answer or failed, and those that it was planned for, over all arms and repeats. */
  readonly questions?: number;
  readonly planned?: number;
  readonly failed?: number;
  /** US dollars; absent where no price is known. */
  readonly usd?: number;
  /** Arms whose price is not known. Absent: none. */
  readonly unpriced?: number;
  /** The best arm of each task by its headline metric. */
  readonly scores: readonly {
    readonly task: string;
    readonly dataset: string;
    readonly metric: string;
    readonly score: number;
    readonly method: string;
    readonly variant: string;
  }[];
  /** Why it cannot be read, or what of it is left out. */
  readonly why?: string;
}

/** An arm, and the run that it is of. */
export interface RankedArm {
  readonly run: string;
  readonly summary: Summary;
}

/** Arms of several runs that were asked the same questions. */
export interface TaskRanking {
  readonly task: string;
  readonly title: string;
  readonly dataset: string;
  readonly simulated: boolean;
  /** The best answers without a model. */
  readonly floor?: TaskFacts["floor"];
  /** The best headline score first. */
  readonly arms: readonly RankedArm[];
}
