import * as z from "zod";
import type { Json, ModelReply, ModelRequest, StopReason, ToolCall } from "../types/index.js";
import { fieldsOf, isKeepable, jsonObject, type Misfit, named, readBody, textOrNothing } from "./read-reply.js";
import { readUsage } from "./read-usage.js";

/** The reply in our terms, or what is wrong with it. Blocks are told by type: thinking comes first where there is any. */
export function readMessagesBody(served: unknown, request: ModelRequest): ModelReply | Misfit {
  const read = readBody(message, served);
  if ("misfit" in read) return read;
  const { content, stop_reason, model } = read.body;
  const toolCalls = content.flatMap(({ call }): ToolCall[] => (call === undefined ? [] : [call]));
  const text = content.map((block) => block.text ?? "").join("");
  const isPlain = content.every((block) => block.text !== undefined);
  const opaque = (served as { readonly content: Json }).content; // it was read as such
  if (!isPlain && !isKeepable(opaque)) return { misfit: "content: a number beyond the largest" };
  return {
    text,
    toolCalls,
    stop: STOPS[stop_reason ?? "pause_turn"] ?? "other",
    usage: usageOf(read.body.usage, request, { text, toolCalls }),
    model: model ?? "",
    ...(isPlain ? {} : { opaque }),
  };
}

interface Block {
  readonly text?: string;
  readonly call?: ToolCall;
}

const block = z.union([
  z.object({ type: z.literal("text"), text: z.string() }).transform(({ text }): Block => ({ text })),
  z
    .object({ type: z.literal("tool_use"), id: named, name: named, input: jsonObject.nullish() })
    .transform(({ id, name, input }): Block => ({ call: { id, name, arguments: input ?? {} } })),
  z
    .object({ type: z.string().refine((type) => type !== "text" && type !== "tool_use", "unknown block") })
    .transform((): Block => ({})),
]);

const message = z.object({
  content: z.array(block),
  stop_reason: textOrNothing,
  model: textOrNothing,
  usage: z.unknown().optional(),
});

const STOPS: Readonly<Record<string, StopReason>> = {
  end_turn: "end",
  tool_use: "tool",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  stop_sequence: "stop-sequence",
  refusal: "refusal",
  pause_turn: "other",
};

/** `input_tokens` leaves cache reads and writes out; our `in` counts them. */
function usageOf(served: unknown, request: ModelRequest, reply: Pick<ModelReply, "text" | "toolCalls">) {
  const usage = fieldsOf(served);
  const told = {
    in: usage.input_tokens,
    out: usage.output_tokens,
    cacheRead: usage.cache_read_input_tokens,
    cacheWrite: usage.cache_creation_input_tokens,
    cacheWrite1h: fieldsOf(usage.cache_creation).ephemeral_1h_input_tokens,
    thinking: fieldsOf(usage.output_tokens_details).thinking_tokens,
    inHoldsCache: false,
  };
  return readUsage(told, request, reply);
}
