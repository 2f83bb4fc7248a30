import { setMaxListeners } from "node:events";
import { type LimitFacts, ModelError } from "../errors.js";
import { type CacheSetting, repeatedOpenings, warmFirst } from "../models/cache-marks.js";
import type { StartTimer } from "../net/deadline.js";
import { type FailedTry, type RetryPolicy, retry } from "../net/retry.js";
import type { Clock, Model, ModelReply, ModelRequest, Random } from "../types/index.js";
import { Budget, type CapSettings, capped } from "./caps.js";
import { type Cost, LONGEST_RETRY_AFTER_MS } from "./limits/account-limit.js";
import type { ServerCall } from "./limits/server-queue.js";
import type { Servers, SharedPace } from "./servers.js";
import { boughtOnce, type ReplySettings } from "./store.js";
import { adapted, gated, stopsAtCutPrompts, timed } from "./wire.js";

export interface LayerSettings {
  /** Where replies are kept. Absent: in this model alone. */
  readonly replies?: Partial<ReplySettings>;
  /** Default: `auto`. */
  readonly cache?: CacheSetting;
  /** The servers of all models of the run. Undefined: calls start at once, and a refusal uses up a try (lines of batches). */
  readonly servers: Servers | undefined;
  /** Absent: no other process sends to the same accounts. */
  readonly pace?: SharedPace | undefined;
  /** For failures that use up tries. Defaults: `POLICY`. */
  readonly policy?: Partial<RetryPolicy>;
  readonly caps?: Partial<CapSettings>;
  /** Timeout of the first try of a request, headers and body, milliseconds. Default: ten minutes, as in the providers' SDKs. */
  readonly deadlineMs?: number;
  /** Starts the timers of deadlines. Default: real time. */
  readonly startTimer?: StartTimer;
  /** Aborted at a failure after which no call can succeed; then nothing is sent. */
  readonly stop?: AbortController;
  readonly clock: Clock;
  /** For jitter only: no result depends on it. */
  readonly random: Random;
  onRetry?(event: RetryEvent): void;
}

/** A try that failed and is followed by another. */
export interface RetryEvent extends Omit<FailedTry, "attempt"> {
  /** The server is down: one call at a time tests whether it replies again. */
  readonly isDown: boolean;
}

/** Wraps a provider's model in the layers that each request passes, in this order. */
export function layered(provider: Model, settings: LayerSettings): Model {
  const { replies, clock, servers, cache = "auto", stop = new AbortController() } = settings;
  const { deadlineMs = 600_000, startTimer } = settings;
  const inBatches = servers === undefined;
  const mostMs = servers?.settings.giveUpAfterMs ?? Infinity;
  const caps: CapSettings = { budget: new Budget({}), price: () => undefined, ...settings.caps, inBatches };
  const layers: readonly ((next: Model) => Model)[] = [
    adapted, // removes parameters that the model does not take, before the key is computed
    (next) => repeatedOpenings(next, { inBatches }),
    (next) => boughtOnce(next, replies), // returns stored replies; joins equal calls in flight
    (next) => warmFirst(next, { cache, clock }),
    stopsAtCutPrompts,
    (next) => retried(next, settings), // queues, limits rates, retries
    (next) => capped(next, caps), // reserves budget, logs the try
    (next) => timed(next, deadlineMs, { mostMs, startTimer }),
    (next) => gated(next, stop),
  ];
  return layers.reduceRight((next, layer) => layer(next), provider);
}

/** docs/MODELS.md, Retries. A server's Retry-After counts up to `longestWaitMs`. */
const POLICY: RetryPolicy = { tries: 6, firstWaitMs: 500, longestWaitMs: LONGEST_RETRY_AFTER_MS };

/**
 * Queues and retries the calls of a model; no other layer does. A call that the server refused for now (429, 529, throttling), or that
 * failed while its server is down, returns to the head of the queue and uses up no try. Other failures that may pass are tried
 * `policy.tries` times.
 */
function retried(model: Model, settings: LayerSettings): Model {
  const { clock, random, onRetry, servers } = settings;
  const policy = { ...POLICY, ...settings.policy };
  const queuedTry = servers === undefined ? undefined : tryInQueue(model, servers, settings);
  return {
    ...model,
    complete(request, signal) {
      setMaxListeners(0, signal); // all calls of a run listen to one signal
      const tryOnce = queuedTry?.(request, signal) ?? (() => model.complete(request, signal));
      return retry(tryOnce, {
        policy,
        random,
        wait(failed) {
          onRetry?.({ ...failed, isDown: false });
          return clock.sleep(failed.waitMs, signal);
        },
      });
    },
  };
}

/** Tokens of a prompt that a server on this machine reads in the time in which it writes one. */
const READ_FASTER = 8;

/** Returns a function that returns the tries of a call; each waits in its server's queue. */
function tryInQueue(model: Model, servers: Servers, { pace, clock, onRetry }: LayerSettings) {
  const { queue, limit, costs, account, isLocal } = servers.of(model);
  return (request: ModelRequest, signal: AbortSignal): (() => Promise<ModelReply>) => {
    const call: ServerCall = {
      model: model.id,
      limit,
      signal,
      sinceMs: clock.monotonic(),
      cost: () => costs.estimate(request),
      async send(expected: Cost) {
        await pace?.start(account, expected, signal);
        let limits: LimitFacts | undefined;
        const onLimits = (stated: LimitFacts): void => {
          limits = stated;
        };
        try {
          const reply = await model.complete(request, signal, onLimits);
          const { usage } = reply;
          const written = isLocal ? usage.out + usage.in / READ_FASTER : undefined;
          return { reply, used: costs.learn(request, reply), limits, written };
        } catch (error) {
          const { retryAfterMs = 0 } = error instanceof ModelError ? error : {};
          if (retryAfterMs > 0) pace?.hold(account, Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS));
          throw error;
        }
      },
      onRequeued: (error: ModelError, waitMs: number) =>
        onRetry?.({ error, waitMs, askedMs: error.retryAfterMs ?? 0, isDown: !error.throttled }),
    };
    return () => queue.complete(call);
  };
}
