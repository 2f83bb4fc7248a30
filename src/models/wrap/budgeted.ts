import { setMaxListeners } from "node:events";
import { BudgetError, ModelError, UsageError } from "../../errors.js";
import { messageOf } from "../../text/file-trouble.js";
import type { Model, ModelRequest, Usage } from "../../types/index.js";
import { StillOut } from "../batch/waves.js";
import { givePrice } from "../prices.js";
import { mostPromptTokens, outputLimit } from "../tokens.js";
import { requestKey } from "./cached.js";

/**
 * How a try ended that brought no reply. `refused`: known to be unbilled; `failed`: the server answered with something
 * else; `unknown`: no complete answer came, and it may have been billed.
 */
type AttemptEnd = "refused" | "failed" | "unknown";

/** Where tries are written down; each call returns when that is done. */
export interface AttemptLog {
  /** Before a try of a request is sent. `upToUsd`: the most it may cost, where that is known. */
  started(key: string, upToUsd: number | undefined): void;
  ended(key: string, end: AttemptEnd, error: string): void;
}

export interface BudgetSettings {
  readonly maxCalls?: number;
  readonly maxUsd?: number;
  /** Dollars of a usage; undefined where no price is known. */
  price?(usage: Usage): number | undefined;
  /** Shared by the models of one run: the caps hold for all of them together. Absent: a purse of its own. */
  readonly purse?: Purse;
  /** Shared with other processes; its caps hold besides those above (workers). */
  readonly sharedPurse?: SharedPurse;
  readonly log?: AttemptLog;
  /** Once aborted nothing is sent, and calls that wait for room stop waiting. */
  readonly stop?: AbortSignal;
}

/** A purse that several processes share. */
export interface SharedPurse {
  /** A reservation for a try of the request of this key that may cost up to so much; `later`: others in flight stand in the way; or why there is none. */
  take(upToUsd: number, key: string): Taken | Promise<Taken>;
  /** Ends when it is worth asking again. */
  changed(signal: AbortSignal): Promise<void>;
}

type Taken = Reservation | "later" | BudgetError;

/** What one try may cost, set aside in a shared purse. */
interface Reservation {
  /** To be told once, when the try has ended. `usd`: what its reply cost; `uncertainUsd`: the most that a try without one may have cost. */
  settle(end: Settlement): void;
}

/** What one try came to: billable tries, US dollars billed, and US dollars that may have been billed. */
interface Settlement {
  /** A reply came. */
  readonly answered?: true;
  readonly calls: 0 | 1;
  readonly usd: number;
  readonly uncertainUsd: number;
}

/** What is spent and what is reserved for tries in flight. */
export interface Purse {
  /** Billable tries, those in flight included. */
  calls: number;
  /** US dollars that replies were billed at. */
  usd: number;
  /** The most that billable tries without a reply may have cost: it counts against caps, and nobody knows whether it was billed. */
  uncertainUsd: number;
  reserved: number;
  inFlight: number;
  /** Tries of this process by how they ended without a reply; `refused` ones are in no other number. */
  readonly ends: Record<AttemptEnd, number>;
  wake: (() => void)[];
}

export const openPurse = ({ calls, usd, uncertainUsd } = { calls: 0, usd: 0, uncertainUsd: 0 }): Purse => ({
  calls,
  usd,
  uncertainUsd,
  reserved: 0,
  inFlight: 0,
  ends: { refused: 0, failed: 0, unknown: 0 },
  wake: [],
});

/**
 * Counts every billable try, inside pace and retries: only what is about to be sent reserves. Throws BudgetError before a try
 * that could break a cap; while tries in flight alone stand in the way, waits for them. So a run under `maxCalls` sends exactly
 * so many, and dollars never pass `maxUsd`. Throws UsageError at once when `maxUsd` is set and the model has no known price.
 */
