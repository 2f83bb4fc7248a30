import type { LimitFunction } from "p-limit";
import type { Clock, Model, ModelRequest, Random } from "../../types.js";
import type { CacheSetting } from "../cache-marks.js";
import { type AdaptedModel, adapted, type UnsupportedPolicy } from "./adapted.js";
import { type BudgetSettings, budgeted } from "./budgeted.js";
import { type CallFact, cached } from "./cached.js";
import { limited } from "./limited.js";
import type { ResponseStore } from "./response-store.js";
import { type RetryEvent, type RetrySettings, retrying } from "./retrying.js";
import { sampled } from "./sampled.js";
import { type TimedSettings, timed } from "./timed.js";
import { warmFirst } from "./warm-first.js";

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
  /** Default: `auto`. */
  readonly cache?: CacheSetting;
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
 * A provider's model in all its wrappers, in the one order:
 * adapted(cached(sampled(warmFirst(limited(retrying(budgeted(timed(provider)))))))).
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
  const drawn = sampled(warmFirst(paced, { cache: settings.cache ?? "auto", clock }), settings.store);
  const kept = cached(drawn, settings.store, {
    clock,
    observe: (fact) => observe?.({ ...fact, attempts: fact.cached ? 0 : (attempts.get(fact.request) ?? 0) }),
  });
  return adapted(kept, { policy: settings.unsupported });
}
