import { setMaxListeners } from "node:events";
import { ModelError } from "../../errors.js";
import { gaveUp, tryModelCall } from "../../net/model-call.js";
import { type RetryPolicy, retry } from "../../net/retry.js";
import type { Clock, Model, ModelReply, ModelRequest, Random } from "../../types/index.js";
import type { CallCost } from "./call-cost.js";
import { type Cost, LONGEST_ASKED_MS, type OwnLimits } from "./limit.js";
import type { Pace } from "./pace.js";

/** An account at one server, as the processes that send to it know it. */
export interface Account {
  readonly name: string;
  /** Limits a minute that the user set. */
  readonly own: OwnLimits;
}

/** When calls of an account may start, agreed upon by all processes that send to it. */
export interface SharedPace {
  /** Ends when the call may start. */
  start(account: Account, cost: Cost, signal: AbortSignal): Promise<void>;
  /** The server asked everybody to wait. */
  hold(account: Account, ms: number): void;
}

export interface TrySettings {
  /** Of failures that use up tries. How long a refused call (429) waits, its pace decides. */
  readonly policy: RetryPolicy;
  readonly clock: Clock;
  /** For jitter only: no result depends on it. */
  readonly random: Random;
  onRetry?(event: RetryEvent): void;
}

export interface PacedSettings extends TrySettings {
  readonly pace: Pick<Pace, "admit">;
  /** The class of models that shares limits. */
  readonly kind: string;
  readonly cost: CallCost;
  /** Absent: no other process sends to the account. */
  readonly shared?: { readonly account: Account; readonly pace: SharedPace } | undefined;
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
 * The only place where calls of a model are queued and retried. A refusal for now (429, 529, throttling), or a failure of a
 * server that is down, puts the call back to the head of the queue and uses up no try; other failures that may pass are
 * tried `policy.tries` times. No call in flight is counted between tries.
 */
export function paced(model: Model, settings: PacedSettings): Model {
  const { pace, kind, cost, shared, clock, onRetry } = settings;

  async function once(request: ModelRequest, signal: AbortSignal, call: { isAgain: boolean; sinceMs: number }) {
    const expected = cost.of(request);
    const grant = await pace.admit({ ...call, call, model: model.id, kind, cost: expected, signal });
    let reply: ModelReply;
    try {
      await shared?.pace.start(shared.account, expected, grant.signal);
      reply = await model.complete(request, grant.signal, grant.hear);
    } catch (error) {
      if (!(error instanceof ModelError) || grant.signal.aborted) {
        grant.dropped();
        throw grant.signal.aborted ? grant.signal.reason : error;
      }
      if (error.retryAfterMs) shared?.pace.hold(shared.account, Math.min(error.retryAfterMs, LONGEST_ASKED_MS));
      call.isAgain = true;
      return { error, ...grant.failed(error) };
    }
    grant.answered(cost.learn(request, reply));
    return reply;
  }

  return {
    ...model,
    complete(request, signal) {
      const call = { isAgain: false, sinceMs: clock.monotonic() };
      const send = async (attempt: number): Promise<ModelReply> => {
        for (;;) {
          const end = await once(request, signal, call);
          if (!("error" in end)) return end;
          const { error, usesTry, heldMs } = end;
          if (end.end !== undefined || usesTry) throw end.end ?? error;
          const askedMs = error.retryAfterMs ?? 0;
          const waitMs = Math.min(Math.max(heldMs, askedMs), LONGEST_ASKED_MS);
          onRetry?.({ request, attempt, waitMs, askedMs, error, isDown: !error.throttled });
        }
      };
      return inTries(request, signal, send, settings);
    },
  };
}

/** The model with its tries and without a pace: calls start at once, and a refusal uses up a try like any other failure. */
export function tried(model: Model, settings: TrySettings): Model {
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
  { policy, clock, random, onRetry }: TrySettings,
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
