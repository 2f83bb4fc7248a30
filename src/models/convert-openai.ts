import type {
  ChatCompletion,
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageParam,
} from "openai/resources";
import type {
  Capabilities,
  Json,
  Message,
  ModelReply,
  ModelRequest,
  StopReason,
  TokenLogprob,
  ToolCall,
  Usage,
} from "../types.js";
import { estimatedPromptTokens, estimatedTokens } from "./estimate.js";
import { outputLimit } from "./thinking.js";

export interface OpenAIWire {
  readonly modelId: string;
  /** api.openai.com takes `max_completion_tokens` only; most compatible servers take `max_tokens` only. */
  readonly official: boolean;
  readonly capabilities: Capabilities;
}

/** The chat-completions body of a request. */
export function toChatCompletion(request: ModelRequest, wire: OpenAIWire): ChatCompletionCreateParamsNonStreaming {
  const messages = request.messages.flatMap(toMessages);
  const limit = outputLimit(wire.capabilities, request);
  return {
    model: wire.modelId,
    messages: request.system === undefined ? messages : [{ role: "system", content: request.system }, ...messages],
    ...(wire.official ? { max_completion_tokens: limit } : { max_tokens: limit }),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(request.stop === undefined ? {} : { stop: [...request.stop] }),
    ...(request.logprobs === undefined ? {} : { logprobs: true, top_logprobs: request.logprobs }),
    ...(request.tools === undefined ? {} : { tools: toTools(request.tools) }),
    ...(request.tools === undefined || request.toolChoice === undefined ? {} : { tool_choice: request.toolChoice }),
  };
}

/** The reply in our terms, or what is wrong with it. Reasoning fields (`reasoning`, `reasoning_content`) stay out of the text. */
export function fromChatCompletion(body: ChatCompletion, request: ModelRequest): ModelReply | string {
  const choice = body?.choices?.[0];
  if (choice?.message === undefined) return "no choices in the body";
  const { message } = choice;
  const toolCalls = (message.tool_calls ?? []).flatMap((call): ToolCall[] =>
    call.type === "custom"
      ? []
      : [{ id: call.id, name: call.function.name, arguments: parsedArguments(call.function.arguments) }],
  );
  const ended = choice.finish_reason === "stop" && toolCalls.length === 0 && typeof message.refusal !== "string";
  if (ended && (message.content === null || message.content === undefined)) return "a message without content";
  const logprobs = choice.logprobs?.content;
  const text = textOf(message.content);
  return {
    text: text === "" && typeof message.refusal === "string" ? message.refusal : text,
    toolCalls,
    stop: stopReason(choice.finish_reason, toolCalls, message.refusal),
    usage: usage(body, request, text),
    model: body.model ?? "",
    ...(logprobs ? { logprobs: logprobs.map(toLogprob) } : {}),
  };
}

// --- internal ---

/** Some compatible servers answer with a list of parts, as requests may have. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { text?: unknown }) => (typeof part?.text === "string" ? part.text : "")).join("");
}

function toMessages(message: Message): ChatCompletionMessageParam[] {
  if (message.role === "user") return [{ role: "user", content: message.content }];
  if (message.role === "tool")
    return message.results.map((result) => ({ role: "tool", tool_call_id: result.id, content: result.content }));
  const calls = message.toolCalls ?? [];
  if (calls.length === 0) return [{ role: "assistant", content: message.content }];
  const toolCalls = calls.map((call) => ({
    id: call.id,
    type: "function" as const,
    function: { name: call.name, arguments: argumentText(call.arguments) },
  }));
  return [{ role: "assistant", content: message.content === "" ? null : message.content, tool_calls: toolCalls }];
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

function parsedArguments(text: string): Json {
  if (typeof text !== "string") return text; // some servers send the object itself
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

function argumentText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Some servers answer tool calls with `stop`: what is in the message decides. */
function stopReason(finish: string | null, calls: readonly ToolCall[], refusal?: string | null): StopReason {
  if (calls.length > 0 && finish !== "length") return "tool";
  if (refusal) return "refusal";
  return STOPS[finish ?? ""] ?? "other";
}

const STOPS: Readonly<Record<string, StopReason>> = {
  stop: "end",
  eos: "end",
  length: "length",
  content_filter: "refusal",
  tool_calls: "tool",
  function_call: "tool",
};

function usage(body: ChatCompletion, request: ModelRequest, text: string): Usage {
  const told = body.usage;
  if (told === undefined || told === null)
    return { in: estimatedPromptTokens(request), out: estimatedTokens(text), estimated: true };
  const cacheRead = told.prompt_tokens_details?.cached_tokens;
  const thinking = told.completion_tokens_details?.reasoning_tokens;
  return {
    in: told.prompt_tokens,
    out: told.completion_tokens,
    ...(cacheRead ? { cacheRead } : {}),
    ...(thinking ? { thinking } : {}),
  };
}

type ServedLogprob = NonNullable<NonNullable<ChatCompletion.Choice["logprobs"]>["content"]>[number];

function toLogprob(entry: ServedLogprob): TokenLogprob {
  const top = (entry.top_logprobs ?? []).map(({ token, logprob }) => ({ token, logprob }));
  return { token: entry.token, logprob: entry.logprob, top };
}
