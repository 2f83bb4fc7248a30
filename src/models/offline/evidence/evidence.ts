/** An item with what the user did with it. */
interface Example {
  readonly text: string;
  readonly label: string;
}

/** Everything a prompt shows about the user or about similar questions. */
export interface Evidence {
  readonly examples: Example[];
  /** Stated label counts or shares, as written. */
  readonly counts: Map<string, number>;
  /** Labels that are called the most usual ones, and of what (`positive score`). */
  readonly usual: { readonly label: string; readonly of: string }[];
  /** `words a, b go with label x`. */
  readonly rules: { readonly label: string; readonly words: string[] }[];
}

/** Which label a piece of text names; undefined where it names none. */
export type LabelOf = (text: string) => string | undefined;

/** Takes what it understands out of `text` into `found` and returns the rest for the next reader. */
export type Reader = (text: string, labelOf: LabelOf, found: Evidence) => string;
