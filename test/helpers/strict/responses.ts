import * as z from "zod";
import { objectSchema, objectText, someText, toolName } from "./shared.js";

/**
 * Request bodies of the Responses API, strictly: fields, types and ranges as in OpenAI's API reference ("Create a model
 * response") and its guides to reasoning, function calling and prompt caching.
 */
export const responsesBody = z
  .strictObject({
    model: someText,
    input: z.array(z.lazy(() => item)).min(1),
    max_output_tokens: z.int().min(16),
    store: z.literal(false),
    include: z
      .array(z.enum(["reasoning.encrypted_content", "message.output_text.logprobs"]))
      .min(1)
      .optional(),
    reasoning: z
      .strictObject({ effort: z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"]) })
      .optional(),
    temperature: z.number().min(0).max(2).optional(),
    top_logprobs: z.int().min(0).max(20).optional(),
    tools: z
      .array(z.lazy(() => tool))
      .min(1)
      .optional(),
    tool_choice: z.enum(["auto", "none", "required"]).optional(),
    prompt_cache_key: z.string().min(1).max(64).optional(),
    prompt_cache_options: z.strictObject({ mode: z.enum(["implicit", "explicit"]) }).optional(),
  })
  .refine(
    ({ top_logprobs, include }) =>
      top_logprobs === undefined || include?.includes("message.output_text.logprobs") === true,
    "top_logprobs needs its include",
  )
  .refine((body) => body.tool_choice === undefined || body.tools !== undefined, "tool_choice needs tools")
  .refine(({ input }) => marksOf(input) <= 4, "more than four cache breakpoints")
  .refine(({ input }) => reasoningIsFollowed(input), "a reasoning item without the item that followed it")
  .refine(
    ({ input }) => outputsFollowCalls(input),
    "each function call has one output behind it, and no output is without",
  );

const breakpoint = z.strictObject({ mode: z.literal("explicit") });
const inputText = z.strictObject({
  type: z.literal("input_text"),
  text: someText,
  prompt_cache_breakpoint: breakpoint.optional(),
});
const status = z.enum(["in_progress", "completed", "incomplete"]).optional();

/** Messages that we write, without `type`. */
const easyMessage = z.strictObject({
  role: z.enum(["user", "developer", "system", "assistant"]),
  content: z.union([someText, z.array(inputText).min(1)]),
});

const outputMessage = z.strictObject({
  type: z.literal("message"),
  id: someText,
  role: z.literal("assistant"),
  status,
  phase: z.enum(["commentary", "final_answer"]).nullish(),
  content: z.array(
    z.union([
      z.strictObject({
        type: z.literal("output_text"),
        text: z.string(),
        annotations: z.array(z.unknown()),
        logprobs: z.array(z.unknown()).optional(),
      }),
      z.strictObject({ type: z.literal("refusal"), refusal: z.string() }),
    ]),
  ),
});

/** With `store: false` the server has no item of that id: the content must come along. */
const reasoning = z.strictObject({
  type: z.literal("reasoning"),
  id: someText,
  summary: z.array(z.strictObject({ type: z.literal("summary_text"), text: z.string() })),
  content: z.array(z.strictObject({ type: z.literal("reasoning_text"), text: z.string() })).optional(),
  encrypted_content: someText,
  status,
});

const functionCall = z.strictObject({
  type: z.literal("function_call"),
  id: someText.optional(),
  call_id: z.string().min(1).max(64),
  name: toolName,
  arguments: objectText,
  status,
});

const functionCallOutput = z.strictObject({
  type: z.literal("function_call_output"),
  call_id: z.string().min(1).max(64),
  output: z.string(),
});

const item = z.union([
  easyMessage,
  z.discriminatedUnion("type", [outputMessage, reasoning, functionCall, functionCallOutput]),
]);

/** Tools are flat here, and `strict` must be said: schemas are strict where it is not. */
const tool = z.strictObject({
  type: z.literal("function"),
  name: toolName,
  description: z.string(),
  parameters: objectSchema,
  strict: z.literal(false),
});

type Item = z.infer<typeof item>;

const kindOf = (one: Item | undefined): string => (one === undefined || !("type" in one) ? "message" : one.type);

const reasoningIsFollowed = (items: readonly Item[]): boolean =>
  items.every((one, index) => {
    if (kindOf(one) !== "reasoning") return true;
    const next = items[index + 1];
    return next !== undefined && "type" in next && next.type !== "function_call_output";
  });

function outputsFollowCalls(items: readonly Item[]): boolean {
  const open = new Set<string>();
  for (const one of items) {
    if (!("type" in one)) continue;
    if (one.type === "function_call") open.add(one.call_id);
    if (one.type === "function_call_output" && !open.delete(one.call_id)) return false;
  }
  return open.size === 0;
}

const marksOf = (items: readonly Item[]): number =>
  items
    .flatMap((one) => ("content" in one && Array.isArray(one.content) ? (one.content as unknown[]) : []))
    .filter((part) => typeof part === "object" && part !== null && "prompt_cache_breakpoint" in part).length;
