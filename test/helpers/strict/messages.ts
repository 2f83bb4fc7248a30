import * as z from "zod";
import { objectSchema, someText, toolName, wordText } from "./shared.js";

/**
 * Request bodies of Anthropic's Messages API, strictly: fields, types and ranges as in its API reference ("Create a
 * Message") and its guides to tool use, extended thinking and prompt caching.
 */
export const messagesBody = z
  .strictObject({
    model: someText,
    max_tokens: z.int().min(1),
    system: z.union([someText, z.array(z.lazy(() => textBlock)).min(1)]).optional(),
    messages: z.array(z.lazy(() => message)).min(1),
    temperature: z.number().min(0).max(1).optional(),
    stop_sequences: z.array(wordText).min(1).optional(),
    thinking: z.strictObject({ type: z.enum(["disabled", "adaptive", "between_tools"]) }).optional(),
    output_config: z.strictObject({ effort: z.enum(["low", "medium", "high", "xhigh", "max"]) }).optional(),
    tools: z
      .array(z.lazy(() => tool))
      .min(1)
      .optional(),
    tool_choice: z.strictObject({ type: z.enum(["auto", "none"]) }).optional(),
  })
  .refine((body) => body.tool_choice === undefined || body.tools !== undefined, "tool_choice needs tools")
  .refine(({ messages }) => messages[0]?.role === "user", "the first turn is the user's")
  .refine((body) => marksIn(body) <= 4, "more than four cache breakpoints")
  .refine(
    ({ messages }) => resultsFollowCalls(messages),
    "each tool_use has its tool_result in the next turn, and only those",
  );

const cacheControl = z.strictObject({ type: z.literal("ephemeral"), ttl: z.enum(["5m", "1h"]).optional() });
const mark = { cache_control: cacheControl.optional() };
const id = z.string().regex(/^[a-zA-Z0-9_-]+$/);

const textBlock = z.strictObject({ type: z.literal("text"), text: wordText, citations: z.null().optional(), ...mark });

/** Blocks of thinking take no breakpoint. */
const block = z.discriminatedUnion("type", [
  textBlock,
  z.strictObject({ type: z.literal("thinking"), thinking: z.string(), signature: someText }),
  z.strictObject({ type: z.literal("redacted_thinking"), data: someText }),
  z.strictObject({
    type: z.literal("tool_use"),
    id,
    name: toolName,
    input: z.record(z.string(), z.unknown()),
    caller: z.strictObject({ type: z.literal("direct") }).optional(),
    ...mark,
  }),
  z.strictObject({
    type: z.literal("tool_result"),
    tool_use_id: id,
    content: z.string(),
    is_error: z.boolean().optional(),
    ...mark,
  }),
]);

const message = z.strictObject({
  role: z.enum(["user", "assistant"]),
  content: z.union([wordText, z.array(block).min(1)]),
});

const tool = z.strictObject({ name: toolName, description: z.string(), input_schema: objectSchema, ...mark });

type Turn = z.infer<typeof message>;

const idsOf = ({ content }: Turn, kind: "tool_use" | "tool_result"): string[] =>
  typeof content === "string"
    ? []
    : content.flatMap((one) => {
        if (one.type === "tool_use" && kind === "tool_use") return [one.id];
        return one.type === "tool_result" && kind === "tool_result" ? [one.tool_use_id] : [];
      });

const resultsFollowCalls = (turns: readonly Turn[]): boolean =>
  turns.every((turn, index) => {
    const before = turns[index - 1];
    const asked = before === undefined ? [] : idsOf(before, "tool_use");
    return JSON.stringify(asked.sort()) === JSON.stringify(idsOf(turn, "tool_result").sort());
  }) && idsOf(turns.at(-1)!, "tool_use").length === 0;

const marksIn = (body: unknown): number => JSON.stringify(body).split('"cache_control":').length - 1;
