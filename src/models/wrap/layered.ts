import { ModelError } from "../../errors.js";
import { type StartTimer, withDeadline } from "../../net/deadline.js";
import type { Capabilities, Clock, Model, Random } from "../../types/index.js";
import { uncut } from "../bytes-per-token.js";
import { type CacheSetting, repeatedOpenings, warmFirst } from "../cache-marks.js";
import type { Limiters } from "../rate/limiters.js";
import { pacedTogether, type SharedPace } from "../rate/shared-pace.js";
import { adapted } from "./adapted.js";
import { type BudgetSettings, budgeted, openPurse } from "./budgeted.js";
import { type CallFact, cached, type ResponseStore } from "./cached.js";
import { CostGuess, type RetryEvent, rated, tried } from "./rated.js";
import { sampled } from "./sampled.js";

export interface LayerSettings {
  /**
   * Shared by the models of one run: models of one account and class share a limiter. Undefined: calls start at once, and a
   * refusal uses up a try (lines of batches).
   */
  readonly limiters: Limiters | undefined;
  /** Absent: no other process sends to the same accounts. */
  readonly pace?: SharedPace | undefined;
  readonly store: ResponseStore;
  /** Default: `auto`. */
  readonly cache?: CacheSetting;
  readonly clock: Clock;
  readonly random: Random;
  readonly budget?: BudgetSettings;
  readonly retry?: Partial<RetryRules & TimedSettings>;
  /** A parameter of a request that the model does not take. */
  onLeftOut?(parameter: string): void;
  observe?(call: CallFact): void;
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
 * A provider's model in all its wrappers, in the one order:
 * adapted(repeatedOpenings(cached(sampled(warmFirst(rated(budgeted(timed(provider)))))))), the inner two around each of its servers. What is counted and capped is each try that is really sent. `inner` wraps each server next to
 * the provider.
 */
export function layered(
  provider: Model,
  settings: LayerSettings,
  inner: (server: Model) => Model = (server) => server,
): Model {
  const { clock, random, limiters, pace, observe, onRetry } = settings;
  const rules = { ...RETRY_DEFAULTS, ...settings.retry };
  const budget = {
    ...settings.budget,
    purse: settings.budget?.purse ?? openPurse(),
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
          limiter:
            pace === undefined
              ? limiters.of(provider)
              : pacedTogether(limiters.of(provider), limiters.accountsOf(provider), pace),
          guess: new CostGuess(limiters.rulesOf(provider), provider.capabilities),
        });
  const warmed = warmFirst(uncut(paced), { cache: settings.cache ?? "auto", clock });
  const inBatches = limiters === undefined;
  const drawn = sampled(warmed, settings.store, { inBatches });
  const kept = cached(drawn, settings.store, observe);
  return adapted(repeatedOpenings(kept, { inBatches }), settings.onLeftOut);
}

interface TimedSettings {
  /** Most time of one try, headers and body, milliseconds. */
  readonly deadlineMs: number;
  /** Absent: real time. */
  readonly startTimer?: StartTimer;
}

/** Default timeout of one try, milliseconds. A model that thinks may take long to begin; `effort` as of `model.effort`. */
export function usualDeadlineMs({ thinking }: Pick<Capabilities, "thinking">, effort: string): number {
  const thinks = effort === "auto" ? thinking === "always" : effort !== "none";
  return thinks ? 600_000 : 120_000;
}

/** Ends a try at its deadline, also where the wrapped model ignores its signal. What was sent may have been billed. */
export function timed(model: Model, { deadlineMs, startTimer }: TimedSettings): Model {
  const deadline = {
    ms: deadlineMs,
    error: (): ModelError =>
      new ModelError(`${model.id}: no complete reply within ${deadlineMs / 1000} s`, {
        retryable: true,
        bill: "unknown",
        late: true,
      }),
    ...(startTimer === undefined ? {} : { startTimer }),
  };
  return {
    ...model,
    complete: (request, signal, hear) =>
      withDeadline((limit) => model.complete(request, limit, hear), signal, deadline),
  };
}
