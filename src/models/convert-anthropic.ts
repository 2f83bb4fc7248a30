import type {
  ContentBlock,
  Message as ServedMessage,
  StopReason as ServedStop,
} from "@anthropic-ai/sdk/resources/messages";
import type { Capabilities, Json, Message, ModelReply, ModelRequest, StopReason, ToolCall, Usage } from "../types.js";
import type { ClaudeFamily } from "./claude.js";
import { outputLimit } from "./thinking.js";

export interface AnthropicWire {
  readonly modelId: string;
  readonly capabilities: Capabilities;
  readonly family: ClaudeFamily;
}

/** The Messages body of a request. Built as JSON: the SDK's types lack `temperature`, which older models still take. */
export function toMessagesBody(request: ModelRequest, wire: AnthropicWire): Record<string, Json> {
  const { thinking, effort } = wire.family;
  return {
    model: wire.modelId,
    max_tokens: outputLimit(wire.capabilities, request),
    ...(request.system === undefined ? {} : { system: request.system }),
    messages: request.messages.flatMap(toMessage),
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

/** The reply in our terms, or what is wrong with it. Blocks are told by type: thinking comes first where there is any. */
export function fromMessagesBody(body: ServedMessage): ModelReply | string {
  if (!Array.isArray(body?.content)) return "no content blocks in the body";
  const toolCalls = body.content.flatMap((block): ToolCall[] =>
    block.type === "tool_use" ? [{ id: block.id, name: block.name, arguments: block.input as Json }] : [],
  );
  const plain = body.content.every((block) => block.type === "text");
  return {
    text: body.content.map(textOf).join(""),
    toolCalls,
    stop: STOPS[body.stop_reason ?? "pause_turn"] ?? "other",
    usage: toUsage(body),
    model: body.model,
    ...(plain ? {} : { opaque: JSON.parse(JSON.stringify(body.content)) as Json }),
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
  const content = message.opaque ?? ownBlocks(message);
  return Array.isArray(content) && content.length === 0 ? [] : [{ role: "assistant", content }]; // the API refuses empty turns
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

function textOf(block: ContentBlock): string {
  return block.type === "text" ? block.text : "";
}

const STOPS: Readonly<Record<ServedStop, StopReason>> = {
  end_turn: "end",
  tool_use: "tool",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  stop_sequence: "stop-sequence",
  refusal: "refusal",
  pause_turn: "other",
};

/** `input_tokens` leaves cache reads and writes out; our `in` counts them. */
function toUsage(body: ServedMessage): Usage {
  const { usage } = body;
  const cacheRead = usage.cache_read_input_tokens ?? 0;
  const cacheWrite = usage.cache_creation_input_tokens ?? 0;
  const thinking = usage.output_tokens_details?.thinking_tokens ?? 0;
  return {
    in: usage.input_tokens + cacheRead + cacheWrite,
    out: usage.output_tokens,
    ...(cacheRead > 0 ? { cacheRead } : {}),
    ...(cacheWrite > 0 ? { cacheWrite } : {}),
    ...(thinking > 0 ? { thinking } : {}),
  };
}
