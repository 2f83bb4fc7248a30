import { createHash } from "node:crypto";
import type { Capabilities, Json, Message, ModelRequest } from "../types/index.js";
import { type CacheSetting, cacheMarks } from "./cache-marks.js";
import { outputLimit } from "./capabilities.js";
import { cacheFields } from "./convert-responses.js";
import { gptFamily } from "./gpt.js";
import type { Quirks } from "./quirks.js";
import { fieldsOf } from "./read-reply.js";
import { sendable } from "./sendable.js";

interface ChatWire {
  readonly modelId: string;
  readonly quirks: Quirks;
  readonly capabilities: Capabilities;
  readonly cache: CacheSetting;
}

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

/**
 * Fields of an assistant message that some servers want back with it, values untouched: DeepSeek's `reasoning_content`,
 * `reasoning` (vLLM, OpenRouter), OpenRouter's `reasoning_details`.
 */
const FIELDS = ["reasoning_content", "reasoning", "reasoning_details"] as const;

/** Of a call: Gemini's thought signature. */
const EXTRA = "extra_content";

/** What of a served message with tool calls is to be sent back, by field; undefined where there is nothing. */
export function opaqueOf(served: unknown): { readonly [field: string]: Json } | undefined {
  const message = fieldsOf(served);
  const kept: Record<string, Json> = {};
  for (const field of FIELDS) if (isThere(message[field])) kept[field] = message[field] as Json; // it was read from JSON
  if (Array.isArray(message.content)) kept.content = message.content as Json;
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls.map(fieldsOf) : [];
  const extras = calls.map((call) => (isThere(call[EXTRA]) ? (call[EXTRA] as Json) : null));
  if (extras.some((extra) => extra !== null)) kept[EXTRA] = extras;
  return Object.keys(kept).length === 0 ? undefined : kept;
}

type Assistant = Message & { readonly role: "assistant" };
interface Sent {
  readonly role: "assistant";
  readonly content: Json;
  readonly tool_calls?: readonly { readonly [field: string]: Json }[];
}

/** The message with what was kept of it. `all`: the conversation; where one turn had `reasoning_content`, every turn has. */
function withOpaque(sent: Sent, message: Assistant, all: readonly Message[]): Json {
  const { [EXTRA]: extras, ...fields } = keptOf(message);
  const reasons = all.some((one) => one.role === "assistant" && keptOf(one).reasoning_content !== undefined);
  const calls = sent.tool_calls?.map((call, index) => {
    const extra = Array.isArray(extras) ? extras[index] : undefined;
    return extra ? { ...call, [EXTRA]: extra } : call;
  });
  return {
    ...sent,
    ...(reasons ? { reasoning_content: "" } : {}),
    ...fields,
    ...(calls === undefined ? {} : { tool_calls: calls }),
  };
}

const isThere = (value: unknown): boolean => value !== undefined && value !== null;

/** A list is of another provider's blocks. */
const keptOf = ({ opaque }: Assistant): { readonly [field: string]: Json } =>
  typeof opaque === "object" && opaque !== null && !Array.isArray(opaque)
    ? (opaque as { readonly [field: string]: Json })
    : {};
