import * as z from "zod";
import type { Json, ModelReply, ModelRequest, StopReason, TokenLogprob, ToolCall } from "../types/index.js";
import { parsedArguments, tokenLogprob } from "./read-openai.js";
import { fieldsOf, isKeepable, listOrNothing, type Misfit, named, readBody, textOrNothing } from "./read-reply.js";
import { readUsage } from "./read-usage.js";

/**
 * The reply in our terms, or what is wrong with it. The text is that of the final answer; commentary between calls counts
 * where there is nothing else. All items of a turn with calls or reasoning are kept, to be sent back as they came.
 */
export function readResponse(served: unknown, request: ModelRequest): ModelReply | Misfit {
  const read = readBody(response, served);
  if ("misfit" in read) return read;
  const { output, status, incomplete_details, model, usage, input_transformations: changes } = read.body;
  if (typeof status === "string" && !ENDED.has(status)) return { misfit: `status: ${status}` };
  const toolCalls = output.flatMap(({ call }): ToolCall[] => (call === undefined ? [] : [call]));
  const messages = output.flatMap(({ message }) => (message === undefined ? [] : [message]));
  if (status !== "incomplete" && toolCalls.length + messages.length === 0) return { misfit: "output: no message" };
  const final = messages.filter(({ commentary }) => !commentary);
  const said = final.length > 0 || toolCalls.length > 0 ? final : messages;
  const refusal = said.map((message) => message.refusal).join("");
  const plain = said.map((message) => message.text).join("");
  const text = plain === "" ? refusal : plain;
  const logprobs = said.flatMap((message) => message.logprobs);
  const opaque = (served as { readonly output: Json }).output; // it was read as such
  const isPlain = output.every(({ message }) => message !== undefined);
  if (!isPlain && !isKeepable(opaque)) return { misfit: "output: a number beyond the largest" };
  return {
    text,
    toolCalls,
    ...(isPlain ? {} : { opaque }),
    stop: stopReason(status === "incomplete" ? (incomplete_details?.reason ?? "") : undefined, toolCalls, refusal),
    usage: usageOf(usage, request, { text, toolCalls }),
    model: model ?? "",
    ...(logprobs.length === 0 ? {} : { logprobs }),
    ...(Array.isArray(changes) && changes.length > 0 && isKeepable(changes as Json)
      ? { inputChanged: changes as Json }
      : {}),
  };
}

/** What a finished response may say; servers that say nothing have finished, too. */
const ENDED = new Set(["completed", "incomplete"]);

interface MessageText {
  readonly text: string;
  readonly refusal: string;
  readonly commentary: boolean;
  readonly logprobs: readonly TokenLogprob[];
}

interface Item {
  readonly message?: MessageText;
  readonly call?: ToolCall;
}

const part = z.discriminatedUnion("type", [
  z
    .object({ type: z.literal("output_text"), text: z.string(), logprobs: listOrNothing(tokenLogprob) })
    .transform(({ text, logprobs }) => ({ text, refusal: "", logprobs: logprobs ?? [] })),
  z
    .object({ type: z.literal("refusal"), refusal: z.string() })
    .transform(({ refusal }) => ({ text: "", refusal, logprobs: [] as TokenLogprob[] })),
]);

const item = z.union([
  z
    .object({ type: z.literal("message"), phase: textOrNothing, content: z.array(part) })
    .transform(({ phase, content }): Item => {
      const text = content.map((one) => one.text).join("");
      const refusal = content.map((one) => one.refusal).join("");
      const logprobs = content.flatMap((one) => one.logprobs);
      return { message: { text, refusal, logprobs, commentary: phase === "commentary" } };
    }),
  z
    .object({ type: z.literal("function_call"), call_id: named, name: named, arguments: z.string().nullish() })
    .transform(
      (call): Item => ({
        call: { id: call.call_id, name: call.name, arguments: parsedArguments(call.arguments ?? "") },
      }),
    ),
  z
    .object({ type: z.string().refine((type) => type !== "message" && type !== "function_call", "unknown item") })
    .transform((): Item => ({})),
]);

const response = z.object({
  output: z.array(item),
  status: textOrNothing,
  incomplete_details: z.object({ reason: textOrNothing }).nullish(),
  model: textOrNothing,
  usage: z.unknown().optional(),
  input_transformations: z.unknown().optional(),
});

/** `cut`: why the response is incomplete; undefined where it is not. */
function stopReason(cut: string | undefined, calls: readonly ToolCall[], refusal: string): StopReason {
  if (cut === "max_output_tokens") return "length";
  if (cut !== undefined) return cut === "content_filter" ? "refusal" : "other";
  if (calls.length > 0) return "tool";
  return refusal === "" ? "end" : "refusal";
}

/** `input_tokens` holds cache reads and writes. */
function usageOf(served: unknown, request: ModelRequest, reply: Pick<ModelReply, "text" | "toolCalls">) {
  const usage = fieldsOf(served);
  const told = {
    in: usage.input_tokens,
    out: usage.output_tokens,
    cacheRead: fieldsOf(usage.input_tokens_details).cached_tokens,
    cacheWrite: fieldsOf(usage.input_tokens_details).cache_write_tokens,
    thinking: fieldsOf(usage.output_tokens_details).reasoning_tokens,
    billedUsd: usage.cost,
    inHoldsCache: true,
  };
  return readUsage(told, request, reply);
}
