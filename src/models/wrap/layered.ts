import { ModelError } from "../../errors.js";
import { type StartTimer, withDeadline } from "../../net/deadline.js";
import type { Capabilities, Clock, Model, Random } from "../../types/index.js";
import { type CacheSetting, repeatedOpenings, warmFirst } from "../cache-marks.js";
import type { Limiters } from "../rate/limiters.js";
import { pacedTogether, type SharedPace } from "../rate/shared-pace.js";
import { uncut } from "../tokens.js";
import { adapted } from "./adapted.js";
import { type BudgetSettings, budgeted, openPurse } from "./budgeted.js";
import { type CallFact, cached, type ResponseStore } from "./cached.js";
import { CostGuess, tried as inTries, type RetryEvent, rated as ratedBy } from "./rated.js";
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

/** Defaults of tries (docs/MODELS.md, Retries). */
export const RETRY_DEFAULTS = {
  attempts: 6,
  deadlineMs: 180_000,
  maxRetryAfterMs: 120_000,
  baseDelayMs: 500,
} as const;

/** One layer around a model: what goes in passes it before the next, what comes out behind it. */
type Layer = (next: Model) => Model;

/**
 * A provider's model in its four layers. A request passes them in this order; what is counted and capped is each try that is really
 * sent. `inner` wraps each server next to the provider.
 */
export function layered(provider: Model, settings: LayerSettings, inner: Layer = (server) => server): Model {
  const rules = { ...RETRY_DEFAULTS, ...settings.retry };
  const purse = settings.budget?.purse ?? openPurse();
  const ofTry: readonly Layer[] = [
    (server) => budgeted(server, { ...settings.budget, purse }), // caps: reserves, writes the try down, settles it
    (server) => timed(inner(server), rules), // wire: one request and its deadline
  ];
  const ofCall: readonly Layer[] = [
    (model) => stored(model, settings), // store: the key, equal calls in flight, draws
    (model) => paced(model, (server) => around(server, ofTry), rules, settings), // pace: queue, limits, retries, outages
  ];
  return around(provider, ofCall);
}

/** The first layer is the outermost. */
const around = (model: Model, layers: readonly Layer[]): Model =>
  layers.reduceRight((next, layer) => layer(next), model);

/** What a model does not take is left out before the key is made. */
function stored(model: Model, { store, limiters, observe, onLeftOut }: LayerSettings): Model {
  const inBatches = limiters === undefined;
  const kept = cached(sampled(model, store, { inBatches }), store, observe);
  return adapted(repeatedOpenings(kept, { inBatches }), onLeftOut);
}

/** Without limiters calls start at once, and a refusal uses up a try. */
function paced(model: Model, tried: Layer, rules: RetryRules, settings: LayerSettings): Model {
  const { clock, random, limiters, pace, cache = "auto", onRetry } = settings;
  const tries = {
    policy: { tries: rules.attempts, firstWaitMs: rules.baseDelayMs, longestWaitMs: rules.maxRetryAfterMs },
    clock,
    random,
    ...(onRetry === undefined ? {} : { onRetry }),
  };
  if (limiters === undefined) return warmFirst(uncut(inTries(tried(model), tries)), { cache, clock });
  const limiter = limiters.of(model);
  const rated = ratedBy(model, [model].map(tried), {
    ...tries,
    limiter: pace === undefined ? limiter : pacedTogether(limiter, limiters.accountsOf(model), pace),
    guess: new CostGuess(limiters.rulesOf(model), model.capabilities),
  });
  return warmFirst(uncut(rated), { cache, clock });
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
