import type { Capabilities, Json, Message, ModelRequest } from "../types.js";
import type { ClaudeFamily } from "./claude.js";
import { sendable } from "./sendable.js";
import { outputLimit } from "./thinking.js";

export interface AnthropicWire {
  readonly modelId: string;
  readonly capabilities: Capabilities;
  readonly family: ClaudeFamily;
}

/** The Messages body of a request. Built as JSON: the SDK's types lack `temperature`, which older models still take. */
export function toMessagesBody(request: ModelRequest, wire: AnthropicWire): Record<string, Json> {
  const { thinking } = wire.family;
  const effort = request.effort ?? wire.family.effort;
  return {
    model: wire.modelId,
    max_tokens: outputLimit(wire.capabilities, request),
    ...(request.system === undefined ? {} : { system: request.system }),
    messages: sendable(request.messages).flatMap(toMessage),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(request.stop === undefined ? {} : { stop_sequences: request.stop }),
    ...(thinking === undefined ? {} : { thinking: { type: thinking } }),
    ...(effort === undefined ? {} : { output_config: { effort } }),
    ...(request.tools === undefined ? {} : { tools: request.tools.map(toTool) }),
    ...(request.tools === undefined || request.toolChoice === undefined
      ? {}
      : { tool_choice: { type: request.toolChoice } }),
  };
}

// --- internal ---

function toMessage(message: Message): Json[] {
  if (message.role === "user") return [{ role: "user", content: message.content }];
  if (message.role === "tool") {
    const results = message.results.map((result) => ({
      type: "tool_result",
      tool_use_id: result.id,
      content: result.content,
      ...(result.isError ? { is_error: true } : {}),
    }));
    return [{ role: "user", content: results }];
  }
  const content = Array.isArray(message.opaque) ? message.opaque : ownBlocks(message);
  return content.length === 0 ? [] : [{ role: "assistant", content }]; // the API refuses empty turns
}

function ownBlocks(message: Message & { readonly role: "assistant" }): Json[] {
  const text = message.content === "" ? [] : [{ type: "text", text: message.content }];
  const calls = (message.toolCalls ?? []).map((call) => ({
    type: "tool_use",
    id: call.id,
    name: call.name,
    input: call.arguments,
  }));
  return [...text, ...calls];
}

function toTool(tool: NonNullable<ModelRequest["tools"]>[number]): Json {
  return { name: tool.name, description: tool.description, input_schema: tool.parameters };
}
