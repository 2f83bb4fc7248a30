import { choice, integer } from "../registry/options.js";
import type { Options } from "../types/index.js";

/** Knobs of the reason-act loop (METHODS 5.1, 5.2). A method that runs agents spreads this table into its own. */
export const agentOptions = {
  "agent.protocol": choice({
    default: "auto",
    of: ["auto", "native", "text-react"],
    help: "native tool calls, or the text ReAct protocol; auto = native where the model's provider has tool calls (never switched within a run)",
  }),
  "agent.maxSteps": integer({
    default: 15,
    min: 1,
    max: 100,
    help: "most model turns of one agent run (LangChain: 15)",
  }),
  "agent.enforceTools": choice({
    default: "off",
    of: ["off", "remind"],
    help: "remind: one message when the model answers before it has used two different tools",
  }),
} as const;

export type AgentSettings = Options<typeof agentOptions>;
