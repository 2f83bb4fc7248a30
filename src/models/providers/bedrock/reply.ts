import * as z from "zod";
import type { Json, ModelReply, ModelRequest, ToolCall } from "../../../types/index.js";
import {
  fieldsOf,
  jsonObject,
  type Misfit,
  named,
  readBody,
  readUsage,
  textOrNothing,
  type UsageFields,
} from "../../wire/reply.js";
import { CLAUDE_STOPS } from "../anthropic/reply.js";

/** The field of our own that keeps the bytes of redacted reasoning, in base64. */
export const REDACTED = "redactedContentBase64";

/** Returns the reply in our terms, or what is wrong with it. Reasoning blocks stay out of the text and go back unmodified. */
export function readConverse(served: unknown, request: ModelRequest, modelId: string): ModelReply | Misfit {
  const read = readBody(converse, served);
  if ("misfit" in read) return read;
  const { output, stopReason, usage } = read.body;
  const { content } = output.message;
  const toolCalls = content.flatMap(({ call }) => call ?? []);
  const text = content.map((one) => one.text ?? "").join("");
  const isPlain = content.every((one) => one.text !== undefined);
  const details = fieldsOf(usage).cacheDetails;
  const hour = Array.isArray(details) ? details.find((one) => fieldsOf(one).ttl === "1h") : undefined;
  return {
    text,
    toolCalls,
    stop: STOPS[stopReason ?? ""] ?? "other",
    usage: readUsage({ ...fieldsOf(usage), hour }, USAGE, [request, { text, toolCalls }]),
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
    const { text, toolUse, reasoningContent } = served;
    const bytes = reasoningContent?.redactedContent;
    return {
      opaque: bytes ? { [REDACTED]: Buffer.from(bytes).toString("base64") } : asJson(served),
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

/** Returns a value as it will be read back from a file: the SDK's objects may inherit what the reply calls `__proto__`. */
const asJson = (value: object): Json => JSON.parse(JSON.stringify(value)) as Json;

const STOPS: typeof CLAUDE_STOPS = { ...CLAUDE_STOPS, guardrail_intervened: "refusal", content_filtered: "refusal" };

const USAGE: UsageFields = {
  in: "inputTokens",
  out: "outputTokens",
  cacheRead: "cacheReadInputTokens",
  cacheWrite: "cacheWriteInputTokens",
  cacheWrite1h: "hour.inputTokens",
  inHoldsCache: false,
};
