/** What the page's script reads out of the page: types only, shared by the packer and by the browser. */

/** All rows as columns of equal length. Numbers are indexes in the lists above them; -1: none. */
export interface PackedRows {
  readonly arms: readonly PackedArm[];
  /** Ids as in rows.jsonl, so that links to a row outlive a report. */
  readonly cells: readonly { readonly id: string; readonly arm: number; readonly repeat: number }[];
  readonly users: readonly string[];
  readonly questions: readonly string[];
  /** What questions say, in few words. */
  readonly askedTexts: readonly string[];
  /** Every gold, reply, reading and error, once each. */
  readonly texts: readonly string[];
  readonly cell: readonly number[];
  readonly user: readonly number[];
  readonly question: readonly number[];
  /** In `askedTexts`. */
  readonly asked: readonly number[];
  /** One letter a row: `a`nswered, `u`nparsed, `f`ailed. */
  readonly kind: string;
  readonly gold: readonly number[];
  /** The reply; of a failed row the error. */
  readonly reply: readonly number[];
  /** What the forgiving reading found. */
  readonly reading: readonly number[];
  /** By the arm's metric. Null: failed, without gold, or the task has no metric that is a mean over questions. */
  readonly value: readonly (number | null)[];
  /** Of the row's unit in `units`. */
  readonly unit: readonly number[];
  readonly units: readonly PackedUnit[];
  /** Where each row's transcript stands: those of one question by several methods stand together. */
  readonly transcript: readonly number[];
  /** First transcript of a row, or of a unit, in every chunk. */
  readonly rowChunks: readonly number[];
  readonly unitChunks: readonly number[];
}

/** A line of a results table: a task and method, all repeats together. */
export interface PackedArm {
  readonly task: string;
  readonly dataset: string;
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

/** Kept compressed, opened when asked for: a transcript, of a row or of the preparation of a unit. */
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
