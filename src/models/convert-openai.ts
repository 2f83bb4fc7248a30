import type { ChatCompletionCreateParamsNonStreaming, ChatCompletionMessageParam } from "openai/resources";
import type { Capabilities, Message, ModelRequest } from "../types.js";
import { withOpaque } from "./opaque-openai.js";
import { sendable } from "./sendable.js";
import { outputLimit } from "./thinking.js";

/** The SDK's list of words is older than the models. */
type ReasoningEffort = NonNullable<ChatCompletionCreateParamsNonStreaming["reasoning_effort"]>;

export interface OpenAIWire {
  readonly modelId: string;
  /** api.openai.com takes `max_completion_tokens` only; most compatible servers take `max_tokens` only. */
  readonly official: boolean;
  readonly capabilities: Capabilities;
}

/** The chat-completions body of a request. */
export function toChatCompletion(request: ModelRequest, wire: OpenAIWire): ChatCompletionCreateParamsNonStreaming {
  const conversation = sendable(request.messages);
  const messages = conversation.flatMap((message) => toMessages(message, conversation));
  const limit = outputLimit(wire.capabilities, request);
  return {
    model: wire.modelId,
    messages: request.system === undefined ? messages : [{ role: "system", content: request.system }, ...messages],
    ...(wire.official ? { max_completion_tokens: limit } : { max_tokens: limit }),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(request.effort === undefined ? {} : { reasoning_effort: request.effort as ReasoningEffort }),
    ...(request.stop === undefined ? {} : { stop: [...request.stop] }),
    ...(request.logprobs === undefined ? {} : { logprobs: true, top_logprobs: request.logprobs }),
    ...(request.tools === undefined ? {} : { tools: toTools(request.tools) }),
    ...(request.tools === undefined || request.toolChoice === undefined ? {} : { tool_choice: request.toolChoice }),
  };
}

// --- internal ---

function toMessages(message: Message, conversation: readonly Message[]): ChatCompletionMessageParam[] {
  if (message.role === "user") return [{ role: "user", content: message.content }];
  if (message.role === "tool")
    return message.results.map((result) => ({ role: "tool", tool_call_id: result.id, content: result.content }));
  const calls = message.toolCalls ?? [];
  if (calls.length === 0) return [withOpaque({ role: "assistant", content: message.content }, message, conversation)];
  const toolCalls = calls.map((call) => ({
    id: call.id,
    type: "function" as const,
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
  }));
  const content = message.content === "" ? null : message.content;
  return [withOpaque({ role: "assistant", content, tool_calls: toolCalls }, message, conversation)];
}

function toTools(tools: NonNullable<ModelRequest["tools"]>): ChatCompletionCreateParamsNonStreaming["tools"] & object {
  return tools.map((tool) => ({
    type: "function",
    function: {
      name: tool.name,
      description: tool.description,
      parameters: tool.parameters as Record<string, unknown>, // a JSON Schema is an object
    },
  }));
}
