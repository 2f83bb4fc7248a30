/** What the page's script reads out of the page: types only, shared by the packer and by the browser. */

export interface PackedRun {
  readonly tasks: readonly string[];
  readonly arms: readonly PackedArm[];
  readonly questions: readonly PackedQuestion[];
  /** Number of the first transcript of each chunk. */
  readonly chunks: readonly number[];
}

/** A line of a results table. Indexes point into the lists of the run. */
export interface PackedArm {
  readonly task: number;
  /** Method with the settings that tell it from its peers. */
  readonly label: string;
  /** The metric of `value`; `exact`: an answer is right or wrong, not more or less like the gold. Absent: none is a mean over questions. */
  readonly metric?: { readonly name: string; readonly better: "higher" | "lower"; readonly exact: boolean };
}

/** A question of a task, in one repeat. */
export interface PackedQuestion {
  readonly id: string;
  readonly task: number;
  readonly repeat: number;
  readonly user: string;
  readonly gold?: string;
  /** The beginning of what it is about. */
  readonly asked: string;
  readonly answers: readonly PackedAnswer[];
}

export interface PackedAnswer {
  readonly arm: number;
  /** As in rows.jsonl: with the id of the question the address of an answer, in every report of the run. */
  readonly cell: string;
  readonly kind: "answered" | "unparsed" | "failed";
  /** The reply; of a failed one the error. */
  readonly text: string;
  /** What the forgiving reading found. */
  readonly reading?: string;
  /** By the arm's metric. Absent: failed, or without gold. */
  readonly value?: number;
  /** Numbers of its transcript, and of that of the preparation of its user. */
  readonly transcript: number;
  readonly preparation: number;
}

/** Title and text; without a text it is the heading of its group. */
type PackedPassage = readonly [title: string, text?: string];

export interface PackedTranscript {
  readonly groups: readonly (readonly PackedPassage[])[];
  /** `answer: 3 calls, 2,298 + 62 tokens; parse-retry 1`. */
  readonly cost: string;
}
