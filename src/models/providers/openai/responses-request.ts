import type { Capabilities, Json, Message, ModelRequest, ToolSpec } from "../../../types/index.js";
import { type CacheMarks, type CacheSetting, cacheMarks, NO_MARKS, prefixName } from "../../cache-marks.js";
import { outputLimit } from "../../tokens.js";
import type { Body } from "../../wire/sdk.js";
import { isObjectText, sendable } from "../../wire/sendable.js";
import type { GptFamily } from "./models.js";

interface ResponsesWire {
  readonly modelId: string;
  readonly capabilities: Capabilities;
  readonly family: GptFamily;
  readonly cache: CacheSetting;
  /** Whether the server is OpenAI's own: only there prompt caching is steered. */
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

/** Returns the fields that steer OpenAI's prompt cache, the same on both of its wires. */
export function cacheFields(
  request: ModelRequest,
  { system, last, first }: CacheMarks,
  { billsCacheWrites }: Pick<GptFamily, "billsCacheWrites">,
): Body {
  const isCached = system || last || first !== undefined;
  const isPlanned = request.opening !== undefined && !last; // nobody begins with the rest of it
  const explicit = billsCacheWrites === true && (!isCached || isPlanned); // no mark: no cache, no fee
  return {
    prompt_cache_key: isCached ? prefixName(request) : undefined,
    prompt_cache_options: explicit ? { mode: "explicit" } : undefined,
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

/** Returns an item as it came, but for arguments that are no object. */
function asSent(item: Json): Json {
  if (typeof item !== "object" || item === null || Array.isArray(item)) return item;
  const fields = item as { readonly [name: string]: Json };
  return fields.type === "function_call" && !isObjectText(fields.arguments) ? { ...fields, arguments: "{}" } : item;
}

const toTool = ({ name, description, parameters }: ToolSpec) => ({
  type: "function",
  ...{ name, description, parameters },
  strict: false,
});
