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
  /**
   * Shared by the models of one run: those of one server share a queue. Undefined: calls start at once, and a refusal uses up
   * a try (lines of batches).
   */
  readonly servers: Servers | undefined;
  /** Absent: no other process sends to the same accounts. */
  readonly shared?: SharedPace | undefined;
  /** Of failures that use up tries; default as in docs/MODELS.md, Retries. */
  readonly policy?: Partial<RetryPolicy>;
  readonly caps?: Partial<CapSettings>;
  /** Most time of the first try of a request, headers and body, milliseconds. Default: ten minutes, as in the providers' SDKs. */
  readonly deadlineMs?: number;
  /** Of deadlines. Absent: real time. */
  readonly startTimer?: StartTimer;
  /** Fires where no later call can succeed; then nothing is sent. Absent: nobody stops. */
  readonly stop?: AbortController;
  readonly clock: Clock;
  /** For jitter only: no result depends on it. */
  readonly random: Random;
  onRetry?(event: RetryEvent): void;
}

/** A try failed and another follows. */
export interface RetryEvent extends Omit<FailedTry, "attempt"> {
  /** Its server is down: one call at a time finds out whether it replies again. */
  readonly isDown: boolean;
}

/**
 * A provider's model in its four layers. A request passes them in this order; what is counted and capped is each try that is really
 * sent.
 */
export function layered(provider: Model, settings: LayerSettings): Model {
  const { replies, clock, servers, cache = "auto", stop = new AbortController() } = settings;
  const { deadlineMs = 600_000, startTimer } = settings;
  const inBatches = servers === undefined;
  const mostMs = servers?.settings.giveUpAfterMs ?? Infinity;
  const caps: CapSettings = { budget: new Budget({}), price: () => undefined, ...settings.caps, inBatches };
  const layers: readonly ((next: Model) => Model)[] = [
    adapted, // what a model does not take is left out before the key is made
    (next) => repeatedOpenings(next, { inBatches }),
    (next) => boughtOnce(next, replies), // store: the key, equal calls in flight
    (next) => warmFirst(next, { cache, clock }), // queue: limits, retries, outages
    stopsAtCutPrompts,
    (next) => retried(next, settings),
    (next) => capped(next, caps), // caps: reserves, writes the try down, settles it
    (next) => timed(next, deadlineMs, { mostMs, startTimer }), // wire: one request and its deadline
    (next) => gated(next, stop),
  ];
  return layers.reduceRight((next, layer) => layer(next), provider);
}

/** A server's Retry-After counts up to `longestWaitMs`. */
const POLICY: RetryPolicy = { tries: 6, firstWaitMs: 500, longestWaitMs: LONGEST_RETRY_AFTER_MS };

/**
 * The only place where calls of a model are queued and retried. A refusal for now (429, 529, throttling), or a failure of a
 * server that is down, puts the call back to the head of the queue and uses up no try; other failures that may pass are
 * tried `policy.tries` times. No call in flight is counted between tries.
 */
function retried(model: Model, settings: LayerSettings): Model {
  const { clock, random, onRetry, servers } = settings;
  const policy = { ...POLICY, ...settings.policy };
  const inQueue = servers === undefined ? undefined : queued(model, servers, settings);
  return {
    ...model,
    complete(request, signal) {
      setMaxListeners(0, signal); // a run's calls all listen to one signal
      const makeTry = inQueue?.(request, signal) ?? (() => model.complete(request, signal));
      return retry(makeTry, {
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

/** A server on this machine reads so many tokens in the time in which it writes one. */
const READ_FASTER = 8;

/** Returns a function that makes the tries of a call once its server's queue starts them. */
function queued(model: Model, servers: Servers, { shared, clock, onRetry }: LayerSettings) {
  const { queue, limit, cost, account, isOwn } = servers.of(model);
  return (request: ModelRequest, signal: AbortSignal): (() => Promise<ModelReply>) => {
    const call: ServerCall = {
      model: model.id,
      limit,
      signal,
      sinceMs: clock.monotonic(),
      cost: () => cost.of(request),
      async send(expected: Cost) {
        await shared?.start(account, expected, signal);
        let limits: LimitFacts | undefined;
        const onLimits = (named: LimitFacts): void => {
          limits = named;
        };
        try {
          const reply = await model.complete(request, signal, onLimits);
          const { usage } = reply;
          const written = isOwn ? usage.out + usage.in / READ_FASTER : undefined;
          return { reply, used: cost.learn(request, reply), limits, written };
        } catch (error) {
          const { retryAfterMs = 0 } = error instanceof ModelError ? error : {};
          if (retryAfterMs > 0) shared?.hold(account, Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS));
          throw error;
        }
      },
      onRequeued: (error: ModelError, waitMs: number) =>
        onRetry?.({ error, waitMs, askedMs: error.retryAfterMs ?? 0, isDown: !error.throttled }),
    };
    return () => queue.complete(call);
  };
}
