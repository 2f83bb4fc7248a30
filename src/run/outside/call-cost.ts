import { outputLimit, TokenGauge } from "../../models/tokens.js";
import type { Capabilities, ModelReply, ModelRequest } from "../../types/index.js";
import type { Cost } from "./limit.js";

/** How a provider counts calls against its limits. */
export interface CountingRules {
  /** True where output counts as it is written (Anthropic); else the request's limit is reserved. */
  readonly outputAsWritten?: boolean;
  /** True where what is read from the prompt cache is not counted as input (Anthropic). */
  readonly cacheReadsFree?: boolean;
}

/** Estimates what calls of a model use up of the limits, and learns from their replies. */
export class CallCost {
  readonly #rules: CountingRules;
  readonly #capabilities: Capabilities;
  readonly #gauge: TokenGauge;
  #output: number | undefined;
  #cachedShare = 0;

  constructor(modelId: string, rules: CountingRules, capabilities: Capabilities) {
    this.#rules = rules;
    this.#capabilities = capabilities;
    this.#gauge = new TokenGauge(modelId, 1);
  }

  of(request: ModelRequest): Cost {
    const limit = outputLimit(this.#capabilities, request);
    const all = this.#gauge.tokensToReserve(request);
    const input = this.#rules.cacheReadsFree ? Math.ceil(all * (1 - this.#cachedShare)) : all;
    const output = this.#rules.outputAsWritten ? Math.min(limit, this.#output ?? limit) : limit;
    return { requests: 1, input, output, tokens: input + output };
  }

  /** What a call really took, where the provider tells; the next estimates follow it. */
  learn(request: ModelRequest, { usage }: ModelReply): Partial<Cost> {
    if (usage.estimated === true || usage.in <= 0) return {};
    this.#gauge.add(request, usage);
    this.#output = this.#output === undefined ? usage.out : smoothed(this.#output, usage.out);
    const { cacheRead = 0 } = usage;
    this.#cachedShare = smoothed(this.#cachedShare, cacheRead / usage.in);
    const input = this.#rules.cacheReadsFree ? usage.in - cacheRead : usage.in;
    if (!this.#rules.outputAsWritten) return { requests: 1, input }; // what was reserved stays so until a header tells
    return { requests: 1, input, output: usage.out, tokens: input + usage.out };
  }
}

const WEIGHT = 0.1;

const smoothed = (before: number, now: number): number => before * (1 - WEIGHT) + now * WEIGHT;
