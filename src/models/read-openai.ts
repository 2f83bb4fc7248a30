import { z } from "zod";
import type { Json, ModelReply, ModelRequest, StopReason, TokenLogprob, ToolCall } from "../types.js";
import { opaqueOf } from "./opaque-openai.js";
import { fieldsOf, jsonObject, listOrNothing, type Misfit, named, readBody, textOrNothing } from "./read-reply.js";
import { readUsage } from "./read-usage.js";

/** The reply in our terms, or what is wrong with it. Reasoning fields (`reasoning`, `reasoning_content`) stay out of the text. */
export function readChatCompletion(served: unknown, request: ModelRequest): ModelReply | Misfit {
  const read = readBody(completion, served);
  if ("misfit" in read) return read;
  const { message, finish_reason, logprobs } = read.body.choices[0];
  const toolCalls = (message.tool_calls ?? []).flatMap((call, index): ToolCall[] =>
    call === undefined ? [] : [{ ...call, id: call.id || `call_${index}` }],
  );
  const refusal = message.refusal ?? "";
  const hasEnded = finish_reason === "stop" && toolCalls.length === 0 && refusal === "";
  if (hasEnded && message.content === undefined) return { misfit: "a message without content" };
  const content = message.content ?? "";
  const text = content === "" ? refusal : content;
  const opaque = toolCalls.length === 0 ? undefined : opaqueOf(messageOf(served));
  return {
    text,
    toolCalls,
    ...(opaque === undefined ? {} : { opaque }),
    stop: stopReason(finish_reason, toolCalls, refusal),
    usage: usageOf(read.body.usage, request, { text, toolCalls }),
    model: read.body.model ?? "",
    ...(logprobs?.content ? { logprobs: logprobs.content } : {}),
  };
}

// --- internal ---

/** The first choice's message as it came. */
const messageOf = (served: unknown): unknown => {
  const { choices } = fieldsOf(served);
  return Array.isArray(choices) ? fieldsOf(choices[0]).message : undefined;
};

/** Some compatible servers answer with a list of parts, as requests may have. */
const content = z
  .union([z.string(), z.array(z.object({ text: textOrNothing }))])
  .nullish()
  .transform((served) =>
    Array.isArray(served) ? served.map(({ text }) => text ?? "").join("") : (served ?? undefined),
  );

/** Some servers send arguments as the object itself, some leave out ids, and some of no argument send nothing. */
const toolCall = z.union([
  z.object({ type: z.literal("custom") }).transform(() => undefined),
  z
    .object({
      type: z.literal("function").nullish(),
      id: textOrNothing,
      function: z.object({ name: named, arguments: z.union([z.string(), jsonObject]).nullish() }),
    })
    .transform((call) => ({
      id: call.id ?? "",
      name: call.function.name,
      arguments: parsedArguments(call.function.arguments ?? ""),
    })),
]);

/** Rounding may leave a certain token a little above 0. */
const logprob = z
  .number()
  .max(1e-3)
  .transform((value) => Math.min(0, value));

const token = z.object({ token: z.string(), logprob });

const tokenLogprob = z
  .object({ ...token.shape, top_logprobs: listOrNothing(token) })
  .transform((entry): TokenLogprob => ({ token: entry.token, logprob: entry.logprob, top: entry.top_logprobs ?? [] }));

const choice = z.object({
  finish_reason: textOrNothing,
  message: z.object({ content, refusal: textOrNothing, tool_calls: listOrNothing(toolCall) }),
  logprobs: z.object({ content: listOrNothing(tokenLogprob) }).nullish(),
});

const completion = z.object({
  choices: z.tuple([choice], z.unknown()),
  model: textOrNothing,
  usage: z.unknown().optional(),
});

/** A JSON object or text; anything else stays the text it came as. */
function parsedArguments(served: string | { readonly [name: string]: Json }): ToolCall["arguments"] {
  if (typeof served !== "string") return served;
  if (served.trim() === "") return {};
  try {
    const parsed: unknown = JSON.parse(served);
    const read = readBody(z.union([z.string(), jsonObject]), parsed);
    return "misfit" in read ? served : read.body;
  } catch (error) {
    if (error instanceof SyntaxError) return served;
    throw error;
  }
}

/** Some servers answer tool calls with `stop`: what is in the message decides. */
function stopReason(finish: string | null | undefined, calls: readonly ToolCall[], refusal: string): StopReason {
  if (calls.length > 0 && finish !== "length") return "tool";
  if (refusal !== "") return "refusal";
  return STOPS[finish ?? ""] ?? "other";
}

const STOPS: Readonly<Record<string, StopReason>> = {
  stop: "end",
  eos: "end",
  length: "length",
  content_filter: "refusal",
  tool_calls: "tool",
  function_call: "tool",
};

/** `prompt_tokens` holds cache reads. */
function usageOf(served: unknown, request: ModelRequest, reply: Pick<ModelReply, "text" | "toolCalls">) {
  const usage = fieldsOf(served);
  const told = {
    in: usage.prompt_tokens,
    out: usage.completion_tokens,
    cacheRead: fieldsOf(usage.prompt_tokens_details).cached_tokens,
    cacheWrite: fieldsOf(usage.prompt_tokens_details).cache_write_tokens,
    thinking: fieldsOf(usage.completion_tokens_details).reasoning_tokens,
    billedUsd: usage.cost,
    inHoldsCache: true,
  };
  return readUsage(told, request, reply);
}
