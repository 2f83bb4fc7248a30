import { seeded } from "../../../random/seeded.js";
import { contentId } from "../../../text/content-id.js";
import type { ModelReply, ModelRequest, TokenLogprob, ToolCall } from "../../../types/index.js";
import { estimatedPromptTokens, estimatedReplyTokens } from "../../tokens.js";
import { answersTo } from "./answers.js";
import { converse, critique, decide, factTold, pick, repliesToLine, revise, verdict } from "./demands.js";
import { sumOf } from "./likeness.js";
import { type Prompt, readPrompt } from "./prompt.js";
import { dayOfCommands, fillProfile, summarize, tellPreferences } from "./summarize.js";
import { nativeCall, textAction } from "./tools.js";

/** Name and version of the frozen numbers in these files; goes into every reply's `model`. Change it when any of them changes. */
const version = "lexical-1";

/** Answers to selectors, optimizers, judges, profilers and assistants; the first that fits is given. */
const demands: readonly ((prompt: Prompt) => string | undefined)[] = [
  ...[pick, decide, critique, revise].map((demand) => (prompt: Prompt) => demand(prompt.turn)),
  verdict,
  ...[fillProfile, dayOfCommands, tellPreferences, factTold].map((demand) => (prompt: Prompt) => demand(prompt.turn)),
  converse,
];

/** Answers a request by lexical statistics over its own text. A pure function: equal requests, equal replies. */
export function lexical(request: ModelRequest): ModelReply {
  const prompt = readPrompt(request);
  for (const demand of demands) {
    const text = demand(prompt);
    if (text !== undefined) return replyOf(request, { text });
  }
  return prompt.asked === undefined ? withoutQuestion(request, prompt) : answer(request, prompt);
}

/** A summary is wanted, or a tool is to be tried, or a line of a dialogue is to be answered with probabilities, as RUMS wants it. */
function withoutQuestion(request: ModelRequest, prompt: Prompt): ModelReply {
  const call = nativeCall(request, prompt, { answer: "", confidence: 0 });
  if (call !== undefined) return replyOf(request, { text: "", toolCalls: [call] });
  if (request.logprobs === undefined) return replyOf(request, { text: summarize(prompt.turn) });
  const possible = repliesToLine(prompt.turn);
  return replyOf(request, { text: draw(possible, request), possible });
}

function answer(request: ModelRequest, prompt: Prompt): ModelReply {
  const possible = answersTo(prompt);
  const text = draw(possible, request);
  const leading = { answer: text, confidence: possible.get(text)! };
  const action = textAction(prompt, leading);
  if (action !== undefined) return replyOf(request, { text: action });
  const call = nativeCall(request, prompt, leading);
  if (call !== undefined) return replyOf(request, { text: "", toolCalls: [call] });
  const isProtocol = /^Final Answer\s*:/m.test(`${prompt.system}\n${prompt.shown}`);
  if (isProtocol) return replyOf(request, { text: `I now know the final answer\nFinal Answer: ${text}` });
  return replyOf(request, { text, possible });
}

/** The answer, before limits apply. */
interface Draft {
  readonly text: string;
  readonly toolCalls?: readonly ToolCall[];
  /** All answers that the text was drawn from, for log probabilities. */
  readonly possible?: ReadonlyMap<string, number>;
}

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
    usage: {
      in: estimatedPromptTokens(request),
      out: estimatedReplyTokens({ text, toolCalls }),
      estimated: true,
    },
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
  let alive = [...answers].map(([text, share]) => ({ tokens: [...tokensOf(text), END], share }));
  return [...tokensOf(answer), END].map((token, at) => {
    const total = sumOf(alive.map(({ share }) => share));
    const shares = new Map<string, number>();
    for (const { tokens, share } of alive) shares.set(tokens[at]!, (shares.get(tokens[at]!) ?? 0) + share);
    alive = alive.filter(({ tokens }) => tokens[at] === token);
    const top = [...shares]
      .map(([text, share]) => ({ token: text, logprob: Math.log(share / total) }))
      .sort((a, b) => b.logprob - a.logprob);
    return { token, logprob: Math.log(shares.get(token)! / total), top: top.slice(0, alternatives) };
  });
}

const END = "<end>";

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
