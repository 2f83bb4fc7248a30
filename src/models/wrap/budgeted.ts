import { BudgetError, UsageError } from "../../errors.js";
import type { Model, ModelRequest, Usage } from "../../types.js";
import { estimatedPromptTokens } from "../estimate.js";
import { outputLimit } from "../thinking.js";

export interface BudgetSettings {
  /** Most calls to send; a retried call counts once. */
  readonly maxCalls?: number;
  /** Most US dollars to spend. */
  readonly maxUsd?: number;
  /** Dollars of a usage; undefined where no price is known. */
  price?(usage: Usage): number | undefined;
  /** Shared by the models of one run: the caps hold for all of them together. Absent: a purse of its own. */
  readonly purse?: Purse;
}

/** What is spent and what is reserved for calls in flight. */
export interface Purse {
  calls: number;
  usd: number;
  reserved: number;
  inFlight: number;
  wake: (() => void)[];
}

export const openPurse = ({ calls, usd } = { calls: 0, usd: 0 }): Purse => ({
  calls,
  usd,
  reserved: 0,
  inFlight: 0,
  wake: [],
});

/**
 * Throws BudgetError before a call that could break a cap. Dollars in flight are reserved at the full answer budget;
 * while reservations alone stand in the way, a call waits for them to settle.
 * Throws UsageError at once when `maxUsd` is set and the model has no known price.
 */
export function budgeted(model: Model, settings: BudgetSettings): Model {
  const { maxCalls = Number.POSITIVE_INFINITY, maxUsd = Number.POSITIVE_INFINITY } = settings;
  const price = (usage: Usage): number => settings.price?.(usage) ?? 0;
  if (settings.maxUsd !== undefined && settings.price?.({ in: 1, out: 1 }) === undefined)
    throw new UsageError(`--max-usd ${settings.maxUsd}: no price is known for ${model.id}; use --max-calls`);
  const purse = settings.purse ?? openPurse();

  async function reserve(request: ModelRequest, signal: AbortSignal): Promise<number> {
    const atMost = price({ in: estimatedPromptTokens(request), out: outputLimit(model.capabilities, request) });
    for (;;) {
      signal.throwIfAborted();
      if (purse.calls >= maxCalls) throw new BudgetError(`--max-calls ${maxCalls} is reached`);
      if (purse.usd + purse.reserved + atMost <= maxUsd) break;
      if (purse.inFlight === 0 || purse.usd + atMost > maxUsd)
        throw new BudgetError(
          `--max-usd ${maxUsd} would be passed ($${purse.usd.toFixed(4)} spent, next call up to $${atMost.toFixed(4)})`,
        );
      await new Promise<void>((resolve) => purse.wake.push(resolve));
    }
    purse.calls++;
    purse.inFlight++;
    purse.reserved += atMost;
    return atMost;
  }

  function settle(atMost: number): void {
    purse.inFlight--;
    purse.reserved = purse.inFlight === 0 ? 0 : purse.reserved - atMost;
    const waiting = purse.wake;
    purse.wake = [];
    for (const resume of waiting) resume();
  }

  return {
    ...model,
    async complete(request, signal) {
      const atMost = await reserve(request, signal);
      try {
        const reply = await model.complete(request, signal);
        purse.usd += price(reply.usage);
        return reply;
      } finally {
        settle(atMost);
      }
    },
  };
}
