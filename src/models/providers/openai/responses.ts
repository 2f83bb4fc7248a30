import { isObject } from "../../../text/json.js";
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
import { type CacheSetting, cacheMarks, NO_MARKS } from "../../cache-marks.js";
import { outputLimit } from "../../tokens.js";
import { stopOf } from "../../wire/ends.js";
import { fieldsOf, readUsage, type Served, type UsageFields } from "../../wire/reply.js";
import type { Body } from "../../wire/sdk.js";
import { isObjectText, sendable } from "../../wire/sendable.js";
import { argumentsOf, tokenLogprob } from "./chat.js";
import { cacheFields, type GptFamily } from "./models.js";

interface ResponsesWire {
  readonly modelId: string;
  readonly capabilities: Capabilities;
  readonly family: GptFamily;
  readonly cache: CacheSetting;
  /** True if the server is OpenAI's own: only there prompt caching is steered. */
  readonly official: boolean;
}

/**
 * Returns the Responses body of a request. Nothing is stored at the server: every turn brings the items of the earlier ones, in their
 * order. Tools say `strict`, because the wire makes schemas strict where nothing is said. There is no `stop`.
 */
export function toResponsesBody(request: ModelRequest, wire: ResponsesWire): Body {
  const { family, capabilities, modelId, official } = wire;
  const { system, tools, toolChoice, temperature, logprobs } = request;
  const marks = official ? cacheMarks(request, capabilities, wire.cache) : NO_MARKS;
  const takesMarks = family.billsCacheWrites === true; // older families take none
  const effort = request.effort ?? family.effort;
  const include = [
    ...(family.isPlain ? [] : ["reasoning.encrypted_content"]), // plain models refuse it
    ...(logprobs === undefined ? [] : ["message.output_text.logprobs"]),
  ];
  const items = sendable(request.messages).flatMap(toItems);
  const instruction = system !== undefined && marks.system && takesMarks ? [marked(system)] : system;
  const developer = system === undefined ? [] : [{ role: "developer", content: instruction }]; // `instructions` cannot be marked
  return {
    model: modelId,
    input: [...developer, ...(takesMarks ? withFirstMarked(items, marks.first) : items)],
    max_output_tokens: Math.max(LEAST_OUTPUT, outputLimit(capabilities, request)),
    store: false,
    include: include.length === 0 ? undefined : include,
    reasoning: effort && { effort },
    temperature,
    top_logprobs: logprobs,
    tools: tools?.map(toTool),
    tool_choice: tools && toolChoice,
    ...(official ? cacheFields(request, marks, family) : {}),
  };
}

/** The wire refuses less. */
const LEAST_OUTPUT = 16;

const marked = (text: string): Json => ({ type: "input_text", text, prompt_cache_breakpoint: { mode: "explicit" } });

/** Returns the items with the first as text up to the mark and behind it. */
function withFirstMarked(items: readonly Json[], end: number | undefined): readonly Json[] {
  const [first, ...later] = items as readonly { readonly content?: Json }[];
  const content = first?.content;
  if (end === undefined || typeof content !== "string") return items;
  return [
    { ...first, content: [marked(content.slice(0, end)), { type: "input_text", text: content.slice(end) }] },
    ...later,
  ];
}

function toItems(message: Message): Json[] {
  if (message.role === "user") return [{ role: "user", content: message.content }];
  if (message.role === "tool")
    return message.results.map(({ id, content }) => ({ type: "function_call_output", call_id: id, output: content }));
  if (Array.isArray(message.opaque)) return (message.opaque as readonly Json[]).map(asSent);
  const text = message.content === "" ? [] : [{ role: "assistant", content: message.content }];
  const calls = (message.toolCalls ?? []).map(({ id, name, arguments: given }) => ({
    ...{ type: "function_call", call_id: id, name },
    arguments: JSON.stringify(given),
  }));
  return [...text, ...calls];
}

