import type { Limiter } from "./limiter.js";
import type { Cost, OwnLimits } from "./server-slots.js";
import { LONGEST_ASKED_MS } from "./server-slots.js";

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

/** A limiter whose calls, once they have a slot, also wait for their turn among all processes. `accounts`: one for each of its servers. */
export function pacedTogether(
  limiter: Limiter,
  accounts: readonly Account[],
  pace: SharedPace,
): Pick<Limiter, "admit"> {
  return {
    async admit(cost, signal, admission) {
      const grant = await limiter.admit(cost, signal, admission);
      const account = accounts[grant.server]!; // one each
      try {
        await pace.start(account, cost, signal);
      } catch (error) {
        grant.dropped();
        throw error;
      }
      return {
        ...grant,
        failed(error) {
          const { retryAfterMs = 0 } = error;
          if (retryAfterMs > 0) pace.hold(account, Math.min(retryAfterMs, LONGEST_ASKED_MS));
          return grant.failed(error);
        },
      };
    },
  };
}
