import { setMaxListeners } from "node:events";
import { ModelError } from "../../errors.js";
import { gaveUp, tryModelCall } from "../../retry/model-call.js";
import { type RetryPolicy, retry } from "../../retry/retry.js";
import type { Clock, Model, ModelReply, ModelRequest, Random } from "../../types.js";
import { type Admission, type Grant, LONGEST_ASKED_MS, type RateController } from "../rate/controller.js";
import type { CostGuess } from "../rate/cost.js";

interface TriedSettings {
  readonly policy: RetryPolicy;
  readonly clock: Clock;
  /** For jitter only: no result depends on it. */
  readonly random: Random;
  onRetry?(event: RetryEvent): void;
}

/** `policy`: of failures that are no refusals. */
export interface RatedSettings extends TriedSettings {
  readonly controller: Pick<RateController, "admit" | "hold">;
  readonly guess: CostGuess;
  /** Fired where the servers refuse for too long. */
  readonly stop?: AbortController;
}

/** A call goes again. */
export interface RetryEvent {
  readonly request: ModelRequest;
  /** How many tries are used up; refusals use none. */
  readonly attempt: number;
  readonly waitMs: number;
  /** What the server asked for, milliseconds; 0 where it asked for nothing. */
  readonly askedMs: number;
  readonly error: ModelError;
}

/**
 * Here alone calls of a model wait for their start and are tried again; `servers` all serve it. A refusal for now
 * (429, 529, throttling) puts the call back to the head of the queue, without a slot and without using up a try; other
 * failures that may pass are tried `policy.tries` times, and no slot is held between.
 */
export function rated(model: Model, servers: readonly Model[], settings: RatedSettings): Model {
  return {
    ...model,
    complete(request, signal) {
      const call = new Call(request, signal, servers, settings);
      const onHeld = (heldMs: number): void => settings.controller.hold(call.server, heldMs);
      return inTries({ request, signal, send: (attempt) => call.try(attempt), onHeld }, settings);
    },
  };
}

/** The model with its tries and without a rate: calls start at once, and a refusal uses up a try like any other failure. */
export function tried(model: Model, settings: TriedSettings): Model {
  return {
    ...model,
    complete(request, signal) {
      setMaxListeners(0, signal); // a run's calls all listen to one signal
      return inTries({ request, signal, send: () => model.complete(request, signal) }, settings);
    },
  };
}

interface Tried {
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  send(attempt: number): Promise<ModelReply>;
  /** A server asked to be left alone for so long, milliseconds. */
  onHeld?(heldMs: number): void;
}

function inTries({ request, signal, send, onHeld }: Tried, settings: TriedSettings): Promise<ModelReply> {
  const { policy, clock, random } = settings;
  return retry((attempt) => tryModelCall(() => send(attempt)), {
    policy,
    random,
    gaveUp,
    onFailure({ failure, attempt, waitMs, askedMs, heldMs, last }) {
      if (signal.aborted) throw signal.reason;
      if (heldMs > 0) onHeld?.(heldMs); // also for a call that gives up
      if (!last) settings.onRetry?.({ request, attempt, waitMs, askedMs, error: failure });
    },
    wait: ({ waitMs }) => clock.sleep(waitMs, signal),
  });
}

/** One call on its way through queue, refusals and tries. */
class Call {
  /** The server it was last at. */
  server = 0;
  #admission: Admission = {};
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

  /** One try: as many sends as it takes until a server does not refuse it for now. */
  async try(attempt: number): Promise<ModelReply> {
    for (;;) {
      const reply = await this.#send(attempt);
      if (reply !== undefined) return reply;
    }
  }

  /** Undefined where it was refused for now. */
  async #send(attempt: number): Promise<ModelReply | undefined> {
    const { guess, stop } = this.#settings;
    const grant = await this.#admitted();
    this.server = grant.server;
    this.#admission = { again: { sinceMs: this.#sinceMs } };
    let reply: ModelReply;
    try {
      reply = await this.#servers[grant.server]!.complete(this.#request, this.#signal, grant.hear); // one lane a server
    } catch (error) {
      if (!(error instanceof ModelError) || this.#signal.aborted) {
        grant.dropped();
        throw error;
      }
      if (!error.throttled) {
        this.#admission = { again: { sinceMs: this.#sinceMs, avoid: grant.server } };
        grant.failed(error);
        throw error;
      }
      const { heldMs, givenUp } = grant.refused(error);
      if (givenUp !== undefined) {
        stop?.abort(givenUp);
        throw givenUp;
      }
      const askedMs = error.retryAfterMs ?? 0;
      const waitMs = Math.min(Math.max(heldMs, askedMs), LONGEST_ASKED_MS);
      this.#settings.onRetry?.({ request: this.#request, attempt, waitMs, askedMs, error });
      return undefined;
    }
    grant.answered(guess.learn(this.#request, reply));
    return reply;
  }

  /** Stops the run where it waits for servers that refuse for too long. */
  async #admitted(): Promise<Grant> {
    const { controller, guess, stop } = this.#settings;
    try {
      return await controller.admit(guess.of(this.#request), this.#signal, this.#admission);
    } catch (error) {
      if (error instanceof ModelError && error.scope === "stop") stop?.abort(error);
      throw error;
    }
  }
}
