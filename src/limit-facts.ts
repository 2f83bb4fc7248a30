/** What servers count against a limit; `tokens` are input and output together. */
export type Measure = "requests" | "input" | "output" | "tokens";

/** What a server says of one of its limits. */
export interface LimitFact {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until all of it is there again; absent where that is not told. */
  readonly resetMs?: number;
  /** How far off `resetMs` may be in the form it was told in. */
  readonly offMs?: number;
}

export type LimitFacts = Readonly<Partial<Record<Measure, LimitFact>>>;

/** Hears what a server says of its limits beside a reply. */
export type Hear = (facts: LimitFacts) => void;
