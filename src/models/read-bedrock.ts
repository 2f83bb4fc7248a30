import * as z from "zod";
import type { Json, ModelReply, ModelRequest, StopReason, ToolCall } from "../types/index.js";
import { fieldsOf, jsonObject, type Misfit, named, readBody, textOrNothing } from "./read-reply.js";
import { readUsage } from "./read-usage.js";

/** The field of our own that keeps the bytes of redacted reasoning, in base64. */
export const REDACTED = "redactedContentBase64";

/** The reply in our terms, or what is wrong with it. Reasoning blocks stay out of the text and go back unmodified. */
export function readConverse(served: unknown, request: ModelRequest, modelId: string): ModelReply | Misfit {
  const read = readBody(converse, served);
  if ("misfit" in read) return read;
  const { content } = read.body.output.message;
  const toolCalls = content.flatMap(({ call }): ToolCall[] => (call === undefined ? [] : [call]));
  const text = content.map((block) => block.text ?? "").join("");
  const isPlain = content.every((block) => block.text !== undefined);
  return {
    text,
    toolCalls,
    stop: STOPS[read.body.stopReason ?? ""] ?? "other",
    usage: usageOf(read.body.usage, request, { text, toolCalls }),
    model: modelId,
    ...(isPlain ? {} : { opaque: content.map(({ opaque }) => opaque) }),
  };
}

interface Block {
  readonly text?: string;
  readonly call?: ToolCall;
  readonly opaque: Json;
}

const block = z
  .looseObject({
    text: textOrNothing,
    toolUse: z.object({ toolUseId: named, name: named, input: jsonObject.nullish() }).nullish(),
    reasoningContent: z.looseObject({ redactedContent: z.instanceof(Uint8Array).nullish() }).nullish(),
  })
  .transform((served): Block => {
    const { text, toolUse } = served;
    return {
      opaque: toOpaque(served),
      ...(typeof text === "string" ? { text } : {}),
      ...(toolUse
        ? { call: { id: toolUse.toolUseId, name: toolUse.name, arguments: asJson(toolUse.input ?? {}) } }
        : {}),
    };
  });

const converse = z.object({
  output: z.object({ message: z.object({ content: z.array(block) }) }),
  stopReason: textOrNothing,
  usage: z.unknown().optional(),
});

/** A block as JSON: bytes of redacted reasoning become base64. */
function toOpaque(served: {
  readonly reasoningContent?: { readonly redactedContent?: Uint8Array | null | undefined } | null | undefined;
}): Json {
  const bytes = served.reasoningContent?.redactedContent;
  if (bytes !== undefined && bytes !== null) return { [REDACTED]: Buffer.from(bytes).toString("base64") };
  return asJson(served);
}

/** As it will be read back from a file: the SDK's objects may inherit what the reply calls `__proto__`. */
const asJson = (value: object): Json => JSON.parse(JSON.stringify(value)) as Json;

const STOPS: Readonly<Record<string, StopReason>> = {
  end_turn: "end",
  tool_use: "tool",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  stop_sequence: "stop-sequence",
  guardrail_intervened: "refusal",
  content_filtered: "refusal",
  refusal: "refusal",
};

/** `inputTokens` leaves cache reads and writes out; our `in` counts them. */
function usageOf(served: unknown, request: ModelRequest, reply: Pick<ModelReply, "text" | "toolCalls">) {
  const usage = fieldsOf(served);
  const details = Array.isArray(usage.cacheDetails) ? usage.cacheDetails.map(fieldsOf) : [];
  const told = {
    in: usage.inputTokens,
    out: usage.outputTokens,
    cacheRead: usage.cacheReadInputTokens,
    cacheWrite: usage.cacheWriteInputTokens,
    cacheWrite1h: details.find(({ ttl }) => ttl === "1h")?.inputTokens,
    inHoldsCache: false,
  };
  return readUsage(told, request, reply);
}