/** Returns an item as it came, but for arguments that are no text of an object. */
function asSent(item: Json): Json {
  const { type, arguments: given } = fieldsOf(item);
  if (type !== "function_call" || isObjectText(given as Json)) return item;
  return { ...(item as object), arguments: isObject(given) ? JSON.stringify(given) : "{}" };
}

const toTool = ({ name, description, parameters }: ToolSpec) => ({
  type: "function",
  ...{ name, description, parameters },
  strict: false,
});

/**
 * Returns the reply in our terms. The text is that of the final answer; commentary between calls counts where there is nothing else. All
 * items of a turn with calls or reasoning are kept, to be sent back as they came.
 */
export function readResponse(body: Served, request: ModelRequest): ModelReply {
  const output = body.field("output");
  const items = output.list().map(itemOf);
  const toolCalls = items.flatMap(({ call }) => call ?? []);
  const messages = items.flatMap(({ message }) => message ?? []);
  const end = endOf(body);
  if (end === "end" && toolCalls.length + messages.length === 0) output.refuse("no message");
  const final = messages.filter(({ isCommentary }) => !isCommentary);
  const parts = (final.length > 0 || toolCalls.length > 0 ? final : messages).flatMap((message) => message.parts);
  const refusal = parts.map((part) => part.refusal).join("");
  const text = parts.map((part) => part.text).join("") || refusal;
  const logprobs = parts.flatMap((part) => part.logprobs);
  const stop = toolCalls.length > 0 ? "tool" : refusal === "" ? "end" : "refusal";
  const changes = body.field("input_transformations");
  return {
    text,
    toolCalls,
    ...(items.every(({ message }) => message !== undefined) ? {} : { opaque: output.json() }),
    stop: end === "end" ? stop : end,
    usage: readUsage(body.field("usage").value, USAGE, [request, { text, toolCalls }]),
    model: body.field("model").textOrNone() ?? "",
    ...(logprobs.length === 0 ? {} : { logprobs }),
    ...(Array.isArray(changes.value) && changes.value.length > 0 ? { inputChanged: changes.json() } : {}),
  };
}

/** Returns how the response ended: incomplete ones give a reason. */
function endOf(body: Served): StopReason {
  const status = body.field("status");
  if (status.value !== "incomplete") return stopOf(status);
  const details = body.field("incomplete_details");
  return details.isNothing ? details.refuse("the server broke the reply off") : stopOf(details.field("reason"));
}

interface Part {
  readonly text: string;
  readonly refusal: string;
  readonly logprobs: readonly TokenLogprob[];
}

/** A message or a call; an item of reasoning or an unknown type has neither. */
interface Item {
  readonly message?: { readonly isCommentary: boolean; readonly parts: readonly Part[] };
  readonly call?: ToolCall;
}

function itemOf(item: Served): Item {
  const type = item.field("type").text();
  if (type === "message") {
    const isCommentary = item.field("phase").textOrNone() === "commentary";
    return { message: { isCommentary, parts: item.field("content").list().map(partOf) } };
  }
  if (type !== "function_call") return {};
  const id = item.field("call_id").name();
  const name = item.field("name").name();
  return { call: { id, name, arguments: argumentsOf(item.field("arguments")) } };
}

function partOf(part: Served): Part {
  if (part.field("type").value === "refusal") return { text: "", refusal: part.field("refusal").text(), logprobs: [] };
  return {
    text: part.field("text").text(),
    refusal: "",
    logprobs: part.field("logprobs").listOrNone().map(tokenLogprob),
  };
}

const USAGE: UsageFields = {
  in: "input_tokens",
  out: "output_tokens",
  cacheRead: "input_tokens_details.cached_tokens",
  cacheWrite: "input_tokens_details.cache_write_tokens",
  thinking: "output_tokens_details.reasoning_tokens",
  billedUsd: "cost",
  promptIncludesCache: true,
};
