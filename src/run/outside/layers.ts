import { ModelError } from "../../errors.js";
import { type CacheSetting, repeatedOpenings, warmFirst } from "../../models/cache-marks.js";
import { uncut } from "../../models/tokens.js";
import { adapted } from "../../models/wrap/adapted.js";
import { type BudgetSettings, budgeted, openPurse } from "../../models/wrap/budgeted.js";
import { type CallFact, cached, type ResponseStore } from "../../models/wrap/cached.js";
import { sampled } from "../../models/wrap/sampled.js";
import { type StartTimer, withDeadline } from "../../net/deadline.js";
import type { Capabilities, Clock, Model, Random } from "../../types/index.js";
import { CallCost } from "./call-cost.js";
import { paced, type RetryEvent, type SharedPace, type TrySettings, tried } from "./paced.js";
import type { Paces } from "./paces.js";

export interface LayerSettings {
  /**
   * Shared by the models of one run: those of one server share a pace. Undefined: calls start at once, and a refusal uses up
   * a try (lines of batches).
   */
  readonly paces: Paces | undefined;
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
 * sent. `inner` wraps the provider's model.
 */
export function layered(provider: Model, settings: LayerSettings, inner: Layer = (server) => server): Model {
  const rules = { ...RETRY_DEFAULTS, ...settings.retry };
  const purse = settings.budget?.purse ?? openPurse();
  const giveUpAfterMs = settings.paces?.giveUpAfterMs ?? Number.POSITIVE_INFINITY;
  const ofTry: readonly Layer[] = [
    (server) => budgeted(server, { ...settings.budget, purse }), // caps: reserves, writes the try down, settles it
    (server) => timed(inner(server), { ...rules, deadlineMs: Math.min(rules.deadlineMs, giveUpAfterMs) }), // wire: one request and its deadline
  ];
  const ofCall: readonly Layer[] = [
    (model) => stored(model, settings), // store: the key, equal calls in flight, draws
    (model) => pacedIn(model, (server) => around(server, ofTry), rules, settings), // pace: queue, limits, retries, outages
  ];
  return around(provider, ofCall);
}

/** The first layer is the outermost. */
const around = (model: Model, layers: readonly Layer[]): Model =>
  layers.reduceRight((next, layer) => layer(next), model);

/** What a model does not take is left out before the key is made. */
function stored(model: Model, { store, paces, observe, onLeftOut }: LayerSettings): Model {
  const inBatches = paces === undefined;
  const kept = cached(sampled(model, store, { inBatches }), store, observe);
  return adapted(repeatedOpenings(kept, { inBatches }), onLeftOut);
}

/** Without paces calls start at once, and a refusal uses up a try. */
function pacedIn(model: Model, ofTry: Layer, rules: RetryRules, settings: LayerSettings): Model {
  const { clock, random, paces, pace: sharedPace, cache = "auto", onRetry } = settings;
  const tries: TrySettings = {
    policy: { tries: rules.attempts, firstWaitMs: rules.baseDelayMs, longestWaitMs: rules.maxRetryAfterMs },
    clock,
    random,
    ...(onRetry === undefined ? {} : { onRetry }),
  };
  if (paces === undefined) return warmFirst(uncut(tried(ofTry(model), tries)), { cache, clock });
  const { pace, kind, rules: counting, account } = paces.of(model);
  const cost = new CallCost(model.id, counting, model.capabilities);
  const shared = sharedPace === undefined ? undefined : { account, pace: sharedPace };
  return warmFirst(uncut(paced(ofTry(model), { ...tries, pace, kind, cost, shared })), { cache, clock });
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
