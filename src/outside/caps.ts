import { setMaxListeners } from "node:events";
import { BudgetError, ModelError, UsageError } from "../errors.js";
import { type Billed, type Key, requestKey } from "../log/entry.js";
import type { Log } from "../log/log.js";
import { givePrice } from "../models/prices.js";
import { mostPromptTokens, outputLimit } from "../models/tokens.js";
import { onAbort } from "../net/deadline.js";
import { messageOf } from "../text/file-trouble.js";
import type { Clock, Model, ModelRequest, Usage } from "../types/index.js";
import { StillInBatch } from "./batch/sent-batch.js";

/** Billable tries, US dollars that replies were billed at, and the most that billable tries without a reply may have cost. */
interface Spent {
  readonly calls: number;
  readonly usd: number;
  readonly unknownBilledUpToUsd: number;
}

const NOTHING: Spent = { calls: 0, usd: 0, unknownBilledUpToUsd: 0 };

/** What is spent and what is reserved for tries in flight; the models of a run share it, and the caps hold for all of them together. */
export class Budget {
  /** Billable tries, those in flight included. */
  calls: number;
  usd: number;
  /** It counts against caps, and nobody knows whether it was billed. */
  unknownBilledUpToUsd: number;
  reserved = 0;
  inFlight = 0;
  /** Tries of this process that brought no reply, by whether they were billed; those that were not are in no other number. */
  readonly ends: Record<Billed, number> = { none: 0, yes: 0, unknown: 0 };
  /** What earlier processes spent. */
  readonly before: Spent;
  readonly #caps: { readonly calls: number; readonly usd: number };
  #waiting: (() => void)[] = [];

