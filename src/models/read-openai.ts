import * as z from "zod";
import type { Json, ModelReply, ModelRequest, StopReason, TokenLogprob, ToolCall } from "../types/index.js";
import { estimatedTokens } from "./bytes-per-token.js";
import { opaqueOf } from "./convert-openai.js";
import { fieldsOf, jsonObject, listOrNothing, type Misfit, named, readBody, textOrNothing } from "./read-reply.js";
import { readUsage } from "./read-usage.js";

/**
 * The reply in our terms, or what is wrong with it. Reasoning fields (`reasoning`, `reasoning_content`) stay out of the text.
 * Where several replies were asked for, those behind the first come along as `others`.
 */
export function readChatCompletion(served: unknown, request: ModelRequest): ModelReply | Misfit {
  const read = readBody(completion, served);
  if ("misfit" in read) return read;
  const { choices, usage, model } = read.body;
  const first = answerOf(choices[0], messageAt(served, 0));
  if ("misfit" in first) return first;
  const asked = (request.samples ?? 1) - 1;
  const others = choices.slice(1, 1 + asked).flatMap((one, index): Answer[] => {
    const read = readBody(choice, one);
    const other = "misfit" in read ? read : answerOf(read.body, messageAt(served, index + 1));
    return "misfit" in other ? [] : [other];
  });
  const reply = { ...first, usage: usageOf(usage, request, first), model: model ?? "" };
  return others.length === 0 ? reply : sharedOut(reply, others);
}

/** Tool arguments: a JSON object or text; anything else stays the text it came as. */
export function parsedArguments(served: string | { readonly [name: string]: Json }): ToolCall["arguments"] {
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

type Answer = Pick<ModelReply, "text" | "toolCalls" | "opaque" | "stop" | "logprobs">;

function answerOf({ message, finish_reason, logprobs }: z.infer<typeof choice>, raw: unknown): Answer | Misfit {
  const ids = new Set<string>();
  const toolCalls = (message.tool_calls ?? []).flatMap((call, index): ToolCall[] => {
    if (call === undefined) return [];
    const id = call.id === "" ? `call_${index}` : call.id;
    const own = ids.has(id) ? `${id}_${index}` : id; // some servers give every call of a turn the same id
    ids.add(own);
    return [{ ...call, id: own }];
  });
  const refusal = message.refusal ?? "";
  const hasEnded = finish_reason === "stop" && toolCalls.length === 0 && refusal === "";
  if (hasEnded && message.content === undefined) return { misfit: "a message without content" };
  const content = message.content ?? "";
  const opaque = toolCalls.length === 0 ? undefined : opaqueOf(raw);
  return {
    text: content === "" ? refusal : content,
    toolCalls,
    ...(opaque === undefined ? {} : { opaque }),
    stop: stopReason(finish_reason, toolCalls, refusal),
    ...(logprobs ? { logprobs } : {}),
  };
}

/** The message of a choice as it came. */
const messageAt = (served: unknown, index: number): unknown => {
  const { choices } = fieldsOf(served);
  return Array.isArray(choices) ? fieldsOf(choices[index]).message : undefined;
};

/**
 * Replies of one request, its usage shared out so that the sum is what was billed: the first has the prompt, the tokens of
 * the replies go by the lengths of their texts.
 */
function sharedOut(first: ModelReply, others: readonly Answer[]): ModelReply {
  const { usage, model } = first;
  const weights = [first, ...others].map(
    (answer) => 1 + estimatedTokens(JSON.stringify([answer.text, answer.toolCalls])),
  );
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const parts = weights.map((weight) => Math.floor((usage.out * weight) / all));
  const rest = parts.slice(1).reduce((sum, part) => sum + part, 0);
  const billed = usage.billedUsd === undefined ? {} : { billedUsd: 0 };
  const marked = usage.estimated === true ? { estimated: true } : {};
  return {
    ...first,
    usage: { ...usage, out: usage.out - rest },
    others: others.map((other, index) => ({
      ...other,
      usage: { in: 0, out: parts[index + 1]!, ...billed, ...marked }, // one part for each
      model,
    })),
  };
}

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

/** A token of a list of log probabilities, the same on both of OpenAI's wires. */
export const tokenLogprob = z
  .object({ ...token.shape, top_logprobs: listOrNothing(token) })
  .transform((entry): TokenLogprob => ({ token: entry.token, logprob: entry.logprob, top: entry.top_logprobs ?? [] }));

/** The shape of the old completions (Together): columns instead of a list of tokens. */
const columns = z
  .object({
    tokens: z.array(z.string()),
    token_logprobs: z.array(logprob.nullable()),
    top_logprobs: listOrNothing(z.record(z.string(), logprob).nullable()),
  })
  .transform(({ tokens, token_logprobs, top_logprobs }): TokenLogprob[] =>
    tokens.flatMap((text, index) => {
      const value = token_logprobs[index];
      if (value === undefined || value === null) return [];
      const top = Object.entries(top_logprobs?.[index] ?? {}).map(([token, logprob]) => ({ token, logprob }));
      return [{ token: text, logprob: value, top }];
    }),
  );

const logprobs = z
  .union([
    z
      .object({ content: listOrNothing(tokenLogprob), tokens: z.undefined().optional() })
      .transform(({ content }) => content ?? undefined),
    columns,
  ])
  .nullish();

const choice = z.object({
  finish_reason: textOrNothing,
  message: z.object({ content, refusal: textOrNothing, tool_calls: listOrNothing(toolCall) }),
  logprobs,
});

const completion = z.object({
  choices: z.tuple([choice], z.unknown()),
  model: textOrNothing,
  usage: z.unknown().optional(),
});

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
