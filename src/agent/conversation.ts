import type { AskRequest, ModelReply, ToolCall } from "../types.js";

/** What a reply asks for. */
export type Turn = { readonly reply: ModelReply; readonly text: string } & (
  | { readonly kind: "calls"; readonly calls: readonly ToolCall[] }
  | { readonly kind: "answer" }
  /** The reply breaks the protocol; `feedback` says how. */
  | { readonly kind: "malformed"; readonly feedback: string }
);

interface Observation {
  readonly content: string;
  readonly isError: boolean;
}

/** One protocol's side of the loop: how turns are asked for, read and written down. */
export interface Conversation {
  request(): AskRequest;
  read(reply: ModelReply): Turn;
  /** Writes down a turn's calls and what came back, in the order of the calls. */
  observe(turn: Turn & { kind: "calls" }, observations: readonly Observation[]): void;
  /** Writes down a turn that could not be used and what the model is told about it. */
  reject(turn: Turn, feedback: string): void;
  /** The request for an answer when no step is left. */
  lastRequest(): AskRequest;
  readLast(reply: ModelReply): string;
}

/** LangChain's early-stopping prompt (`early_stopping_method="generate"`). */
export const ANSWER_NOW = "I now need to return a final answer based on the previous steps:";
