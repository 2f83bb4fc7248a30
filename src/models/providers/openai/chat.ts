import { createHash } from "node:crypto";
import { defined, jsonIn } from "../../../text/json.js";
import type {
  Capabilities,
  Json,
  Message,
  ModelReply,
  ModelRequest,
  StopReason,
  TokenLogprob,
  ToolCall,
  ToolSpec,
} from "../../../types/index.js";
import { type CacheSetting, cacheMarks } from "../../cache-marks.js";
import { outputLimit } from "../../tokens.js";
import { stopOf } from "../../wire/ends.js";
import { fieldsOf, readUsage, Served, type UsageFields } from "../../wire/reply.js";
import type { Body } from "../../wire/sdk.js";
import { sendable } from "../../wire/sendable.js";
import { cacheFields, gptFamily } from "./models.js";
import type { Quirks } from "./quirks.js";

interface ChatWire {
  readonly modelId: string;
  readonly quirks: Quirks;
  readonly capabilities: Capabilities;
  readonly cache: CacheSetting;
}

/** Returns the Chat Completions body of a request. */
export function toChatBody(request: ModelRequest, wire: ChatWire): Body {
  const { quirks, capabilities, modelId } = wire;
  const { system, tools, toolChoice, temperature, stop, logprobs } = request;
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
    tools: tools?.map(toTool),
    tool_choice: tools && toolChoice,
    ...(quirks.official ? cacheFieldsOf(request, wire) : {}),
    ...quirks.always,
  };
}

/** Chat Completions has no marks: families that bill cache writes get only loops cached. */
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
  const hasReasoning = conversation.some((one) => keptOf(one).reasoning_content !== undefined);
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
    reasoning_content: hasReasoning ? "" : undefined, // where one turn had it, every turn has
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

/** Field of a call with Gemini's thought signature. */
const EXTRA = "extra_content";

type Kept = { readonly [field: string]: Json };

/** Returns the fields of a message with tool calls that must be sent back; undefined if it has none. */
function opaqueOf(served: unknown): Kept | undefined {
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

/** Returns the fields that were kept of an assistant's turn. Blocks of another provider (a list) are ignored. */
function keptOf(message: Message): Kept {
  const opaque = message.role === "assistant" ? message.opaque : undefined;
  return typeof opaque === "object" && opaque !== null && !Array.isArray(opaque) ? (opaque as Kept) : {};
}

/** Returns the reply in our terms. Reasoning fields (`reasoning`, `reasoning_content`) stay out of the text. */
export function readChat(body: Served, request: ModelRequest): ModelReply {
  const [choice] = body.field("choices").list();
  if (choice === undefined) return body.refuse("choices[0]: none");
  const answer = answerOf(choice);
  const usage = readUsage(body.field("usage").value, USAGE, [request, answer]);
  return { ...answer, usage, model: body.field("model").textOrNone() ?? "" };
}

type Answer = Pick<ModelReply, "text" | "toolCalls" | "opaque" | "stop" | "logprobs">;

function answerOf(choice: Served): Answer {
  const message = choice.field("message");
  const content = contentOf(message.field("content"));
  const refusal = message.field("refusal").textOrNone() ?? "";
  const toolCalls = callsIn(message.field("tool_calls").listOrNone());
  const logprobs = logprobsIn(choice.field("logprobs"));
  const end = stopOf(choice.field("finish_reason"));
  const stop = stopWith(toolCalls, refusal, end);
  const isSilent = content === undefined && toolCalls.length === 0 && refusal === "";
  if (isSilent && stop !== "length" && stop !== "refusal") return choice.refuse("a message without content");
  const opaque = toolCalls.length === 0 ? undefined : opaqueOf(message.value);
  return {
    text: content || refusal,
    toolCalls,
    stop,
    ...defined({ opaque, logprobs }),
  };
}

/** Returns the text of a message. Some compatible servers send a list of parts. */
function contentOf(content: Served): string | undefined {
  if (!Array.isArray(content.value)) return content.textOrNone();
  return content
    .list()
    .map((part) => part.field("text").textOrNone() ?? "")
    .join("");
}

/** Returns the calls of a message, each with its own id: some servers send none, or the same one for all. */
function callsIn(calls: readonly Served[]): ToolCall[] {
  const ids = new Set<string>();
  return calls.map((call, index) => {
    const served = call.field("id").textOrNone() || `call_${index}`;
    const id = ids.has(served) ? `${served}_${index}` : served;
    ids.add(id);
    const name = call.field("function").field("name").name();
    const given = call.field("function").field("arguments");
    return { id, name, arguments: argumentsOf(given) };
  });
}

/** Returns tool arguments: a JSON object or text; anything else stays the text it came as. */
export function argumentsOf(given: Served): ToolCall["arguments"] {
  if (typeof given.value !== "string") return given.isNothing ? {} : given.object();
  if (given.value.trim() === "") return {};
  const value = jsonIn(given.value);
  try {
    return typeof value === "string" ? value : new Served(value).object();
  } catch {
    return given.value;
  }
}

/** Returns log probabilities as a list of tokens, or as the columns of the old completions (Together). */
export function logprobsIn(served: Served): readonly TokenLogprob[] | undefined {
  if (served.isNothing) return undefined;
  const content = served.field("content");
  const tokens = served.field("tokens");
  if (tokens.isNothing) return content.isNothing ? undefined : content.list().map(tokenLogprob);
  const values = served.field("token_logprobs").list();
  const tops = served.field("top_logprobs").listOrNone();
  return tokens.list().flatMap((token, index) => {
    const value = values[index];
    const top = tops[index];
    if (value === undefined || value.isNothing) return [];
    const names = top === undefined || top.isNothing ? [] : Object.keys(top.object());
    const alternatives = names.map((name) => ({ token: name, logprob: top!.field(name).logprob() }));
    return [{ token: token.text(), logprob: value.logprob(), top: alternatives }];
  });
}

/** Reads a token of a list of log probabilities, the same on both of OpenAI's wires. */
export const tokenLogprob = (served: Served): TokenLogprob => ({
  ...tokenIn(served),
  top: served.field("top_logprobs").listOrNone().map(tokenIn),
});

const tokenIn = (served: Served) => ({
  token: served.field("token").text(),
  logprob: served.field("logprob").logprob(),
});

/** Returns how a message ended. Calls and refusals in it count before the server's word: some send `stop` with calls. */
function stopWith(calls: readonly ToolCall[], refusal: string, end: StopReason): StopReason {
  if (calls.length > 0 && end !== "length") return "tool";
  return refusal === "" ? end : "refusal";
}

export const USAGE: UsageFields = {
  in: "prompt_tokens",
  out: "completion_tokens",
  cacheRead: "prompt_tokens_details.cached_tokens",
  cacheWrite: "prompt_tokens_details.cache_write_tokens",
  thinking: "completion_tokens_details.reasoning_tokens",
  billedUsd: "cost",
  promptIncludesCache: true,
};
