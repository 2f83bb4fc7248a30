import { createHash } from "node:crypto";
import type { Capabilities, Json, Message, ModelRequest, ToolSpec } from "../../../types/index.js";
import { type CacheSetting, cacheMarks } from "../../cache-marks.js";
import { outputLimit } from "../../tokens.js";
import { fieldsOf } from "../../wire/reply.js";
import type { Body } from "../../wire/sdk.js";
import { sendable } from "../../wire/sendable.js";
import { gptFamily } from "./models.js";
import type { Quirks } from "./quirks.js";
import { cacheFields } from "./responses-request.js";

interface ChatWire {
  readonly modelId: string;
  readonly quirks: Quirks;
  readonly capabilities: Capabilities;
  readonly cache: CacheSetting;
}

/** Returns the Chat Completions body of a request. */
export function toChatBody(request: ModelRequest, wire: ChatWire): Body {
  const { quirks, capabilities, modelId } = wire;
  const { system, tools, toolChoice, temperature, stop, logprobs, samples = 1 } = request;
  const conversation = sendable(request.messages);
  const turns = conversation.flatMap((message) => toTurns(message, conversation, quirks));
  const asksNumber = quirks.logprobs === "number";
  return {
    model: modelId,
    messages: [...(system === undefined ? [] : [{ role: "system", content: system }]), ...turns],
    [quirks.limit]: outputLimit(capabilities, request),
    temperature,
    ...effortOf(request, quirks),
    stop,
    logprobs: asksNumber || logprobs === undefined ? logprobs : true,
    top_logprobs: asksNumber ? undefined : logprobs,
    n: samples > 1 && quirks.samples && temperature !== 0 ? samples : undefined, // vLLM: not with greedy sampling
    tools: tools?.map(toTool),
    tool_choice: tools && toolChoice,
    ...(quirks.official ? cacheFieldsOf(request, wire) : {}),
    ...quirks.always,
  };
}

/** This wire has no marks: where writes are billed nothing is cached but loops. */
function cacheFieldsOf({ opening, ...plain }: ModelRequest, { capabilities, cache, modelId }: ChatWire): Body {
  const family = gptFamily(modelId);
  const request = opening === undefined || family.billsCacheWrites ? plain : { ...plain, opening };
  return cacheFields(request, cacheMarks(request, capabilities, cache), family);
}

function effortOf({ effort }: ModelRequest, { withoutThinking }: Quirks): Body {
  return effort === "none" && withoutThinking !== undefined ? withoutThinking : { reasoning_effort: effort };
}

function toTurns(message: Message, conversation: readonly Message[], quirks: Quirks): unknown[] {
  const idOf = (id: string): string => (quirks.shortIds === true ? shortId(id) : id);
  if (message.role === "user") return [{ role: "user", content: message.content }];
  if (message.role === "tool")
    return message.results.map(({ id, content }) => ({ role: "tool", tool_call_id: idOf(id), content }));
  const { [EXTRA]: extras, ...kept } = keptOf(message);
  const reasons = conversation.some((one) => keptOf(one).reasoning_content !== undefined);
  const calls = message.toolCalls?.map((call, index) => ({
    id: idOf(call.id),
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
    [EXTRA]: (Array.isArray(extras) && extras[index]) || undefined,
  }));
  const hasCalls = calls !== undefined && calls.length > 0;
  const turn = {
    role: "assistant",
    content: hasCalls && message.content === "" ? null : message.content,
    tool_calls: hasCalls ? calls : undefined,
    reasoning_content: reasons ? "" : undefined, // where one turn had it, every turn has
  };
  return [{ ...turn, ...kept }];
}

/** Returns nine letters and digits: the id where it is such, else of its hash, so that a call and its result agree. */
function shortId(id: string): string {
  return /^[a-zA-Z0-9]{9}$/.test(id) ? id : createHash("sha256").update(id).digest("hex").slice(0, 9);
}

const toTool = ({ name, description, parameters }: ToolSpec) => ({
  type: "function",
  function: { name, description, parameters },
});

/**
 * Fields of an assistant message that some servers want back with it, values untouched: DeepSeek's `reasoning_content`,
 * `reasoning` (vLLM, OpenRouter), OpenRouter's `reasoning_details`.
 */
const FIELDS = ["reasoning_content", "reasoning", "reasoning_details"] as const;

/** Of a call: Gemini's thought signature. */
const EXTRA = "extra_content";

type Kept = { readonly [field: string]: Json };

/** Returns what of a served message with tool calls is to be sent back, by field; undefined where there is nothing. */
export function opaqueOf(served: unknown): Kept | undefined {
  const message = fieldsOf(served);
  const kept: Record<string, Json> = {};
  for (const field of FIELDS) if (isThere(message[field])) kept[field] = message[field] as Json; // it was read from JSON
  if (Array.isArray(message.content)) kept.content = message.content as Json;
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls.map(fieldsOf) : [];
  const extras = calls.map((call) => (isThere(call[EXTRA]) ? (call[EXTRA] as Json) : null));
  if (extras.some((extra) => extra !== null)) kept[EXTRA] = extras;
  return Object.keys(kept).length === 0 ? undefined : kept;
}

const isThere = (value: unknown): boolean => value !== undefined && value !== null;

/** Returns what was kept of an assistant's turn; a list is of another provider's blocks. */
function keptOf(message: Message): Kept {
  const opaque = message.role === "assistant" ? message.opaque : undefined;
  return typeof opaque === "object" && opaque !== null && !Array.isArray(opaque) ? (opaque as Kept) : {};
}
