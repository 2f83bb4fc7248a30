import type { Capabilities, Json, Message, ModelRequest } from "../types/index.js";
import { type CacheMarks, type CacheSetting, cacheMarks, prefixName } from "./cache-marks.js";
import { outputLimit } from "./capabilities.js";
import type { GptFamily } from "./gpt.js";
import { isObjectText, sendable } from "./sendable.js";

interface ResponsesWire {
  readonly modelId: string;
  readonly capabilities: Capabilities;
  readonly family: GptFamily;
  readonly cache: CacheSetting;
  /** Whether the server is OpenAI's own: only there prompt caching is steered. */
  readonly official: boolean;
}

/**
 * The Responses body of a request. Nothing is stored at the server: every turn brings the items of the earlier ones, in their
 * order. Tools say `strict`, because the wire makes schemas strict where nothing is said. There is no `stop`.
 */
export function toResponse(request: ModelRequest, wire: ResponsesWire): Record<string, Json> {
  const { family, capabilities, modelId } = wire;
  const { tools, toolChoice, temperature, logprobs } = request;
  const marks = wire.official ? cacheMarks(request, capabilities, wire.cache) : { system: false, last: false };
  const effort = request.effort ?? family.effort;
  const include = [
    ...(family.reasons ? ["reasoning.encrypted_content"] : []), // plain models refuse it
    ...(logprobs === undefined ? [] : ["message.output_text.logprobs"]),
  ];
  return {
    model: modelId,
    input: [
      ...systemItem(request.system, marks, family),
      ...withFirstMarked(sendable(request.messages).flatMap(toItems), marks, family),
    ],
    max_output_tokens: Math.max(LEAST_OUTPUT, outputLimit(capabilities, request)),
    store: false,
    ...(include.length === 0 ? {} : { include }),
    ...(effort === undefined ? {} : { reasoning: { effort } }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(logprobs === undefined ? {} : { top_logprobs: logprobs }),
    ...(tools === undefined ? {} : { tools: tools.map(toTool) }),
    ...(tools === undefined || toolChoice === undefined ? {} : { tool_choice: toolChoice }),
    ...(wire.official ? cacheFields(request, marks, family) : {}),
  };
}

/** The fields that steer OpenAI's prompt cache, the same on both of its wires. */
export function cacheFields(
  request: ModelRequest,
  { system, last, first }: CacheMarks,
  { billsCacheWrites }: Pick<GptFamily, "billsCacheWrites">,
): Record<string, Json> {
  const isCached = system || last || first !== undefined;
  const isPlanned = request.opening !== undefined && !last; // nobody begins with the rest of it
  return {
    ...(isCached ? { prompt_cache_key: prefixName(request) } : {}),
    ...(billsCacheWrites && (!isCached || isPlanned) ? { prompt_cache_options: { mode: "explicit" } } : {}), // no mark: no cache, no fee
  };
}

/** The wire refuses less. */
const LEAST_OUTPUT = 16;

/** A developer message, because `instructions` cannot be marked. */
function systemItem(
  system: string | undefined,
  marks: CacheMarks,
  { billsCacheWrites }: Pick<GptFamily, "billsCacheWrites">,
): Json[] {
  if (system === undefined) return [];
  if (!marks.system || !billsCacheWrites) return [{ role: "developer", content: system }]; // older families take no marks
  return [{ role: "developer", content: [marked(system)] }];
}

const marked = (text: string): Json => ({ type: "input_text", text, prompt_cache_breakpoint: { mode: "explicit" } });

/** The first message, as text up to the mark and behind it. */
function withFirstMarked(
  items: readonly Json[],
  { first: end }: CacheMarks,
  { billsCacheWrites }: Pick<GptFamily, "billsCacheWrites">,
): readonly Json[] {
  const [first, ...later] = items as readonly { readonly role?: string; readonly content?: Json }[];
  const content = first?.content;
  if (end === undefined || !billsCacheWrites || typeof content !== "string") return items;
  const rest = { type: "input_text", text: content.slice(end) };
  return [{ ...first, content: [marked(content.slice(0, end)), rest] }, ...later];
}

function toItems(message: Message): Json[] {
  if (message.role === "user") return [{ role: "user", content: message.content }];
  if (message.role === "tool")
    return message.results.map(({ id, content }) => ({ type: "function_call_output", call_id: id, output: content }));
  if (Array.isArray(message.opaque)) return (message.opaque as readonly Json[]).map(asSent);
  const text = message.content === "" ? [] : [{ role: "assistant", content: message.content }];
  const calls = (message.toolCalls ?? []).map((call) => ({
    type: "function_call",
    call_id: call.id,
    name: call.name,
    arguments: JSON.stringify(call.arguments),
  }));
  return [...text, ...calls];
}

/** An item goes back as it came, but for arguments that are no object. */
function asSent(item: Json): Json {
  if (typeof item !== "object" || item === null || Array.isArray(item)) return item;
  const fields = item as { readonly [name: string]: Json };
  return fields.type === "function_call" && !isObjectText(fields.arguments) ? { ...fields, arguments: "{}" } : item;
}

function toTool(tool: NonNullable<ModelRequest["tools"]>[number]): Json {
  const { name, description, parameters } = tool;
  return { type: "function", name, description, parameters, strict: false };
}
