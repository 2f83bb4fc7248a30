/** A change of one text of the source to another. The old one must stand in exactly one file, exactly once. */
export interface Edit {
  readonly find: string;
  readonly replace: string;
}

/** A bug to plant, and the tests that must notice. */
export interface Plant {
  readonly name: string;
  /** What a user would be told wrongly. */
  readonly harm: string;
  readonly edits: readonly Edit[];
  /** Test files or folders, from the root. */
  readonly tests: readonly string[];
}

/** `texts`: what to find and what to write instead, in turn. */
export function plant(tests: readonly string[], name: string, harm: string, ...texts: readonly string[]): Plant {
  const edits = texts.flatMap((find, at) => (at % 2 === 0 ? [{ find, replace: texts[at + 1]! }] : []));
  return { name, harm, edits, tests };
}
