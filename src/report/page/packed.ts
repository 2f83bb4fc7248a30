/** What the page's script reads out of the page: types only, shared by the packer and by the browser. */

/** Questions, and their answers as columns of equal length. Numbers are indexes in the lists beside them; -1: none. */
export interface PackedRun {
  /** Unique names: with the data set where a task has several. */
  readonly tasks: readonly string[];
  readonly arms: readonly PackedArm[];
  /** Ids as in rows.jsonl, so that links to an answer outlive a report. */
  readonly cells: readonly { readonly id: string; readonly arm: number; readonly repeat: number }[];
  readonly users: readonly string[];
  readonly questions: readonly PackedQuestion[];
  /** Every gold, reply, reading and error, once each. */
  readonly texts: readonly string[];
  /** Of each answer; the answers to one question stand together, in the order of the questions. */
  readonly question: readonly number[];
  readonly cell: readonly number[];
  /** One letter an answer: `a`nswered, `u`nparsed, `f`ailed. */
  readonly kind: string;
  /** The reply; of a failed one the error. */
  readonly reply: readonly number[];
  /** What the forgiving reading found. */
  readonly reading: readonly number[];
  /** By the arm's metric. Null: failed, without gold, or the task has no metric that is a mean over questions. */
  readonly value: readonly (number | null)[];
  /** Of the answer's unit in `units`. */
  readonly unit: readonly number[];
  readonly units: readonly PackedUnit[];
  /** First answer, or unit, whose transcript a chunk has. */
  readonly answerChunks: readonly number[];
  readonly unitChunks: readonly number[];
}

/** A question of a task, in one repeat. */
interface PackedQuestion {
  readonly id: string;
  readonly task: number;
  readonly repeat: number;
  readonly user: number;
  readonly gold: number;
  /** What it says, in few words. */
  readonly asked: string;
}

/** A line of a results table: a task and method, all repeats together. */
export interface PackedArm {
  readonly task: number;
  /** Method with the settings that tell it from its peers. */
  readonly label: string;
  /** The metric of `value`; `exact`: an answer is right or wrong, not more or less like the gold. */
  readonly metric?: { readonly name: string; readonly better: "higher" | "lower"; readonly exact: boolean };
}

interface PackedUnit {
  readonly name: string;
  readonly cell: number;
  /** How many versions its persona has; 0: it has none. */
  readonly personas: number;
}

/** Title and text; without a text it is the heading of its group. */
export type PackedPassage = readonly [title: string, text?: string];

/** Kept compressed, opened when asked for: a transcript, of an answer or of the preparation of a unit. */
export interface PackedTranscript {
  readonly groups: readonly (readonly PackedPassage[])[];
  /** `answer: 3 calls, 2,298 + 62 tokens`, one entry a phase. */
  readonly spend: readonly string[];
  readonly incidents: readonly string[];
  readonly personas?: readonly PackedPersona[];
}

export interface PackedPersona {
  /** `P1 (updated)`. */
  readonly title: string;
  readonly gradients: readonly PackedPassage[];
  /** The persona; after the first version what changed, line by line (`- ` gone, `+ ` new). */
  readonly text: string;
}
