/** A table, a figure or a study of a paper, and how far runs of this tool make it. */
export interface PaperPart {
  /** `assistant/T2`. */
  readonly name: string;
  readonly title: string;
  readonly state: "made" | "partly" | "not";
  /** What makes it, or why nothing does. */
  readonly how: string;
}

/** All of a paper. */
export interface PaperParts {
  /** `assistant`. */
  readonly paper: string;
  readonly title: string;
  readonly parts: readonly PaperPart[];
  /** Where the paper contradicts itself, or its release. */
  readonly contradictions: readonly string[];
}
