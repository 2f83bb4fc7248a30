/** What became of one showing of a case to a judge. Unread: two replies that were no verdict; it is never a score. */
export type Judged =
  | { readonly kind: "judged"; readonly value: number; readonly why: string; readonly confidence?: number }
  | { readonly kind: "unjudged"; readonly replies: readonly string[] }
  | { readonly kind: "failed"; readonly error: string };

/** What a judge said of one case. */
export interface Judgement {
  readonly cell: string;
  readonly question: string;
  readonly user: string;
  /** Number of the turn in the dialogue, from 1; absent outside of dialogues. */
  readonly position?: number;
  /** Of a comparison: the cell of the other reply, and whether the other reply was shown first. */
  readonly against?: { readonly cell: string; readonly shownFirst: boolean };
  readonly judged: Judged;
  /** Of all tries. */
  readonly tokens: { readonly in: number; readonly out: number };
  readonly calls: number;
}

export interface JudgementFacts {
  readonly judge: string;
  /** `provider/model-id`. */
  readonly model: string;
  readonly simulated: boolean;
  /** Cells whose replies this model wrote itself. */
  readonly ownReplies: boolean;
  readonly range: readonly [number, number];
  readonly options: Readonly<Record<string, string>>;
  /** Method that replies are compared with. */
  readonly against?: string;
}

export interface JudgedRun {
  readonly facts: JudgementFacts;
  readonly judgements: readonly Judgement[];
}
