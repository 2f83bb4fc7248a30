import type { Capabilities, Json, Message, ModelRequest } from "../types/index.js";
import { type CacheSetting, cacheMarks } from "./cache-marks.js";
import { outputLimit } from "./capabilities.js";
import type { ClaudeFamily } from "./claude.js";
import { sendable } from "./sendable.js";

export interface AnthropicWire {
  readonly modelId: string;
  readonly capabilities: Capabilities;
  readonly family: ClaudeFamily;
  readonly cache: CacheSetting;
}

/** The Messages body of a request. Built as JSON: the SDK's types lack `temperature`, which older models still take. */
export function toMessagesBody(request: ModelRequest, wire: AnthropicWire): Record<string, Json> {
  const { thinking } = wire.family;
  const effort = request.effort ?? wire.family.effort;
  const marks = cacheMarks(request, wire.capabilities, wire.cache);
  const messages = withFirstMarked(sendable(request.messages).flatMap(toMessage), marks.first);
  return {
    model: wire.modelId,
    max_tokens: outputLimit(wire.capabilities, request),
    ...(request.system === undefined
      ? {}
      : { system: marks.system ? [marked(textBlock(request.system))] : request.system }),
    messages: marks.last ? withLastMarked(messages) : messages,
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

type Turn = { readonly role: "user" | "assistant"; readonly content: Json };

const textBlock = (text: string): { readonly [field: string]: Json } => ({ type: "text", text });

/** A block up to which the provider is to cache the prompt, for five minutes. */
const marked = (block: { readonly [field: string]: Json }): Json => ({
  ...block,
  cache_control: { type: "ephemeral" },
});

/** The first turn, as text up to the mark and behind it. */
function withFirstMarked(turns: readonly Turn[], end: number | undefined): readonly Turn[] {
  const [first, ...later] = turns;
  if (end === undefined || typeof first?.content !== "string") return turns;
  const { content, role } = first;
  return [{ role, content: [marked(textBlock(content.slice(0, end))), textBlock(content.slice(end))] }, ...later];
}

/** Turns of the assistant are left alone: blocks of thinking take no mark. */
function withLastMarked(turns: readonly Turn[]): readonly Turn[] {
  const last = turns.at(-1);
  if (last === undefined || last.role !== "user") return turns;
  const blocks = typeof last.content === "string" ? [textBlock(last.content)] : (last.content as readonly Block[]);
  const content = blocks.map((block, index) => (index === blocks.length - 1 ? marked(block) : block));
  return [...turns.slice(0, -1), { role: last.role, content }];
}

type Block = { readonly [field: string]: Json };

function toMessage(message: Message): Turn[] {
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
