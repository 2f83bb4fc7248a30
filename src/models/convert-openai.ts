import { createHash } from "node:crypto";
import type { Capabilities, Json, Message, ModelRequest } from "../types.js";
import { type CacheSetting, cacheMarks } from "./cache-marks.js";
import { cacheFields } from "./convert-responses.js";
import { gptFamily } from "./gpt.js";
import { withOpaque } from "./opaque-openai.js";
import type { Quirks } from "./quirks.js";
import { sendable } from "./sendable.js";
import { outputLimit } from "./thinking.js";

interface ChatWire {
  readonly modelId: string;
  readonly quirks: Quirks;
  readonly capabilities: Capabilities;
  readonly cache: CacheSetting;
}

/** The chat-completions body of a request. */
export function toChatCompletion(request: ModelRequest, wire: ChatWire): Record<string, Json> {
  const { quirks, capabilities, modelId } = wire;
  const { tools, toolChoice, temperature, stop, samples = 1 } = request;
  const conversation = sendable(request.messages);
  const turns = conversation.flatMap((message) => toTurns(message, conversation, quirks));
  const system = request.system === undefined ? [] : [{ role: "system", content: request.system }];
  return {
    model: modelId,
    messages: [...system, ...turns],
    [quirks.limit]: outputLimit(capabilities, request),
    ...(temperature === undefined ? {} : { temperature }),
    ...effortOf(request, quirks),
    ...(stop === undefined ? {} : { stop }),
    ...logprobsOf(request, quirks),
    ...(samples > 1 && quirks.samples && temperature !== 0 ? { n: samples } : {}), // vLLM: not with greedy sampling
    ...(tools === undefined ? {} : { tools: tools.map(toTool) }),
    ...(tools === undefined || toolChoice === undefined ? {} : { tool_choice: toolChoice }),
    ...(quirks.official ? cacheFieldsOf(request, wire) : {}),
    ...quirks.always,
  };
}

/** This wire has no marks: where writes are billed nothing is cached but loops. */
function cacheFieldsOf({ opening, ...plain }: ModelRequest, { capabilities, cache, modelId }: ChatWire) {
  const family = gptFamily(modelId);
  const request = opening === undefined || family.billsCacheWrites ? plain : { ...plain, opening };
  return cacheFields(request, cacheMarks(request, capabilities, cache), family);
}

function effortOf({ effort }: ModelRequest, { withoutThinking }: Quirks): Record<string, Json> {
  if (effort === undefined) return {};
  return effort === "none" && withoutThinking !== undefined ? withoutThinking : { reasoning_effort: effort };
}

function logprobsOf({ logprobs }: ModelRequest, quirks: Quirks): Record<string, Json> {
  if (logprobs === undefined) return {};
  return quirks.logprobs === "number" ? { logprobs } : { logprobs: true, top_logprobs: logprobs };
}

function toTurns(message: Message, conversation: readonly Message[], quirks: Quirks): Json[] {
  const idOf = (id: string): string => (quirks.shortIds === true ? shortId(id) : id);
  if (message.role === "user") return [{ role: "user", content: message.content }];
  if (message.role === "tool")
    return message.results.map(({ id, content }) => ({ role: "tool", tool_call_id: idOf(id), content }));
  const calls = message.toolCalls ?? [];
  if (calls.length === 0) return [withOpaque({ role: "assistant", content: message.content }, message, conversation)];
  const tool_calls = calls.map((call) => ({
    id: idOf(call.id),
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
  }));
  const content = message.content === "" ? null : message.content;
  return [withOpaque({ role: "assistant", content, tool_calls }, message, conversation)];
}

/** Nine letters and digits: the id where it is such, else of its hash, so that a call and its result agree. */
function shortId(id: string): string {
  return /^[a-zA-Z0-9]{9}$/.test(id) ? id : createHash("sha256").update(id).digest("hex").slice(0, 9);
}

function toTool({ name, description, parameters }: NonNullable<ModelRequest["tools"]>[number]): Json {
  return { type: "function", function: { name, description, parameters } };
}
