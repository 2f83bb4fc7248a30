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
  "agent.earlyStop": choice({
    default: "generate",
    of: ["generate", "force"],
    help: "out of steps: one last call for an answer, or LangChain's constant text",
  }),
  "agent.parseErrors": choice({
    default: "feedback",
    of: ["feedback", "raise"],
    help: "a reply that breaks the text protocol: tell the model, or fail the question (LangChain's default)",
  }),
  "agent.maxParseErrors": integer({
    default: 3,
    help: "how many broken replies of one run are fed back; the next one ends the run like running out of steps",
  }),
  "agent.toolTimeoutMs": integer({ default: 20_000, min: 1, help: "longest wait for one tool call, milliseconds" }),
  "agent.obsMaxChars": integer({ default: 4000, min: 1, help: "an observation is cut to so many characters" }),
  "agent.maxTurnTokens": integer({ default: 1024, min: 1, help: "token budget of one agent turn" }),
  "agent.enforceTools": choice({
    default: "off",
    of: ["off", "remind"],
    help: "remind: one message when the model answers before it has used two different tools",
  }),
} as const;

export type AgentSettings = Options<typeof agentOptions>;
