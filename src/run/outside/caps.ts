import { setMaxListeners } from "node:events";
import { BudgetError, ModelError, UsageError } from "../../errors.js";
import { type Billed, type Key, requestKey } from "../../log/entry.js";
import type { Log } from "../../log/log.js";
import { StillOut } from "../../models/batch/waves.js";
import { givePrice } from "../../models/prices.js";
import { mostPromptTokens, outputLimit } from "../../models/tokens.js";
import { onAbort } from "../../net/deadline.js";
import { messageOf } from "../../text/file-trouble.js";
import type { Clock, Model, ModelRequest, Usage } from "../../types/index.js";

/** A cap in dollars, or in calls. */
interface Caps {
  readonly maxCalls?: number | undefined;
  readonly maxUsd?: number | undefined;
}

/** Billable tries, US dollars that replies were billed at, and the most that billable tries without a reply may have cost. */
interface Spent {
  readonly calls: number;
  readonly usd: number;
  readonly uncertainUsd: number;
}

/** What one try came to. */
interface Settlement extends Spent {
  /** A reply came. */
  readonly answered?: true;
}

/** What is spent and what is reserved for tries in flight; the models of a run share it, and the caps hold for all of them together. */
export class Budget {
  /** Billable tries, those in flight included. */
  calls: number;
  usd: number;
  /** It counts against caps, and nobody knows whether it was billed. */
  uncertainUsd: number;
  reserved = 0;
  inFlight = 0;
  /** Tries of this process that brought no reply, by whether they were billed; those that were not are in no other number. */
  readonly ends: Record<Billed, number> = { none: 0, yes: 0, unknown: 0 };
  /** What earlier processes spent. */
  readonly before: Spent;
  readonly #maxCalls: number;
  readonly #maxUsd: number;
  #waiting: (() => void)[] = [];

