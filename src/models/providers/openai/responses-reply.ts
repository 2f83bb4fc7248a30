import * as z from "zod";
import type { Json, ModelReply, ModelRequest, StopReason, TokenLogprob, ToolCall } from "../../../types/index.js";
import {
  isKeepable,
  listOrNothing,
  type Misfit,
  named,
  otherThan,
  readBody,
  readUsage,
  textOrNothing,
  type UsageFields,
} from "../../wire/reply.js";
import { parsedArguments, tokenLogprob } from "./chat-reply.js";

/**
 * Returns the reply in our terms, or what is wrong with it. The text is that of the final answer; commentary between calls counts
 * where there is nothing else. All items of a turn with calls or reasoning are kept, to be sent back as they came.
 */
export function readResponse(served: unknown, request: ModelRequest): ModelReply | Misfit {
  const read = readBody(response, served);
  if ("misfit" in read) return read;
  const { output, status, incomplete_details, model, usage, input_transformations: changes } = read.body;
  const isCut = status === "incomplete";
  if (typeof status === "string" && !isCut && status !== "completed") return { misfit: `status: ${status}` };
  const toolCalls = output.flatMap(({ call }) => call ?? []);
  const messages = output.flatMap(({ message }) => message ?? []);
  if (!isCut && toolCalls.length + messages.length === 0) return { misfit: "output: no message" };
  const final = messages.filter(({ isCommentary }) => !isCommentary);
  const said = (final.length > 0 || toolCalls.length > 0 ? final : messages).flatMap(({ parts }) => parts);
  const refusal = said.map((part) => part.refusal).join("");
  const text = said.map((part) => part.text).join("") || refusal;
  const logprobs = said.flatMap((part) => part.logprobs);
  const opaque = (served as { readonly output: Json }).output; // it was read as such
  const isPlain = output.every(({ message }) => message !== undefined);
  if (!isPlain && !isKeepable(opaque)) return { misfit: "output: a number beyond the largest" };
  const isChanged = Array.isArray(changes) && changes.length > 0 && isKeepable(changes);
  return {
    text,
    toolCalls,
    ...(isPlain ? {} : { opaque }),
    stop: isCut
      ? cutStop(incomplete_details?.reason)
      : toolCalls.length > 0
        ? "tool"
        : refusal === ""
          ? "end"
          : "refusal",
    usage: readUsage(usage, USAGE, [request, { text, toolCalls }]),
    model: model ?? "",
    ...(logprobs.length === 0 ? {} : { logprobs }),
    ...(isChanged ? { inputChanged: changes as Json } : {}),
  };
}

function cutStop(reason: string | null | undefined): StopReason {
  if (reason === "max_output_tokens") return "length";
  return reason === "content_filter" ? "refusal" : "other";
}

interface Part {
  readonly text: string;
  readonly refusal: string;
  readonly logprobs: readonly TokenLogprob[];
}

interface Item {
  readonly message?: { readonly isCommentary: boolean; readonly parts: readonly Part[] };
  readonly call?: ToolCall;
}

const part = z.discriminatedUnion("type", [
  z
    .object({ type: z.literal("output_text"), text: z.string(), logprobs: listOrNothing(tokenLogprob) })
    .transform(({ text, logprobs }): Part => ({ text, refusal: "", logprobs: logprobs ?? [] })),
  z
    .object({ type: z.literal("refusal"), refusal: z.string() })
    .transform(({ refusal }): Part => ({ text: "", refusal, logprobs: [] })),
]);

const item = z.union([
  z
    .object({ type: z.literal("message"), phase: textOrNothing, content: z.array(part) })
    .transform(({ phase, content }): Item => ({ message: { isCommentary: phase === "commentary", parts: content } })),
  z.object({ type: z.literal("function_call"), call_id: named, name: named, arguments: textOrNothing }).transform(
    ({ call_id: id, name, arguments: given }): Item => ({
      call: { id, name, arguments: parsedArguments(given ?? "") },
    }),
  ),
  otherThan("message", "function_call").transform((): Item => ({})),
]);

const response = z.object({
  output: z.array(item),
  status: textOrNothing,
  incomplete_details: z.object({ reason: textOrNothing }).nullish(),
  model: textOrNothing,
  usage: z.unknown().optional(),
  input_transformations: z.unknown().optional(),
});

const USAGE: UsageFields = {
  in: "input_tokens",
  out: "output_tokens",
  cacheRead: "input_tokens_details.cached_tokens",
  cacheWrite: "input_tokens_details.cache_write_tokens",
  thinking: "output_tokens_details.reasoning_tokens",
  billedUsd: "cost",
  inHoldsCache: true,
};
