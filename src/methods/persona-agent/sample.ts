import type { Event, Question } from "../../types.js";

export interface Persona {
  /** 0 = before alignment. */
  readonly version: number;
  readonly text: string;
}

/** A past interaction lived through again: what the user did, and what the agent would have done. */
export interface Sample {
  readonly event: Event;
  readonly question: Question;
  readonly expected: string;
  readonly response: string;
}
