import { defined } from "../../../text/json.js";
import type { Capabilities, ModelReply, ModelRequest } from "../../../types/index.js";
import { outputLimit } from "../../tokens.js";
import { stopOf } from "../../wire/ends.js";
import { readUsage, type Served } from "../../wire/reply.js";
import type { Body } from "../../wire/sdk.js";
import { logprobsIn, USAGE } from "./chat.js";
import type { Quirks } from "./quirks.js";

/** Abilities of a base model: it continues a text, and knows no turns and no tools. */
export const onCompletions: Capabilities = {
  temperature: true,
  stop: true,
  tools: false,
  prefill: true,
  logprobs: true,
  thinking: "none",
};

/** Returns the body of the legacy completions API: one prompt as plain text, and a number of log probabilities. */
export function toCompletionsBody(request: ModelRequest, modelId: string, { always }: Pick<Quirks, "always">): Body {
  const { temperature, stop, logprobs } = request;
  return {
    model: modelId,
    prompt: plainText(request),
    max_tokens: outputLimit(onCompletions, request),
    temperature,
    stop,
    logprobs,
    ...always,
  };
}

/**
 * Returns the turns as the text that the model continues: no role, no mark, a blank line between turns. What an assistant's last turn has
 * begun follows the prompt at once, so that a single prompt is sent as it is (RUMS, Algorithm 1).
 */
function plainText({ system, messages }: ModelRequest): string {
  const turns = messages.flatMap((message) => (message.role === "tool" ? [] : [message.content])); // it has no tools
  const begun = messages.at(-1)?.role === "assistant" ? turns.pop() : "";
  return [...(system === undefined ? [] : [system]), ...turns].join("\n\n") + begun;
}

/** Returns the reply in our terms. Log probabilities come as columns, or as those of chat (llama.cpp). */
export function readCompletion(body: Served, request: ModelRequest): ModelReply {
  const [choice] = body.field("choices").list();
  if (choice === undefined) return body.refuse("choices[0]: none");
  const answer = { text: choice.field("text").text(), toolCalls: [] };
  const logprobs = logprobsIn(choice.field("logprobs"));
  return {
    ...answer,
    stop: stopOf(choice.field("finish_reason")),
    usage: readUsage(body.field("usage").value, USAGE, [request, answer]),
    model: body.field("model").textOrNone() ?? "",
    ...defined({ logprobs }),
  };
}
