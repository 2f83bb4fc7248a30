import type { LimitFunction } from "p-limit";
import type { Clock, Model, ModelRequest, Random } from "../../types.js";
import { type AdaptedModel, adapted, type UnsupportedPolicy } from "./adapted.js";
import { type BudgetSettings, budgeted } from "./budgeted.js";
import { type CallFact, cached } from "./cached.js";
import { limited } from "./limited.js";
import type { ResponseStore } from "./response-store.js";
import { type RetryEvent, type RetrySettings, retrying } from "./retrying.js";

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
  readonly budget?: BudgetSettings;
  readonly retry?: Partial<
    Pick<RetrySettings, "attempts" | "deadlineMs" | "maxRetryAfterMs" | "baseDelayMs" | "handOutAfterMs" | "startTimer">
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

/** A provider's model in all its wrappers, in the one order: adapted(cached(budgeted(limited(retrying(provider))))). */
export function layered(provider: Model, settings: LayerSettings): AdaptedModel {
  const { clock, random, concurrency, slots, observe, onRetry } = settings;
  const attempts = new WeakMap<ModelRequest, number>();
  const tried = retrying(provider, {
    ...RETRY_DEFAULTS,
    ...settings.retry,
    clock,
    random,
    onAttempt: (request, attempt) => attempts.set(request, attempt),
    ...(onRetry === undefined ? {} : { onRetry }),
  });
  const paid = budgeted(
    limited(tried, { concurrency, clock, ...(slots === undefined ? {} : { slots }) }),
    settings.budget ?? {},
  );
  const kept = cached(paid, settings.store, {
    clock,
    observe: (fact) => observe?.({ ...fact, attempts: fact.cached ? 0 : (attempts.get(fact.request) ?? 0) }),
  });
  return adapted(kept, { policy: settings.unsupported });
}
