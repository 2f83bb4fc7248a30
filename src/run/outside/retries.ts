import { setMaxListeners } from "node:events";
import type { ModelError } from "../../errors.js";
import { type RetryPolicy, retry } from "../../net/retry.js";
import type { Clock, Model, ModelReply, ModelRequest, Random } from "../../types/index.js";
import { type Cost, LONGEST_ASKED_MS } from "./limit.js";
import type { Account, Servers } from "./servers.js";

/** When calls of an account may start, agreed upon by all processes that send to it. */
export interface SharedPace {
  /** Ends when the call may start. */
  start(account: Account, cost: Cost, signal: AbortSignal): Promise<void>;
  /** The server asked everybody to wait. */
  hold(account: Account, ms: number): void;
}

export interface RetrySettings {
  /**
   * Shared by the models of one run: those of one server share a pace. Undefined: calls start at once, and a refusal uses up
   * a try (lines of batches).
   */
  readonly servers: Servers | undefined;
  /** Absent: no other process sends to the same accounts. */
  readonly shared?: SharedPace | undefined;
  /** Of failures that use up tries. How long a refused call (429) waits, its pace decides. */
  readonly policy: RetryPolicy;
  readonly clock: Clock;
  /** For jitter only: no result depends on it. */
  readonly random: Random;
  onRetry?(event: RetryEvent): void;
}

export interface RetryEvent {
  readonly waitMs: number;
  /** What the server asked for, milliseconds; 0 where it asked for nothing. */
  readonly askedMs: number;
  readonly error: ModelError;
  /** Its server is down: one call at a time finds out whether it replies again. */
  readonly isDown: boolean;
}

/**
 * The only place where calls of a model are queued and retried. A refusal for now (429, 529, throttling), or a failure of a
 * server that is down, puts the call back to the head of the queue and uses up no try; other failures that may pass are
 * tried `policy.tries` times. No call in flight is counted between tries.
 */
export function retried(model: Model, settings: RetrySettings): Model {
  const { servers, clock, policy, random, onRetry } = settings;
  const sender = servers === undefined ? undefined : paced(model, servers, settings);
  return {
    ...model,
    complete(request, signal) {
      setMaxListeners(0, signal); // a run's calls all listen to one signal
      return retry(sender?.(request, signal) ?? (() => model.complete(request, signal)), {
        ...{ policy, random },
        onFailure({ error, waitMs, askedMs, last }) {
          signal.throwIfAborted();
          if (!last) onRetry?.({ waitMs, askedMs, error, isDown: false });
        },
        wait: ({ waitMs }) => clock.sleep(waitMs, signal),
      });
    },
  };
}

type Send = () => Promise<ModelReply>;

/** Returns what makes one try of a call, as often as its server is to blame. */
function paced(
  model: Model,
  servers: Servers,
  { shared, clock, onRetry }: RetrySettings,
): (request: ModelRequest, signal: AbortSignal) => Send {
  const { pace, kind, cost, account } = servers.of(model);
  return (request, signal) => {
    const call = { model: model.id, kind, signal, sinceMs: clock.monotonic(), isAgain: false };
    return async () => {
      for (;;) {
        const expected = cost.of(request);
        const sent = await pace.send(call, expected, async (hear) => {
          await shared?.start(account, expected, signal);
          const reply = await model.complete(request, signal, hear);
          return { reply, used: cost.learn(request, reply) };
        });
        if (!("error" in sent)) return sent;
        const { error, usesTry, heldMs: waitMs } = sent;
        const { retryAfterMs: askedMs = 0 } = error;
        if (askedMs > 0) shared?.hold(account, Math.min(askedMs, LONGEST_ASKED_MS));
        if (usesTry) throw error;
        onRetry?.({ waitMs, askedMs, error, isDown: !error.throttled });
      }
    };
  };
}