export function budgeted(model: Model, settings: BudgetSettings): Model {
  const { maxCalls = Number.POSITIVE_INFINITY, maxUsd = Number.POSITIVE_INFINITY, log, stop, sharedPurse } = settings;
  const { purse = openPurse() } = settings;
  const price = (usage: Usage): number | undefined => settings.price?.(usage);
  if (settings.maxUsd !== undefined && price({ in: 1, out: 1 }) === undefined)
    throw unpriced(model.id, settings.maxUsd);
  if (stop !== undefined) setMaxListeners(0, stop); // every call that waits for room listens to it
  /** Tokens of the longest reply that was longer than asked for: such servers are reserved as much from then on. */
  let longestOut = 0;

  async function reserve(request: ModelRequest, key: string, signal: AbortSignal) {
    for (;;) {
      const most = { in: mostPromptTokens(request), out: Math.max(mostTokensOut(model, request), longestOut) };
      const upToUsd = price(most);
      signal.throwIfAborted();
      stop?.throwIfAborted();
      const room = roomFor(purse, upToUsd ?? 0, maxCalls, maxUsd);
      const taken = room === "yes" ? sharedPurse?.take(upToUsd ?? 0, key) : room;
      const reservation = taken instanceof Promise ? await taken : taken; // a purse of this process is asked and counted in one go
      if (reservation instanceof BudgetError) throw reservation;
      if (reservation === "later") {
        await (purse.inFlight > 0 ? settled(purse, stop) : sharedPurse?.changed(signal));
        continue;
      }
      purse.calls++;
      purse.inFlight++;
      purse.reserved += upToUsd ?? 0;
      return { upToUsd, reservation };
    }
  }

  /** Of a try that ended, or (`end` undefined) that is still out: the run that takes it up writes its end. */
  function settle(upToUsd: number, end: Settlement | undefined): void {
    const { calls, usd, uncertainUsd } = end ?? { calls: 1, usd: 0, uncertainUsd: 0 };
    purse.calls -= 1 - calls;
    purse.usd += usd;
    purse.uncertainUsd += uncertainUsd;
    purse.inFlight--;
    purse.reserved = purse.inFlight === 0 ? 0 : purse.reserved - upToUsd;
    for (const wake of purse.wake.splice(0)) wake();
  }

  return {
    ...model,
    async complete(request, signal, hear) {
      const key = requestKey(model.id, request);
      const { upToUsd: most, reservation } = await reserve(request, key, signal);
      const upToUsd = most ?? 0;
      let isSent = false;
      let ended: Settlement | undefined;
      try {
        log?.started(key, most);
        isSent = true;
        const reply = await model.complete(request, signal, hear);
        if (reply.usage.out > mostTokensOut(model, request)) longestOut = Math.max(longestOut, reply.usage.out);
        ended = { answered: true, calls: 1, usd: price(reply.usage) ?? 0, uncertainUsd: 0 };
        return reply;
      } catch (error) {
        if (error instanceof StillOut) throw error;
        const end = isSent ? endOf(error, signal) : "refused";
        purse.ends[end]++;
        ended = end === "refused" ? { calls: 0, usd: 0, uncertainUsd: 0 } : { calls: 1, usd: 0, uncertainUsd: upToUsd };
        if (isSent) log?.ended(key, end, messageOf(error));
        throw error;
      } finally {
        if (ended !== undefined) reservation?.settle(ended);
        settle(upToUsd, ended);
      }
    },
  };
}

/** A cap in dollars needs a price: says how to give one. */
export const unpriced = (id: string, cap: number): UsageError =>
  new UsageError(`--max-usd ${cap}: no price is known for ${id}; ${givePrice(id)}, or use --max-calls`);

/** What was billed, and apart from it what only counts against caps. */
const spentText = ({ usd, uncertainUsd }: Pick<Purse, "usd" | "uncertainUsd">): string =>
  `$${usd.toFixed(4)} billed${uncertainUsd > 0 ? `, up to $${uncertainUsd.toFixed(4)} where no reply came` : ""}`;

const mostTokensOut = ({ capabilities }: Model, request: ModelRequest): number =>
  outputLimit(capabilities, request) * (capabilities.samples === true ? (request.samples ?? 1) : 1);

/** Whether another try fits: now, perhaps after one in flight has ended, or never (why). */
function roomFor(purse: Purse, upToUsd: number, maxCalls: number, maxUsd: number): "yes" | "later" | BudgetError {
  if (purse.calls - purse.inFlight >= maxCalls) return new BudgetError(`--max-calls ${maxCalls} is reached`);
  const counted = purse.usd + purse.uncertainUsd;
  if (counted + upToUsd > maxUsd)
    return new BudgetError(
      `--max-usd ${maxUsd} would be passed (${spentText(purse)}, next call up to $${upToUsd.toFixed(4)})`,
    );
  return purse.calls < maxCalls && counted + purse.reserved + upToUsd <= maxUsd ? "yes" : "later";
}

/** Ends when a try in flight has ended, or at a stop. */
function settled(purse: Purse, stop: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      stop?.removeEventListener("abort", wake);
      resolve();
    };
    stop?.addEventListener("abort", wake, { once: true });
    purse.wake.push(wake);
  });
}

const endOfBill = { none: "refused", due: "failed", unknown: "unknown" } as const;

function endOf(error: unknown, signal: AbortSignal): AttemptEnd {
  if (signal.aborted) return "unknown";
  if (error instanceof UsageError) return "refused"; // there is no model that could be asked
  return error instanceof ModelError ? endOfBill[error.bill] : "failed";
}
