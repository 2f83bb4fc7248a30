import { setMaxListeners } from "node:events";
import { ModelError } from "../../errors.js";
import { gaveUp, tryModelCall } from "../../net/model-call.js";
import { type RetryPolicy, retry } from "../../net/retry.js";
import type { Capabilities, Clock, Model, ModelReply, ModelRequest, Random } from "../../types/index.js";
import type { Admission, Limiter } from "../rate/limiter.js";
import { type Cost, LONGEST_ASKED_MS } from "../rate/server-slots.js";
import { outputLimit, TokenGauge } from "../tokens.js";

interface TriedSettings {
  readonly policy: RetryPolicy;
  readonly clock: Clock;
  /** For jitter only: no result depends on it. */
  readonly random: Random;
  onRetry?(event: RetryEvent): void;
}

/** `policy`: of failures that use up tries. How long a refused call (429) waits is the server's hold: rate/server-slots.ts, FIRST_HOLD_MS. */
export interface RatedSettings extends TriedSettings {
  readonly limiter: Pick<Limiter, "admit">;
  readonly guess: CostGuess;
}

export interface RetryEvent {
  readonly request: ModelRequest;
  /** How many tries are used up; refusals, and failures of a server that is down, use none. */
  readonly attempt: number;
  readonly waitMs: number;
  /** What the server asked for, milliseconds; 0 where it asked for nothing. */
  readonly askedMs: number;
  readonly error: ModelError;
  /** Its server is down: one call at a time finds out whether it replies again. */
  readonly isDown: boolean;
}

/**
 * The only place where calls of a model are queued and retried; `servers` all serve it. A refusal for now (429, 529,
 * throttling), or a failure of a server that is down, puts the call back to the head of the queue, without a slot and without
 * using up a try; other failures that may pass are tried `policy.tries` times, and no slot is held between.
 */
export function rated(model: Model, servers: readonly Model[], settings: RatedSettings): Model {
  return {
    ...model,
    complete(request, signal) {
      const call = new Call(request, signal, servers, settings);
      return inTries(request, signal, (attempt) => call.try(attempt), settings);
    },
  };
}

/** The model with its tries and without a rate: calls start at once, and a refusal uses up a try like any other failure. */
export function tried(model: Model, settings: TriedSettings): Model {
  return {
    ...model,
    complete(request, signal) {
      setMaxListeners(0, signal); // a run's calls all listen to one signal
      return inTries(request, signal, () => model.complete(request, signal), settings);
    },
  };
}

function inTries(
  request: ModelRequest,
  signal: AbortSignal,
  send: (attempt: number) => Promise<ModelReply>,
  { policy, clock, random, onRetry }: TriedSettings,
): Promise<ModelReply> {
  return retry((attempt) => tryModelCall(() => send(attempt)), {
    policy,
    random,
    gaveUp,
    onFailure({ failure, attempt, waitMs, askedMs, last }) {
      if (signal.aborted) throw signal.reason;
      if (!last) onRetry?.({ request, attempt, waitMs, askedMs, error: failure, isDown: false });
    },
    wait: ({ waitMs }) => clock.sleep(waitMs, signal),
  });
}

/** One call on its way through queue, refusals and tries. */
class Call {
  #admission: Admission = { call: this };
  readonly #sinceMs: number;
  readonly #request: ModelRequest;
  readonly #signal: AbortSignal;
  readonly #servers: readonly Model[];
  readonly #settings: RatedSettings;

  constructor(request: ModelRequest, signal: AbortSignal, servers: readonly Model[], settings: RatedSettings) {
    this.#request = request;
    this.#signal = signal;
    this.#servers = servers;
    this.#settings = settings;
    this.#sinceMs = settings.clock.monotonic();
  }

  /** One try: as many sends as it takes until a reply or a failure that uses it up. */
  async try(attempt: number): Promise<ModelReply> {
    for (;;) {
      const reply = await this.#send(attempt);
      if (reply !== undefined) return reply;
    }
  }

  /** Undefined where the call goes back to the queue. */
  async #send(attempt: number): Promise<ModelReply | undefined> {
    const { limiter, guess } = this.#settings;
    const grant = await limiter.admit(guess.of(this.#request), this.#signal, this.#admission);
    let reply: ModelReply;
    try {
      reply = await this.#servers[grant.server]!.complete(this.#request, this.#signal, grant.hear); // one of the limiter's a server
    } catch (error) {
      if (!(error instanceof ModelError) || this.#signal.aborted) {
        grant.dropped();
        throw error;
      }
      const again = { sinceMs: this.#sinceMs, ...(error.throttled ? {} : { avoid: grant.server }) };
      this.#admission = { call: this, again };
      const { usesTry, heldMs, end } = grant.failed(error);
      if (end !== undefined || usesTry) throw end ?? error;
      const askedMs = error.retryAfterMs ?? 0;
      const waitMs = Math.min(Math.max(heldMs, askedMs), LONGEST_ASKED_MS);
      this.#settings.onRetry?.({ request: this.#request, attempt, waitMs, askedMs, error, isDown: !error.throttled });
      return undefined;
    }
    grant.answered(guess.learn(this.#request, reply));
    return reply;
  }
}

/** How a provider counts calls against its limits. */
export interface CountingRules {
  /** True where output counts as it is written (Anthropic); else the request's limit is reserved. */
  readonly outputAsWritten: boolean;
  /** True where what is read from the prompt cache is not counted as input (Anthropic). */
  readonly cacheReadsFree: boolean;
  /** By which tokens are guessed before replies tell. */
  readonly modelId: string;
}

/** Estimates what calls use up of the limits, and learns from their replies. */
export class CostGuess {
  readonly #rules: CountingRules;
  readonly #capabilities: Capabilities;
  readonly #gauge: TokenGauge;
  #output: number | undefined;
  #cachedShare = 0;

  constructor(rules: CountingRules, capabilities: Capabilities) {
    this.#rules = rules;
    this.#capabilities = capabilities;
    this.#gauge = new TokenGauge(rules.modelId, undefined, 1);
  }

  of(request: ModelRequest): Cost {
    const limit = outputLimit(this.#capabilities, request);
    const all = this.#gauge.tokensToReserve(request);
    const input = this.#rules.cacheReadsFree ? Math.ceil(all * (1 - this.#cachedShare)) : all;
    const output = this.#rules.outputAsWritten ? Math.min(limit, this.#output ?? limit) : limit;
    return { requests: 1, input, output, tokens: input + output };
  }

  /** What a call really took, where the provider tells; the next guesses follow it. */
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
