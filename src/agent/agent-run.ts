import type { Kit, Phase, Tool } from "../types.js";
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