  /** Once `stop` is aborted nobody waits for room. */
  constructor(
    caps: { maxCalls?: number | undefined; maxUsd?: number | undefined },
    before = NOTHING,
    stop?: AbortSignal,
  ) {
    this.#caps = { calls: caps.maxCalls ?? Infinity, usd: caps.maxUsd ?? Infinity };
    this.before = before;
    this.calls = before.calls;
    this.usd = before.usd;
    this.unknownBilledUpToUsd = before.unknownBilledUpToUsd;
    if (stop !== undefined) onAbort(stop, () => this.#wake());
  }

  /** Returns whether another try fits: now, perhaps after one in flight has ended, or never (why). */
  roomFor(upToUsd: number): "yes" | "later" | BudgetError {
    const { usd, unknownBilledUpToUsd, calls, inFlight } = this;
    const most = this.#caps;
    if (calls - inFlight >= most.calls) return new BudgetError(`--max-calls ${most.calls} is reached`);
    if (usd + unknownBilledUpToUsd + upToUsd > most.usd) {
      const uncertain =
        unknownBilledUpToUsd > 0 ? `, up to $${unknownBilledUpToUsd.toFixed(4)} where no reply came` : "";
      const why = `$${usd.toFixed(4)} billed${uncertain}, next call up to $${upToUsd.toFixed(4)}`;
      return new BudgetError(`--max-usd ${most.usd} would be passed (${why})`);
    }
    return calls < most.calls && usd + unknownBilledUpToUsd + this.reserved + upToUsd <= most.usd ? "yes" : "later";
  }

  reserve(upToUsd: number): void {
    this.calls += 1;
    this.inFlight += 1;
    this.reserved += upToUsd;
  }

  /** Releases what a try had reserved, and books what it came to. */
  settle(upToUsd: number, spent: Spent): void {
    this.calls -= 1 - spent.calls;
    this.usd += spent.usd;
    this.unknownBilledUpToUsd += spent.unknownBilledUpToUsd;
    this.leaveOpen(upToUsd);
  }

  /** Releases what a try had reserved that has not ended: it is out in a batch, and a later run books it. */
  leaveOpen(upToUsd: number): void {
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

/** To be called once, when a try has ended. `answered`: a reply came. */
type Settle = (end: Spent & { readonly answered?: true }) => void;

/** A budget that several processes share; its caps hold besides one's own. */
export interface SharedBudget {
  /** Reserves for a try of the request of this key that may cost up to so much; `later`: others in flight stand in the way; or why not. */
  take(upToUsd: number, key: Key): Promise<Settle | "later" | BudgetError>;
  /** Ends when it is worth asking again. */
  changed(signal: AbortSignal): Promise<void>;
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
export function capped(model: Model, settings: CapSettings): Model {
  const { budget, shared, price, tries, inBatches = false, stop } = settings;
  if (stop !== undefined) setMaxListeners(0, stop); // every model listens to it
  const mostOut = (request: ModelRequest): number => outputLimit(model.capabilities, request);
  /** Tokens of the longest reply that was longer than asked for: such servers are reserved as much from then on. */
  let longestOut = 0;

  const stated = statedCosts(price);

  async function reserve(request: ModelRequest, key: Key, signal: AbortSignal) {
    for (;;) {
      const upToUsd = stated.upToUsd({ in: mostPromptTokens(request), out: Math.max(mostOut(request), longestOut) });
      signal.throwIfAborted();
      stop?.throwIfAborted();
      const room = budget.roomFor(upToUsd ?? 0);
      const taken = room === "yes" && shared !== undefined ? await shared.take(upToUsd ?? 0, key) : room; // one's own is asked and counted in one go
      if (taken instanceof BudgetError) throw taken;
      if (taken === "later") await (budget.inFlight > 0 ? budget.changed() : shared?.changed(signal));
      else {
        budget.reserve(upToUsd ?? 0);
        return { upToUsd, settle: taken === "yes" ? undefined : taken };
      }
    }
  }

  return {
    ...model,
    async complete(request, signal, onLimits) {
      const key = requestKey(model.id, request);
      const { upToUsd, settle } = await reserve(request, key, signal);
      let isSent = false;
      let ended: Parameters<Settle>[0] | undefined;
      try {
        tries?.started(key, upToUsd, inBatches);
        isSent = true;
        const reply = await model.complete(request, signal, onLimits);
        if (reply.usage.out > mostOut(request)) longestOut = Math.max(longestOut, reply.usage.out);
        stated.learn(reply.usage);
        ended = { answered: true, calls: 1, usd: price(reply.usage) ?? 0, unknownBilledUpToUsd: 0 };
        return reply;
      } catch (error) {
        if (error instanceof StillInBatch) throw error;
        const billed = isSent ? billedOf(error, signal) : "none";
        budget.ends[billed] += 1;
        ended = billed === "none" ? NOTHING : { calls: 1, usd: 0, unknownBilledUpToUsd: upToUsd ?? 0 };
        if (isSent) tries?.ended(key, billed, messageOf(error));
        throw error;
      } finally {
        if (ended === undefined) budget.leaveOpen(upToUsd ?? 0);
        else {
          settle?.(ended);
          budget.settle(upToUsd ?? 0, ended);
        }
      }
    },
  };
}

/** Bounds costs where a server states more than the price row says: each further call is reserved at the larger of the two. */
function statedCosts(price: CapSettings["price"]) {
  let highestRatio = 1;
  let highestUsd = 0;
  return {
    learn({ billedUsd, ...tokens }: Usage): void {
      if (billedUsd === undefined) return;
      const listedUsd = price(tokens) ?? 0;
      if (listedUsd > 0) highestRatio = Math.max(highestRatio, billedUsd / listedUsd);
      highestUsd = Math.max(highestUsd, billedUsd);
    },
    upToUsd(tokens: Usage): number | undefined {
      const listedUsd = price(tokens);
      return listedUsd === undefined ? undefined : Math.max(listedUsd * highestRatio, highestUsd);
    },
  };
}

/** Makes the error of a cap in dollars on a model without a price, which says how to give one. */
export const unpriced = (id: string, cap: number): UsageError =>
  new UsageError(`--max-usd ${cap}: no price is known for ${id}; ${givePrice(id)}, or use --max-calls`);

function billedOf(error: unknown, signal: AbortSignal): Billed {
  if (signal.aborted) return "unknown";
  if (error instanceof UsageError) return "none"; // there is no model that could be asked
  return error instanceof ModelError && error.bill !== "due" ? error.bill : "yes";
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
    this.#log.append({ t: "failure", key, billed, error });
  }

  /** Whole milliseconds since the last try of a key was sent; told once. */
  tookMs(key: Key): number | undefined {
    const sent = this.#sentMs.get(key);
    this.#sentMs.delete(key);
    return sent === undefined ? undefined : Math.round(this.#clock.monotonic() - sent);
  }
}
