import { seeded } from "../../../random/seeded.js";
import { contentId } from "../../../text/content-id.js";
import type { ModelReply, ModelRequest, StopReason, TokenLogprob, ToolCall } from "../../../types/index.js";
import { estimatedPromptTokens, estimatedTokens } from "../../tokens.js";
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

/** Cuts text into this model's tokens: up to five letters or digits with a leading space, or one other character. */
function tokensOf(text: string): string[] {
  return text.match(/\s?[\p{L}\p{N}]{1,5}|\s?[^\s\p{L}\p{N}]|\s+/gu) ?? [];
}

/**
 * Log-probabilities of an answer's tokens. The possible answers form a prefix tree, so at every token the alternatives
 * sum to one and the chain gives back the answer's own probability.
 */
export function answerLogprobs(
  answers: ReadonlyMap<string, number>,
  answer: string,
  alternatives: number,
): TokenLogprob[] {
  const paths = [...answers].map(([text, share]) => ({ tokens: [...tokensOf(text), endToken], share }));
  let alive = paths;
  return [...tokensOf(answer), endToken].map((token, at) => {
    const total = alive.reduce((sum, path) => sum + path.share, 0);
    const shares = new Map<string, number>();
    for (const path of alive) shares.set(path.tokens[at] ?? "", (shares.get(path.tokens[at] ?? "") ?? 0) + path.share);
    alive = alive.filter((path) => path.tokens[at] === token);
    const top = [...shares]
      .map(([text, share]) => ({ token: text, logprob: Math.log(share / total) }))
      .sort((a, b) => b.logprob - a.logprob);
    const logprob = Math.log((shares.get(token) ?? 0) / total);
    return { token, logprob, top: top.slice(0, alternatives) };
  });
}

const endToken = "<end>";

/** The answer of a request: the likeliest at low temperatures, otherwise one draw that depends on nothing but the request. */
export function draw(answers: ReadonlyMap<string, number>, request: ModelRequest): string {
  const ranked = [...answers].sort((a, b) => b[1] - a[1]);
  const likeliest = ranked[0]?.[0] ?? "";
  const temperature = request.temperature ?? 0;
  if (temperature < coldest || ranked.length < 2) return likeliest;
  const odds = ranked.map(([, share]) => (share / (ranked[0]?.[1] ?? 1)) ** (1 / temperature));
  let left = seeded(contentId(request)).next() * odds.reduce((sum, value) => sum + value, 0);
  for (const [i, [answer]] of ranked.entries()) {
    left -= odds[i] ?? 0;
    if (left < 0) return answer;
  }
  return likeliest;
}

/** Below this the likeliest answer is given: close calls are not decided by chance at the papers' temperature of 0.1. */
const coldest = 0.2;