  /** Once `stop` is aborted nobody waits for room. */
  constructor({ maxCalls = Infinity, maxUsd = Infinity }: Caps, before: Spent = NOTHING, stop?: AbortSignal) {
    this.#maxCalls = maxCalls;
    this.#maxUsd = maxUsd;
    this.before = before;
    this.calls = before.calls;
    this.usd = before.usd;
    this.uncertainUsd = before.uncertainUsd;
    if (stop !== undefined) onAbort(stop, () => this.#wake());
  }

  /** Whether another try fits: now, perhaps after one in flight has ended, or never (why). */
  roomFor(upToUsd: number): "yes" | "later" | BudgetError {
    const { usd, uncertainUsd } = this;
    if (this.calls - this.inFlight >= this.#maxCalls)
      return new BudgetError(`--max-calls ${this.#maxCalls} is reached`);
    if (usd + uncertainUsd + upToUsd > this.#maxUsd) {
      const uncertain = uncertainUsd > 0 ? `, up to $${uncertainUsd.toFixed(4)} where no reply came` : "";
      return new BudgetError(
        `--max-usd ${this.#maxUsd} would be passed ($${usd.toFixed(4)} billed${uncertain}, next call up to $${upToUsd.toFixed(4)})`,
      );
    }
    return this.calls < this.#maxCalls && usd + uncertainUsd + this.reserved + upToUsd <= this.#maxUsd
      ? "yes"
      : "later";
  }

  reserve(upToUsd: number): void {
    this.calls += 1;
    this.inFlight += 1;
    this.reserved += upToUsd;
  }

  /** Of a try that ended, or (`end` undefined) that is still out: the run that takes it up writes its end. */
  settle(upToUsd: number, end: Spent = { calls: 1, usd: 0, uncertainUsd: 0 }): void {
    this.calls -= 1 - end.calls;
    this.usd += end.usd;
    this.uncertainUsd += end.uncertainUsd;
    this.inFlight -= 1;
    this.reserved = this.inFlight === 0 ? 0 : this.reserved - upToUsd;
    this.#wake();
  }

  /** Ends when a try in flight has ended, or at the stop. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

const NOTHING: Spent = { calls: 0, usd: 0, uncertainUsd: 0 };

/** A budget that several processes share; its caps hold besides one's own. */
export interface SharedBudget {
  /** A reservation for a try of the request of this key that may cost up to so much; `later`: others in flight stand in the way; or why there is none. */
  take(upToUsd: number, key: Key): Promise<Reservation | "later" | BudgetError>;
  /** Ends when it is worth asking again. */
  changed(signal: AbortSignal): Promise<void>;
}

/** What one try may cost, set aside. */
interface Reservation {
  /** To be told once, when the try has ended. */
  settle(end: Settlement): void;
}

export interface CapSettings {
  readonly budget: Budget;
  readonly shared?: SharedBudget | undefined;
  /** US dollars of a usage; undefined where no price is known. */
  price(usage: Usage): number | undefined;
  /** Where each try stands before it is sent. Absent: nowhere (embedded model). */
  readonly tries?: Pick<Tries, "started" | "ended"> | undefined;
  readonly inBatches?: boolean;
  /** Once aborted nothing is sent, and calls that wait for room stop waiting. */
  readonly stop?: AbortSignal;
}

/**
 * Counts every billable try, inside pace and retries: only what is about to be sent reserves. Throws BudgetError before a try
 * that could break a cap; while tries in flight alone stand in the way, waits for them. So a run under `--max-calls` sends exactly
 * so many, and dollars never pass `--max-usd`.
 */
export function capped(model: Model, { budget, shared, price, tries, inBatches = false, stop }: CapSettings): Model {
  if (stop !== undefined) setMaxListeners(0, stop); // every model listens to it
  /** Tokens of the longest reply that was longer than asked for: such servers are reserved as much from then on. */
  let longestOut = 0;

  async function reserve(request: ModelRequest, key: Key, signal: AbortSignal) {
    for (;;) {
      const out = Math.max(mostTokensOut(model, request), longestOut);
      const upToUsd = price({ in: mostPromptTokens(request), out });
      signal.throwIfAborted();
      stop?.throwIfAborted();
      const room = budget.roomFor(upToUsd ?? 0);
      const taken = room === "yes" && shared !== undefined ? await shared.take(upToUsd ?? 0, key) : room; // one's own is asked and counted in one go
      if (taken instanceof BudgetError) throw taken;
      if (taken === "later") await (budget.inFlight > 0 ? budget.changed() : shared?.changed(signal));
      else {
        budget.reserve(upToUsd ?? 0);
        return { upToUsd, reservation: taken === "yes" ? undefined : taken };
      }
    }
  }

  return {
    ...model,
    async complete(request, signal, hear) {
      const key = requestKey(model.id, request);
      const { upToUsd, reservation } = await reserve(request, key, signal);
      let isSent = false;
      let ended: Settlement | undefined;
      try {
        tries?.started(key, upToUsd, inBatches);
        isSent = true;
        const reply = await model.complete(request, signal, hear);
        if (reply.usage.out > mostTokensOut(model, request)) longestOut = Math.max(longestOut, reply.usage.out);
        ended = { answered: true, calls: 1, usd: price(reply.usage) ?? 0, uncertainUsd: 0 };
        return reply;
      } catch (error) {
        if (error instanceof StillOut) throw error;
        const billed = isSent ? billedOf(error, signal) : "none";
        budget.ends[billed] += 1;
        ended = billed === "none" ? NOTHING : { calls: 1, usd: 0, uncertainUsd: upToUsd ?? 0 };
        if (isSent) tries?.ended(key, billed, messageOf(error));
        throw error;
      } finally {
        if (ended !== undefined) reservation?.settle(ended);
        budget.settle(upToUsd ?? 0, ended);
      }
    },
  };
}

/** Makes the error of a cap in dollars on a model without a price, which says how to give one. */
export const unpriced = (id: string, cap: number): UsageError =>
  new UsageError(`--max-usd ${cap}: no price is known for ${id}; ${givePrice(id)}, or use --max-calls`);

const mostTokensOut = ({ capabilities }: Model, request: ModelRequest): number =>
  outputLimit(capabilities, request) * (capabilities.samples === true ? (request.samples ?? 1) : 1);

const billedOfBill = { none: "none", due: "yes", unknown: "unknown" } as const;

function billedOf(error: unknown, signal: AbortSignal): Billed {
  if (signal.aborted) return "unknown";
  if (error instanceof UsageError) return "none"; // there is no model that could be asked
  return error instanceof ModelError ? billedOfBill[error.bill] : "yes";
}

/** The tries of a run: each stands in the log before it is sent, and its failure when it has ended. */
export class Tries {
  readonly #log: Log;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #sentMs = new Map<Key, number>();

  constructor(log: Log, clock: Pick<Clock, "monotonic">) {
    this.#log = log;
    this.#clock = clock;
  }

  /** `upToUsd`: the most it may cost, where that is known. */
  started(key: Key, upToUsd: number | undefined, inBatch: boolean): void {
    const upTo = upToUsd === undefined ? {} : { upToUsd };
    this.#log.append({ t: "try", key, ...upTo, ...(inBatch ? { batch: true } : {}) });
    this.#sentMs.set(key, this.#clock.monotonic());
  }

  /** It brought no reply. */
  ended(key: Key, billed: Billed, error: string): void {
    this.#sentMs.delete(key);
    this.#log.append({ t: "no", key, billed, error });
  }

  /** Whole milliseconds since the last try of a key was sent; told once. */
  tookMs(key: Key): number | undefined {
    const sent = this.#sentMs.get(key);
    this.#sentMs.delete(key);
    return sent === undefined ? undefined : Math.round(this.#clock.monotonic() - sent);
  }
}
