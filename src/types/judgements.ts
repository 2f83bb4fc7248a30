import type { Json } from "../notes/note.js";
import type { AskRequest } from "./methods.js";

/** A case for a judge. Two replies to be compared stand in the order in which it sees them. */
export interface JudgeCase {
  readonly question: string;
  readonly reference?: string;
  /** What the data give judges besides a gold; of one aspect where the judge splits cases. */
  readonly rubric?: Json;
  /** Tags of the question, as its data have them. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Sentences that hold of the user. */
  readonly persona?: readonly string[];
  /** Lines said before, oldest first, each with its speaker. */
  readonly history?: readonly string[];
  readonly predictions: readonly [string] | readonly [string, string];
}

/** A score, or of two replies 1 where the first is better, -1 where the second is, 0 where neither is. */
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
  /** Replies a case. */
  readonly shows: 1 | 2;
  /** Least and most of its verdicts. */
  readonly range: readonly [number, number];
  /** How much hotter each further try is, up to a temperature of 1. Absent: as the first. */
  readonly retryStep?: number;
  /** Splits a case into those that are asked one by one; its value is the mean of theirs. Absent: it is asked whole. */
  split?(shown: JudgeCase): readonly JudgeCase[];
  request(shown: JudgeCase): AskRequest;
  /** Undefined for a reply that is no verdict: it is never a score. */
  read(reply: string): Verdict | undefined;
}

/** The outcome of one case shown to a judge. Unjudged: neither its first reply nor a retry was a verdict. */
export type Judged =
  | ({ readonly kind: "judged" } & Verdict)
  | { readonly kind: "unjudged"; readonly replies: readonly string[] }
  | { readonly kind: "failed"; readonly error: string };

/** The judgement of one case. */
export interface Judgement {
  readonly arm: string;
  readonly question: string;
  readonly user: string;
  /** Number of the turn in the dialogue, from 1; absent outside of dialogues. */
  readonly position?: number;
  /** Of a comparison: the arm of the other reply, and whether the other reply was shown first. */
  readonly against?: { readonly arm: string; readonly shownFirst: boolean };
  readonly judged: Judged;
  /** Of all tries. */
  readonly tokens: { readonly in: number; readonly out: number };
  readonly calls: number;
}

/** The judge of a run, and its settings. */
interface JudgedFacts {
  readonly judge: string;
  /** `provider/model-id`. */
  readonly model: string;
  readonly simulated: boolean;
  /** True where this model wrote judged replies itself. */
  readonly ownReplies: boolean;
  readonly range: readonly [number, number];
  readonly options: Readonly<Record<string, string>>;
  /** Method that replies are compared with. */
  readonly against?: string;
}

/** All judgements of a run, in the order of the judged arms, then of its rows. */
export interface JudgedRun {
  readonly facts: JudgedFacts;
  readonly judgements: readonly Judgement[];
}
