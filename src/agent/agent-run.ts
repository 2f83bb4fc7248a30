import type { Json, Kit, Phase, Tool } from "../types.js";
import type { AgentSettings } from "./options.js";

/** One question for an agent. */
export interface AgentJob {
  readonly kit: Kit;
  /** What the turns are counted as: `answer`, or `simulate` inside alignment. */
  readonly phase: Phase;
  readonly system: string;
  readonly question: string;
  readonly tools: readonly Tool[];
  readonly settings: AgentSettings;
  /** Names this run in the trace where a question has several, e.g. the id of a simulated event. */
  readonly label?: string;
}

export type AgentCall = {
  readonly tool: string;
  readonly input: Json;
  /** What the model was shown. */
  readonly observation: string;
  /** `repeated`: served from this run's memory. */
  readonly outcome: "ok" | "failed" | "unknown" | "repeated";
};

/** One model turn and what came of it. */
export type AgentStep = {
  /** The reply without reasoning blocks. */
  readonly text: string;
  readonly calls: readonly AgentCall[];
  /** What the model was told when its reply could not be used. */
  readonly feedback: string | null;
  /** True when the reply ran into the token limit. */
  readonly cut: boolean;
};

export type AgentRun = {
  /** Empty when the model gave none. */
  readonly answer: string;
  readonly protocol: string;
  readonly steps: readonly AgentStep[];
  /** Calls of known tools by name, repeated and failed ones included. */
  readonly toolCounts: Readonly<Record<string, number>>;
  /** Replies that ran into the token limit. */
  readonly truncatedReplies: number;
  readonly parseErrors: number;
  /** How an answer was forced out of a run that did not end by itself. */
  readonly forced: "no" | "generate" | "force";
};
