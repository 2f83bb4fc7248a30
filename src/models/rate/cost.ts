import type { Capabilities, ModelReply, ModelRequest } from "../../types.js";
import { outputLimit } from "../thinking.js";
import type { Cost } from "./lane-state.js";

/** What a provider counts against its limits. */
export interface CountingRules {
  /** True where output counts as it is written (Anthropic); else the request's limit is reserved. */
  readonly outputAsWritten: boolean;
  /** True where what is read from the prompt cache is not counted as input (Anthropic). */
  readonly cacheReadsFree: boolean;
  /** Bytes of a prompt to a token, before replies tell. */
  readonly bytesPerToken: number;
}

/** Guesses what calls will use up and learns from what they did. */
export class CostGuess {
  readonly #rules: CountingRules;
  readonly #capabilities: Capabilities;
  #bytesPerToken: number;
  #replies = 0;
  #output: number | undefined;
  #cachedShare = 0;

  constructor(rules: CountingRules, capabilities: Capabilities) {
    this.#rules = rules;
    this.#capabilities = capabilities;
    this.#bytesPerToken = rules.bytesPerToken * CAUTION;
  }

  of(request: ModelRequest): Cost {
    const limit = outputLimit(this.#capabilities, request);
    const all = Math.ceil(promptBytes(request) / this.#bytesPerToken);
    const input = this.#rules.cacheReadsFree ? Math.ceil(all * (1 - this.#cachedShare)) : all;
    const output = this.#rules.outputAsWritten ? Math.min(limit, this.#output ?? limit) : limit;
    return { requests: 1, input, output, tokens: input + output };
  }

  /** What a call really took, where the provider tells; the next guesses follow it. */
  learn(request: ModelRequest, { usage }: ModelReply): Partial<Cost> {
    if (usage.estimated === true || usage.in <= 0) return {};
    const seen = promptBytes(request) / usage.in;
    this.#bytesPerToken = this.#replies === 0 ? seen : smoothed(this.#bytesPerToken, seen);
    this.#replies += 1;
    this.#output = this.#output === undefined ? usage.out : smoothed(this.#output, usage.out);
    const { cacheRead = 0 } = usage;
    this.#cachedShare = smoothed(this.#cachedShare, cacheRead / usage.in);
    const input = this.#rules.cacheReadsFree ? usage.in - cacheRead : usage.in;
    if (!this.#rules.outputAsWritten) return { requests: 1, input }; // what was reserved stays so until a header tells
    return { requests: 1, input, output: usage.out, tokens: input + usage.out };
  }
}

// --- internal ---

/** Guesses before the first reply are a quarter higher. */
const CAUTION = 0.8;
const WEIGHT = 0.1;

const smoothed = (before: number, now: number): number => before * (1 - WEIGHT) + now * WEIGHT;

function promptBytes({ system = "", messages, tools }: ModelRequest): number {
  let bytes = Buffer.byteLength(system);
  for (const message of messages) {
    if (message.role === "tool") for (const { content } of message.results) bytes += Buffer.byteLength(content);
    else bytes += Buffer.byteLength(message.content);
    if (message.role === "assistant" && message.toolCalls !== undefined)
      bytes += Buffer.byteLength(JSON.stringify(message.toolCalls));
  }
  return bytes + (tools === undefined ? 0 : Buffer.byteLength(JSON.stringify(tools)));
}
