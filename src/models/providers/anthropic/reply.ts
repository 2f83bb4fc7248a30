import * as z from "zod";
import type { Json, ModelReply, ModelRequest, StopReason, ToolCall } from "../../../types/index.js";
import {
  isKeepable,
  jsonObject,
  type Misfit,
  named,
  otherThan,
  readBody,
  readUsage,
  textOrNothing,
  type UsageFields,
} from "../../wire/reply.js";

/** Returns the reply in our terms, or what is wrong with it. Blocks are told by type: thinking comes first where there is any. */
export function readMessage(served: unknown, request: ModelRequest): ModelReply | Misfit {
  const read = readBody(message, served);
  if ("misfit" in read) return read;
  const { content, stop_reason, model, usage } = read.body;
  const toolCalls = content.flatMap(({ call }) => call ?? []);
  const text = content.map((one) => one.text ?? "").join("");
  const isPlain = content.every((one) => one.text !== undefined);
  const opaque = (served as { readonly content: Json }).content; // it was read as such
  if (!isPlain && !isKeepable(opaque)) return { misfit: "content: a number beyond the largest" };
  return {
    text,
    toolCalls,
    stop: CLAUDE_STOPS[stop_reason ?? ""] ?? "other",
    usage: readUsage(usage, USAGE, [request, { text, toolCalls }]),
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
  otherThan("text", "tool_use").transform((): Block => ({})),
]);

const message = z.object({
  content: z.array(block),
  stop_reason: textOrNothing,
  model: textOrNothing,
  usage: z.unknown().optional(),
});

/** The same words on Bedrock's Converse. */
export const CLAUDE_STOPS: Readonly<Record<string, StopReason>> = {
  end_turn: "end",
  tool_use: "tool",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  stop_sequence: "stop-sequence",
  refusal: "refusal",
};

const USAGE: UsageFields = {
  in: "input_tokens",
  out: "output_tokens",
  cacheRead: "cache_read_input_tokens",
  cacheWrite: "cache_creation_input_tokens",
  cacheWrite1h: "cache_creation.ephemeral_1h_input_tokens",
  thinking: "output_tokens_details.thinking_tokens",
  inHoldsCache: false,
};
