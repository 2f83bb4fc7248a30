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

/** Spending of a run. Caps count all three. */
export interface Spending {
  /** Billable tries. */
  readonly calls: number;
  /** US dollars billed for replies. */
  readonly usd: number;
  /** Upper bound of the US dollars billed for tries without a reply. */
  readonly unknownBilledUpToUsd: number;
}

const NO_SPENDING: Spending = { calls: 0, usd: 0, unknownBilledUpToUsd: 0 };

/** The spending of a run and the reservations of its tries in flight. All models of the run share it. */
export class Budget {
  /** Billable tries, those in flight included. */
  calls: number;
  usd: number;
  unknownBilledUpToUsd: number;
  reservedUsd = 0;
  inFlight = 0;
  /** Number of this process's tries without a reply, by whether they were billed. */
  readonly unanswered: Record<Billed, number> = { none: 0, yes: 0, unknown: 0 };
  /** Spending of earlier processes. */
  readonly before: Spending;
  readonly #caps: { readonly calls: number; readonly usd: number };
  #waiting: (() => void)[] = [];

  /** `stop`: once aborted, no call waits for budget. */
  constructor(
    caps: { maxCalls?: number | undefined; maxUsd?: number | undefined },
    before = NO_SPENDING,
    stop?: AbortSignal,
  ) {
    this.#caps = { calls: caps.maxCalls ?? Infinity, usd: caps.maxUsd ?? Infinity };
    this.before = before;
    this.calls = before.calls;
    this.usd = before.usd;
    this.unknownBilledUpToUsd = before.unknownBilledUpToUsd;
    if (stop !== undefined) onAbort(stop, () => this.#wake());
  }

  /** Returns whether a try of at most this cost fits now (`yes`), may fit when a try in flight has ended (`later`), or never fits. */
  allows(upToUsd: number): "yes" | "later" | BudgetError {
    const { usd, unknownBilledUpToUsd, calls, inFlight } = this;
    const caps = this.#caps;
    if (calls - inFlight >= caps.calls) return new BudgetError(`--max-calls ${caps.calls} is reached`);
    if (usd + unknownBilledUpToUsd + upToUsd > caps.usd) {
      const unknown = `, up to $${unknownBilledUpToUsd.toFixed(4)} where no reply came`;
      const why = `$${usd.toFixed(4)} billed${unknownBilledUpToUsd > 0 ? unknown : ""}, next call up to $${upToUsd.toFixed(4)}`;
      return new BudgetError(`--max-usd ${caps.usd} would be passed (${why})`);
    }
    return calls < caps.calls && usd + unknownBilledUpToUsd + this.reservedUsd + upToUsd <= caps.usd ? "yes" : "later";
  }

  reserve(upToUsd: number): void {
    this.calls += 1;
    this.inFlight += 1;
    this.reservedUsd += upToUsd;
  }

  /** Replaces the reservation of a try by its spending. */
  settle(upToUsd: number, spent: Spending): void {
    this.calls -= 1 - spent.calls;
    this.usd += spent.usd;
    this.unknownBilledUpToUsd += spent.unknownBilledUpToUsd;
    this.leaveOpen(upToUsd);
  }

  /** Releases the reservation of a try that has not ended: its request is in a batch, and a later process counts it. */
  leaveOpen(upToUsd: number): void {
    this.inFlight -= 1;
    this.reservedUsd = this.inFlight === 0 ? 0 : this.reservedUsd - upToUsd;
    this.#wake();
  }

  /** Resolves when a try in flight has ended, or at the stop. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** Ends the reservation of a try. Called once. `answered`: a reply came. */
type EndReservation = (spent: Spending & { readonly answered?: true }) => void;

/** A budget that several processes share. Its caps hold besides those of the process. */
export interface SharedBudget {
  /** Reserves for a try of this request. `later`: only tries in flight prevent it. */
  take(upToUsd: number, key: Key): Promise<EndReservation | "later" | BudgetError>;
  /** Resolves when another `take` may succeed. */
  changed(signal: AbortSignal): Promise<void>;
}

export interface CapSettings {
  readonly budget: Budget;
  readonly shared?: SharedBudget | undefined;
  /** Returns US dollars; undefined where no price is known. */
  price(usage: Usage): number | undefined;
  /** Logs each try before it is sent. Absent for the embedded model. */
  readonly tries?: Pick<Tries, "started" | "ended"> | undefined;
  readonly inBatches?: boolean;
  /** Once aborted, nothing is sent and no call waits for budget. */
  readonly stop?: AbortSignal;
}

/**
 * Counts every billable try, below queue and retries: only a request that is sent at once reserves budget. Throws BudgetError before
 * a try that could pass a cap, and waits where only tries in flight prevent it. A run under `--max-calls` sends exactly that many, and
 * dollars never pass `--max-usd`.
 */
export function capped(model: Model, settings: CapSettings): Model {
  const { budget, shared, price, tries, inBatches = false, stop } = settings;
  if (stop !== undefined) setMaxListeners(0, stop); // every model listens to it
  const costs = statedCosts(price);
  /** Output tokens of the longest reply that passed its limit: later calls reserve as many. */
  let longestOutput = 0;

  async function reserve(request: ModelRequest, key: Key, signal: AbortSignal) {
    for (;;) {
      const out = Math.max(outputLimit(model.capabilities, request), longestOutput);
      const upToUsd = costs.upToUsd({ in: mostPromptTokens(request), out });
      signal.throwIfAborted();
      stop?.throwIfAborted();
      const allowed = budget.allows(upToUsd ?? 0);
      const taken = allowed === "yes" && shared !== undefined ? await shared.take(upToUsd ?? 0, key) : allowed;
      if (taken instanceof BudgetError) throw taken;
      if (taken === "later") await (budget.inFlight > 0 ? budget.changed() : shared?.changed(signal));
      else {
        budget.reserve(upToUsd ?? 0);
        return { upToUsd, endReservation: taken === "yes" ? undefined : taken };
      }
    }
  }

  return {
    ...model,
    async complete(request, signal, onLimits) {
      const key = requestKey(model.id, request);
      const { upToUsd, endReservation } = await reserve(request, key, signal);
      let isSent = false;
      let spent: Parameters<EndReservation>[0] | undefined;
      try {
        tries?.started(key, upToUsd, inBatches);
        isSent = true;
        const reply = await model.complete(request, signal, onLimits);
        const { usage } = reply;
        if (usage.out > outputLimit(model.capabilities, request)) longestOutput = Math.max(longestOutput, usage.out);
        costs.learn(usage);
        spent = { answered: true, calls: 1, usd: price(usage) ?? 0, unknownBilledUpToUsd: 0 };
        return reply;
      } catch (error) {
        if (error instanceof StillInBatch) throw error;
        const billed = isSent ? billedOf(error, signal) : "none";
        budget.unanswered[billed] += 1;
        spent = billed === "none" ? NO_SPENDING : { calls: 1, usd: 0, unknownBilledUpToUsd: upToUsd ?? 0 };
        if (isSent) tries?.ended(key, billed, messageOf(error));
        throw error;
      } finally {
        if (spent === undefined) budget.leaveOpen(upToUsd ?? 0);
        else {
          endReservation?.(spent);
          budget.settle(upToUsd ?? 0, spent);
        }
      }
    },
  };
}

/** Returns upper bounds of costs by price rows, raised as soon as a server states a higher cost than its row. */
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

/** Returns the error for `--max-usd` on a model without a known price. */
export const unpriced = (id: string, cap: number): UsageError =>
  new UsageError(`--max-usd ${cap}: no price is known for ${id}; ${givePrice(id)}, or use --max-calls`);

function billedOf(error: unknown, signal: AbortSignal): Billed {
  if (signal.aborted) return "unknown";
  if (error instanceof UsageError) return "none"; // nothing was sent
  return error instanceof ModelError && error.bill !== "due" ? error.bill : "yes";
}

/** Logs the tries of a run: each before it is sent, and its failure. */
export class Tries {
  readonly #log: Log;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #startedMs = new Map<Key, number>();

  constructor(log: Log, clock: Pick<Clock, "monotonic">) {
    this.#log = log;
    this.#clock = clock;
  }

  /** `upToUsd`: upper bound of its cost; undefined where no price is known. */
  started(key: Key, upToUsd: number | undefined, inBatch: boolean): void {
    this.#log.append({
      t: "try",
      key,
      ...(upToUsd !== undefined && { upToUsd }),
      ...(inBatch && { batch: true }),
    });
    this.#startedMs.set(key, this.#clock.monotonic());
  }

  /** Logs a try without a reply. */
  ended(key: Key, billed: Billed, error: string): void {
    this.#startedMs.delete(key);
    this.#log.append({ t: "failure", key, billed, error });
  }

  /** Returns whole milliseconds since the last try of a key was sent, once. */
  takeMs(key: Key): number | undefined {
    const startedMs = this.#startedMs.get(key);
    this.#startedMs.delete(key);
    return startedMs === undefined ? undefined : Math.round(this.#clock.monotonic() - startedMs);
  }
}
