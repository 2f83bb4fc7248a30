import { UsageError } from "../errors.js";
import type { Kit, Tool } from "../types.js";
import type { Conversation } from "./conversation.js";
import { nativeConversation } from "./native.js";
import type { AgentSettings } from "./options.js";
import { textReactConversation } from "./text-react.js";

interface Protocol {
  readonly name: "native" | "text-react";
  open(system: string, question: string, tools: readonly Tool[]): Conversation;
}

const native: Protocol = { name: "native", open: nativeConversation };
const textReact: Protocol = { name: "text-react", open: textReactConversation };

/** The protocol of a run, from its settings and the model alone. Throws UsageError where the model has no tool calls. */
export function protocolOf(settings: Pick<AgentSettings, "agent.protocol">, model: Kit["model"]): Protocol {
  if (settings["agent.protocol"] === "text-react") return textReact;
  if (model.capabilities.tools) return native;
  if (settings["agent.protocol"] === "auto") return textReact;
  throw new UsageError(
    `agent.protocol=native: ${model.id} has no tool calls; use --set agent.protocol=text-react or another --model`,
  );
}
