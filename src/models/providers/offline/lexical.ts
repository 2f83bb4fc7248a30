import { seeded } from "../../../random/seeded.js";
import { contentId } from "../../../text/content-id.js";
import type { ModelReply, ModelRequest, TokenLogprob } from "../../../types/index.js";
import { estimatedPromptTokens, estimatedReplyTokens } from "../../tokens.js";
import { answersTo } from "./answers.js";
import { readPrompt, sumOf } from "./reading.js";
import { demanded, nativeCall, textReact } from "./written.js";

/** Name and version of the frozen numbers in these files; goes into every reply's `model`. Change it when any of them changes. */
const version = "lexical-2";

/** Answers a request by votes over what stands in its own text. A pure function: equal requests, equal replies. */
export function lexical(request: ModelRequest): ModelReply {
  const prompt = readPrompt(request);
  const text = demanded(prompt);
  if (text !== undefined) return replyOf(request, { text });
  const call = nativeCall(request, prompt);
  if (call !== undefined) return replyOf(request, { text: "", toolCalls: [call] });
  const possible = answersTo(prompt);
  const answer = draw(possible, request);
  const written = textReact(prompt, answer);
  return replyOf(request, written === undefined ? { text: answer, possible } : { text: written });
}

/** The answer before limits apply; `possible`: all answers that the text was drawn from. */
type Draft = Pick<ModelReply, "text"> & Partial<Pick<ModelReply, "toolCalls">> & { possible?: Map<string, number> };

/** Cuts a draft at stop sequences and at the token limit, and counts what a provider would bill (characters / 4). */
function replyOf(request: ModelRequest, { text: whole, toolCalls = [], possible }: Draft): ModelReply {
  const cuts = (request.stop ?? []).map((stop) => whole.indexOf(stop)).filter((at) => at >= 0);
  const stopped = whole.slice(0, Math.min(whole.length, ...cuts));
  const text = tokensOf(stopped).slice(0, request.maxTokens).join("");
  const { logprobs: alternatives, maxTokens } = request;
  const tokens = possible && alternatives !== undefined && answerLogprobs(possible, whole, alternatives);
  const ending = toolCalls.length > 0 ? "tool" : stopped.length < whole.length ? "stop-sequence" : "end";
  return {
    ...{ text, toolCalls },
    stop: text.length < stopped.length ? "length" : ending,
    usage: { in: estimatedPromptTokens(request), out: estimatedReplyTokens({ text, toolCalls }), estimated: true },
    model: version,
    ...(tokens ? { logprobs: tokens.slice(0, maxTokens) } : {}),
    simulated: true,
  };
}

/** Cuts text into this model's tokens: up to five letters or digits with a leading space, or one other character. */
const tokensOf = (text: string): string[] => text.match(/\s?[\p{L}\p{N}]{1,5}|\s?[^\s\p{L}\p{N}]|\s+/gu) ?? [];

/**
 * Returns the log probabilities of an answer's tokens. The possible answers form a prefix tree, so at every token the alternatives sum to
 * one and the chain gives back the answer's own probability.
 */
function answerLogprobs(answers: ReadonlyMap<string, number>, answer: string, alternatives: number): TokenLogprob[] {
  let alive = [...answers].map(([text, share]) => ({ tokens: [...tokensOf(text), "<end>"], share }));
  return [...tokensOf(answer), "<end>"].map((token, at) => {
    const total = sumOf(alive.map(({ share }) => share));
    const shares = new Map<string, number>();
    for (const { tokens, share } of alive) shares.set(tokens[at]!, (shares.get(tokens[at]!) ?? 0) + share);
    alive = alive.filter(({ tokens }) => tokens[at] === token);
    const top = [...shares].map(([text, share]) => ({ token: text, logprob: Math.log(share / total) }));
    const likeliest = top.sort((a, b) => b.logprob - a.logprob).slice(0, alternatives);
    return { token, logprob: Math.log(shares.get(token)! / total), top: likeliest };
  });
}

/** Returns the likeliest answer at low temperatures, otherwise one draw that depends on nothing but the request. */
function draw(answers: ReadonlyMap<string, number>, request: ModelRequest): string {
  const best = [...answers].sort((a, b) => b[1] - a[1]);
  const [[likeliest, most]] = best as [[string, number]]; // there is always an answer
  const { temperature = 0 } = request;
  if (temperature < COLDEST) return likeliest;
  const odds = best.map(([, share]) => (share / most) ** (1 / temperature));
  let left = seeded(contentId(request)).next() * sumOf(odds);
  for (const [i, [answer]] of best.entries()) {
    left -= odds[i]!;
    if (left < 0) return answer;
  }
  return likeliest;
}

/** Below this the likeliest answer is given: close calls are not decided by chance at the papers' temperature of 0.1. */
const COLDEST = 0.2;
