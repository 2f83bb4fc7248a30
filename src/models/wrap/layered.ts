import type { Clock, Model, ModelRequest, Random } from "../../types.js";
import { uncut } from "../bytes-per-token.js";
import type { CacheSetting } from "../cache-marks.js";
import { CostGuess } from "../rate/cost.js";
import type { Limiters } from "../rate/limiters.js";
import { type AdaptedModel, adapted, type UnsupportedPolicy } from "./adapted.js";
import { type BudgetSettings, budgeted, openPurse } from "./budgeted.js";
import { type CallFact, cached, type ResponseStore } from "./cached.js";
import { type RetryEvent, rated, tried } from "./rated.js";
import { sampled } from "./sampled.js";
import { type TimedSettings, timed } from "./timed.js";
import { warmFirst } from "./warm-first.js";

/** What one finished call took, the tries of its request included (0 when nothing was sent). */
export interface ObservedCall extends CallFact {
  readonly attempts: number;
}

export interface LayerSettings {
  readonly unsupported: UnsupportedPolicy;
  /**
   * Shared by the models of one run: models of one account and class share a limiter. Undefined: calls start at once, and a
   * refusal uses up a try (lines of batches).
   */
  readonly limiters: Limiters | undefined;
  readonly store: ResponseStore;
  /** Default: `auto`. */
  readonly cache?: CacheSetting;
  readonly clock: Clock;
  readonly random: Random;
  readonly budget?: Omit<BudgetSettings, "onAttempt" | "tries">;
  readonly retry?: Partial<RetryRules & TimedSettings>;
  observe?(call: ObservedCall): void;
  onRetry?(event: RetryEvent): void;
}

/** Of failures that are no refusals. */
interface RetryRules {
  /** Most tries of one call, the first included. */
  readonly attempts: number;
  /** A server's Retry-After counts up to here, milliseconds. */
  readonly maxRetryAfterMs: number;
  /** First backoff; doubles with each try up to `maxRetryAfterMs`. */
  readonly baseDelayMs: number;
}

/** Defaults of tries (docs/PROVIDERS.md, Retries). */
export const RETRY_DEFAULTS = {
  attempts: 6,
  deadlineMs: 180_000,
  maxRetryAfterMs: 120_000,
  baseDelayMs: 500,
} as const;

/**
 * A provider's model in all its wrappers, in the one order: adapted(cached(sampled(warmFirst(rated(budgeted(timed(provider))))))),
 * the inner two around each of its servers. What is counted and capped is each try that is really sent. `inner` wraps each server next to
 * the provider.
 */
export function layered(
  provider: Model,
  settings: LayerSettings,
  inner: (server: Model) => Model = (server) => server,
): AdaptedModel {
  const { clock, random, limiters, observe, onRetry } = settings;
  const rules = { ...RETRY_DEFAULTS, ...settings.retry };
  const attempts = new WeakMap<ModelRequest, number>();
  const budget = {
    ...settings.budget,
    purse: settings.budget?.purse ?? openPurse(),
    tries: new WeakMap<ModelRequest, number>(),
    onAttempt: (request: ModelRequest, attempt: number) => void attempts.set(request, attempt),
  };
  const capped = (server: Model): Model => budgeted(timed(inner(server), rules), budget);
  const tries = {
    policy: { tries: rules.attempts, firstWaitMs: rules.baseDelayMs, longestWaitMs: rules.maxRetryAfterMs },
    clock,
    random,
    ...(onRetry === undefined ? {} : { onRetry }),
  };
  const paced =
    limiters === undefined
      ? tried(capped(provider), tries)
      : rated(provider, (provider.servers ?? [provider]).map(capped), {
          ...tries,
          limiter: limiters.of(provider),
          guess: new CostGuess(limiters.rulesOf(provider), provider.capabilities),
        });
  const warmed = warmFirst(uncut(paced), { cache: settings.cache ?? "auto", clock });
  const drawn = sampled(warmed, settings.store, { inBatches: limiters === undefined });
  const kept = cached(drawn, settings.store, {
    clock,
    observe: (fact) => observe?.({ ...fact, attempts: fact.cached ? 0 : (attempts.get(fact.request) ?? 0) }),
  });
  return adapted(kept, { policy: settings.unsupported });
}
