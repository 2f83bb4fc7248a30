import type { Json, Message } from "../types.js";
import { fieldsOf } from "./read-reply.js";

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
export function withOpaque(sent: Sent, message: Assistant, all: readonly Message[]): Json {
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
