import type { LimitFunction } from "p-limit";
import type { Clock, Model, ModelRequest, Random } from "../../types.js";
import { type AdaptedModel, adapted, type UnsupportedPolicy } from "./adapted.js";
import { type BudgetSettings, budgeted } from "./budgeted.js";
import { type CallFact, cached } from "./cached.js";
import { limited } from "./limited.js";
import type { ResponseStore } from "./response-store.js";
import { type RetryEvent, type RetrySettings, retrying } from "./retrying.js";
import { type TimedSettings, timed } from "./timed.js";

/** What one finished call took, the tries of its request included (0 when nothing was sent). */
export interface ObservedCall extends CallFact {
  readonly attempts: number;
}

export interface LayerSettings {
  readonly unsupported: UnsupportedPolicy;
  readonly concurrency: number;
  /** Shared by the models of one run. */
  readonly slots?: LimitFunction;
  readonly store: ResponseStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly budget?: Omit<BudgetSettings, "onAttempt">;
  readonly retry?: Partial<
    Pick<RetrySettings, "attempts" | "maxRetryAfterMs" | "baseDelayMs" | "handOutAfterMs"> & TimedSettings
  >;
  observe?(call: ObservedCall): void;
  onRetry?(event: RetryEvent): void;
}

/** Defaults of the retry layer (docs/PROVIDERS.md, Retries). */
export const RETRY_DEFAULTS = {
  attempts: 6,
  deadlineMs: 180_000,
  maxRetryAfterMs: 120_000,
  baseDelayMs: 500,
  handOutAfterMs: 5_000,
} as const;

/**
 * A provider's model in all its wrappers, in the one order: adapted(cached(limited(retrying(budgeted(timed(provider)))))).
 * What is counted and capped is each try that is really sent.
 */
export function layered(provider: Model, settings: LayerSettings): AdaptedModel {
  const { clock, random, concurrency, slots, observe, onRetry } = settings;
  const rules = { ...RETRY_DEFAULTS, ...settings.retry };
  const attempts = new WeakMap<ModelRequest, number>();
  const paid = budgeted(timed(provider, rules), {
    ...settings.budget,
    onAttempt: (request, attempt) => attempts.set(request, attempt),
  });
  const tried = retrying(paid, { ...rules, clock, random, ...(onRetry === undefined ? {} : { onRetry }) });
  const paced = limited(tried, { concurrency, clock, ...(slots === undefined ? {} : { slots }) });
  const kept = cached(paced, settings.store, {
    clock,
    observe: (fact) => observe?.({ ...fact, attempts: fact.cached ? 0 : (attempts.get(fact.request) ?? 0) }),
  });
  return adapted(kept, { policy: settings.unsupported });
}
