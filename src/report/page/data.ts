/** Data that the page's script reads. Numbers point into the lists of the run. */
export interface PageRun {
  readonly tasks: readonly string[];
  /** Those of one task stand together, the best first. */
  readonly arms: readonly PageArm[];
  readonly questions: readonly PageQuestion[];
}

/** A line of a results table. */
export interface PageArm {
  readonly task: number;
  readonly label: string;
  /** The metric of `value`; `exact`: an answer is right or wrong. Absent: none is a mean over questions. */
  readonly metric?: { readonly name: string; readonly better: "higher" | "lower"; readonly exact: boolean };
}

/** A question of a task, in one repeat. */
export interface PageQuestion {
  readonly id: string;
  readonly task: number;
  readonly repeat: number;
  readonly user: string;
  readonly gold?: string;
  readonly asked: string;
  readonly answers: readonly PageAnswer[];
}

export interface PageAnswer {
  readonly arm: number;
  readonly kind: "answered" | "unparsed" | "failed";
  /** The reply; of a failed one the error. */
  readonly text: string;
  readonly reading?: string;
  /** By the arm's metric. Absent: failed, or without gold. */
  readonly value?: number;
  /** Numbers of its transcript, and of that of the preparation of its user. */
  readonly transcript: number;
  readonly preparation: number;
}

export interface PageTranscript {
  /** Titles and texts; a title without a text heads its group. */
  readonly groups: readonly (readonly (readonly [title: string, text?: string])[])[];
  readonly cost: string;
}

/** Transcripts whose texts are cut into pieces, so that a piece which occurs twice is stored once. */
export interface PageChunk {
  readonly pieces: readonly string[];
  readonly transcripts: readonly {
    readonly cost: string;
    /** The number of the title, then those of the pieces of its text. */
    readonly groups: readonly (readonly (readonly number[])[])[];
  }[];
}

/** Transcripts in a chunk of the page, which opens one at a time. */
export const CHUNK = 400;
