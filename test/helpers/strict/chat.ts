import * as z from "zod";
import { objectSchema, objectText, someText, toolName } from "./shared.js";

/**
 * Request bodies of Chat Completions, strictly: fields, types and ranges as in OpenAI's API reference ("Create chat
 * completion"), and the fields that hosts of the same protocol document on top (named beside each).
 */
export const chatBody = z
  .strictObject({
    model: someText,
    messages: z.array(z.lazy(() => message)).min(1),
    max_tokens: z.int().min(1).optional(),
    max_completion_tokens: z.int().min(1).optional(),
    temperature: z.number().min(0).max(2).optional(),
    seed: z.int().min(0).optional(),
    random_seed: z.int().min(0).optional(), // Mistral
    reasoning_effort: z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"]).optional(),
    stop: z.union([someText, z.array(someText).min(1).max(4)]).optional(),
    logprobs: z.union([z.boolean(), z.int().min(0).max(20)]).optional(), // a number: Together
    top_logprobs: z.int().min(0).max(20).optional(),
    tools: z
      .array(z.lazy(() => tool))
      .min(1)
      .max(128)
      .optional(),
    tool_choice: z.enum(["auto", "none", "required"]).optional(),
    prompt_cache_key: z.string().min(1).max(64).optional(),
    prompt_cache_options: z.strictObject({ mode: z.enum(["implicit", "explicit"]).optional() }).optional(),
    provider: z.strictObject({ require_parameters: z.boolean() }).optional(), // OpenRouter
    thinking: z.strictObject({ type: z.enum(["enabled", "disabled"]) }).optional(), // DeepSeek
    chat_template_kwargs: z.strictObject({ enable_thinking: z.boolean() }).optional(), // vLLM, llama.cpp
  })
  .refine(
    (body) => (body.max_tokens === undefined) !== (body.max_completion_tokens === undefined),
    "exactly one of max_tokens and max_completion_tokens",
  )
  .refine((body) => body.top_logprobs === undefined || body.logprobs === true, "top_logprobs needs logprobs")
  .refine((body) => body.tool_choice === undefined || body.tools !== undefined, "tool_choice needs tools")
  .refine(
    ({ messages }) => resultsFollowCalls(messages),
    "each tool call is answered right behind its turn, and only those",
  );

const text = z.strictObject({ type: z.literal("text"), text: z.string() });
/** Mistral's parts of thinking. */
const thinking = z.strictObject({
  type: z.literal("thinking"),
  thinking: z.array(text),
  closed: z.boolean().optional(),
});

const call = z.strictObject({
  id: someText,
  type: z.literal("function"),
  function: z.strictObject({ name: toolName, arguments: objectText }),
  extra_content: z.looseObject({}).optional(), // Gemini
});

const message = z.discriminatedUnion("role", [
  z.strictObject({ role: z.enum(["system", "developer"]), content: someText }),
  z.strictObject({ role: z.literal("user"), content: someText }),
  z
    .strictObject({
      role: z.literal("assistant"),
      content: z.union([z.string(), z.array(z.union([text, thinking]))]).nullish(),
      tool_calls: z.array(call).min(1).optional(),
      reasoning_content: z.string().optional(), // DeepSeek
      reasoning: z.string().optional(), // vLLM, OpenRouter
      reasoning_details: z.array(z.looseObject({ type: z.string() })).optional(), // OpenRouter
    })
    .refine((turn) => turn.content || turn.tool_calls !== undefined, "content is required where there are no calls"),
  z.strictObject({ role: z.literal("tool"), tool_call_id: someText, content: z.string() }),
]);

const tool = z.strictObject({
  type: z.literal("function"),
  function: z.strictObject({ name: toolName, description: z.string(), parameters: objectSchema }),
});

type Turn = z.infer<typeof message>;

function resultsFollowCalls(turns: readonly Turn[]): boolean {
  let open: string[] = [];
  for (const turn of turns) {
    if (turn.role === "tool") {
      if (!open.includes(turn.tool_call_id)) return false;
      open = open.filter((id) => id !== turn.tool_call_id);
    } else {
      if (open.length > 0) return false;
      open = turn.role === "assistant" ? (turn.tool_calls ?? []).map(({ id }) => id) : [];
    }
  }
  return open.length === 0;
}
