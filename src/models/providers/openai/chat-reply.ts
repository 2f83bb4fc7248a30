import * as z from "zod";
import { jsonIn } from "../../../text/json.js";
import type { Json, ModelReply, ModelRequest, StopReason, TokenLogprob, ToolCall } from "../../../types/index.js";
import { estimatedTokens } from "../../tokens.js";
import {
  fieldsOf,
  jsonObject,
  listOrNothing,
  type Misfit,
  named,
  readBody,
  readUsage,
  textOrNothing,
  type UsageFields,
} from "../../wire/reply.js";
import { opaqueOf } from "./chat-request.js";

/**
 * Returns the reply in our terms, or what is wrong with it. Reasoning fields (`reasoning`, `reasoning_content`) stay out of the text.
 * Where several replies were asked for, those behind the first come along as `others`.
 */
export function readChat(served: unknown, request: ModelRequest): ModelReply | Misfit {
  const read = readBody(completion, served);
  if ("misfit" in read) return read;
  const [first, ...others] = read.body.choices.slice(0, request.samples ?? 1).map(answerOf);
  if (first === undefined) return { misfit: "choices[0]: none" };
  if ("misfit" in first) return first;
  const usage = readUsage(read.body.usage, USAGE, [request, first]);
  const reply = { ...first, usage, model: read.body.model ?? "" };
  const whole = others.flatMap((other) => ("misfit" in other ? [] : [other]));
  return whole.length === 0 ? reply : sharedOut(reply, whole);
}

/** Returns tool arguments: a JSON object or text; anything else stays the text it came as. */
export function parsedArguments(served: string | { readonly [name: string]: Json }): ToolCall["arguments"] {
  if (typeof served !== "string") return served;
  if (served.trim() === "") return {};
  const read = readBody(z.union([z.string(), jsonObject]), jsonIn(served));
  return "misfit" in read ? served : read.body;
}

type Answer = Pick<ModelReply, "text" | "toolCalls" | "opaque" | "stop" | "logprobs">;

function answerOf(served: unknown, at: number): Answer | Misfit {
  const read = readBody(choice, served);
  if ("misfit" in read) return { misfit: `choices[${at}].${read.misfit}`.replace(".the body:", ":") };
  const { message, finish_reason: finish, logprobs } = read.body;
  const ids = new Set<string>();
  const toolCalls = (message.tool_calls ?? []).map((call, index): ToolCall => {
    const id = call.id || `call_${index}`;
    const own = ids.has(id) ? `${id}_${index}` : id; // some servers give every call of a turn the same id
    ids.add(own);
    return { ...call, id: own };
  });
  const refusal = message.refusal ?? "";
  const text = message.content || refusal;
  const stop = stopOf(finish ?? "", toolCalls, refusal);
  const isSilent = message.content === undefined && toolCalls.length === 0 && refusal === "";
  if (finish === "error" || (isSilent && stop !== "length" && stop !== "refusal"))
    return { misfit: `choices[${at}]: a message without content (finish_reason ${finish})` };
  const opaque = toolCalls.length === 0 ? undefined : opaqueOf(fieldsOf(served).message);
  return { text, toolCalls, stop, ...(opaque === undefined ? {} : { opaque }), ...(logprobs ? { logprobs } : {}) };
}

/**
 * Returns replies of one request with its usage shared out, so that the sum is what was billed: the first has the prompt, the tokens of
 * the replies go by the lengths of their texts.
 */
function sharedOut(first: ModelReply, others: readonly Answer[]): ModelReply {
  const { usage, model } = first;
  const weights = [first, ...others].map(
    ({ text, toolCalls }) => 1 + estimatedTokens(JSON.stringify([text, toolCalls])),
  );
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const parts = weights.slice(1).map((weight) => Math.floor((usage.out * weight) / all));
  const rest = parts.reduce((sum, part) => sum + part, 0);
  const marks = {
    ...(usage.billedUsd === undefined ? {} : { billedUsd: 0 }),
    ...(usage.estimated === true ? { estimated: true } : {}),
  };
  return {
    ...first,
    usage: { ...usage, out: usage.out - rest },
    others: others.map((other, index) => ({ ...other, usage: { in: 0, out: parts[index]!, ...marks }, model })),
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
const toolCall = z
  .object({
    id: textOrNothing,
    function: z.object({ name: named, arguments: z.union([z.string(), jsonObject]).nullish() }),
  })
  .transform(
    ({ id, function: { name, arguments: given } }): ToolCall => ({
      id: id ?? "",
      name,
      arguments: parsedArguments(given ?? ""),
    }),
  );

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
  .transform(({ tokens, token_logprobs, top_logprobs }) =>
    tokens.flatMap((text, index): TokenLogprob[] => {
      const value = token_logprobs[index] ?? undefined;
      const top = Object.entries(top_logprobs?.[index] ?? {}).map(([token, logprob]) => ({ token, logprob }));
      return value === undefined ? [] : [{ token: text, logprob: value, top }];
    }),
  );

const list = z
  .object({ content: listOrNothing(tokenLogprob), tokens: z.undefined().optional() })
  .transform(({ content }) => content ?? undefined);

const choice = z.object({
  finish_reason: textOrNothing,
  message: z.object({ content, refusal: textOrNothing, tool_calls: listOrNothing(toolCall) }),
  logprobs: z.union([list, columns]).nullish(),
});

const completion = z.object({
  choices: z.array(z.unknown()),
  model: textOrNothing,
  usage: z.unknown().optional(),
});

/** Some servers answer tool calls with `stop`: what is in the message decides. */
function stopOf(finish: string, calls: readonly ToolCall[], refusal: string): StopReason {
  if (calls.length > 0 && finish !== "length") return "tool";
  return refusal === "" ? (STOPS[finish] ?? "other") : "refusal";
}

const STOPS: Readonly<Record<string, StopReason>> = {
  stop: "end",
  eos: "end",
  length: "length",
  content_filter: "refusal",
  tool_calls: "tool",
  function_call: "tool",
};

const USAGE: UsageFields = {
  in: "prompt_tokens",
  out: "completion_tokens",
  cacheRead: "prompt_tokens_details.cached_tokens",
  cacheWrite: "prompt_tokens_details.cache_write_tokens",
  thinking: "completion_tokens_details.reasoning_tokens",
  billedUsd: "cost",
  inHoldsCache: true,
};
