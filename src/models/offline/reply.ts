import type { ModelReply, ModelRequest, StopReason, TokenLogprob, ToolCall } from "../../types.js";
import { estimatedPromptTokens, estimatedTokens } from "../estimate.js";
import { tokensOf } from "./logprobs.js";
import { version } from "./weights.js";

/** What this model wants to say, before limits apply. */
interface Draft {
  readonly text: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly logprobs?: readonly TokenLogprob[] | undefined;
}

/** Cuts a draft at stop sequences and at the token limit, and counts what a provider would bill (characters / 4). */
export function finishReply(request: ModelRequest, draft: Draft): ModelReply {
  const stopped = cutAtStop(draft.text, request.stop ?? []);
  const text = tokensOf(stopped).slice(0, request.maxTokens).join("");
  const toolCalls = draft.toolCalls ?? [];
  return {
    text,
    toolCalls,
    stop: stopReason(draft, stopped, text),
    usage: {
      in: estimatedPromptTokens(request),
      out: estimatedTokens(text) + (toolCalls.length === 0 ? 0 : estimatedTokens(JSON.stringify(toolCalls))),
      estimated: true,
    },
    model: version,
    ...(draft.logprobs === undefined ? {} : { logprobs: draft.logprobs.slice(0, request.maxTokens) }),
    simulated: true,
  };
}

function cutAtStop(text: string, stops: readonly string[]): string {
  const cuts = stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0);
  return cuts.length === 0 ? text : text.slice(0, Math.min(...cuts));
}

function stopReason(draft: Draft, stopped: string, text: string): StopReason {
  if (text.length < stopped.length) return "length";
  if (draft.toolCalls !== undefined && draft.toolCalls.length > 0) return "tool";
  return stopped.length < draft.text.length ? "stop-sequence" : "end";
}
