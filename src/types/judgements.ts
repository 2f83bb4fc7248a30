import type { AskRequest } from "./methods.js";

/** What a judge is shown. Two replies to be compared stand in the order in which it sees them. */
export interface JudgeCase {
  readonly question: string;
  readonly reference?: string;
  /** Sentences that hold of the user. */
  readonly persona?: readonly string[];
  /** Lines said before, oldest first, each with its speaker. */
  readonly history?: readonly string[];
  readonly predictions: readonly [string] | readonly [string, string];
}

/** What a judge found: a score, or of two replies 1 where the first is better, -1 where the second is, 0 where neither is. */
export interface Verdict {
  readonly value: number;
  readonly why: string;
  /** 1 to 100, of a judge that tells it. */
  readonly confidence?: number;
}

/** A way of judging replies by a model. Knows nothing of methods and runs. */
export interface Judge {
  readonly name: string;
  readonly summary: string;
  readonly source: string;
  /** How many replies it is shown at a time. */
  readonly shows: 1 | 2;
  /** Least and most of its verdicts. */
  readonly range: readonly [number, number];
  request(shown: JudgeCase): AskRequest;
  /** Undefined for a reply that is no verdict: it is never a score. */
  read(reply: string): Verdict | undefined;
}
