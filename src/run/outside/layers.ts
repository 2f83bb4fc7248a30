import { type CacheSetting, repeatedOpenings, warmFirst } from "../../models/cache-marks.js";
import { uncut } from "../../models/tokens.js";
import type { StartTimer } from "../../net/deadline.js";
import type { RetryPolicy } from "../../net/retry.js";
import type { Model } from "../../types/index.js";
import { Budget, type CapSettings, capped } from "./caps.js";
import { type RetrySettings, retried } from "./retries.js";
import { type ReplyStore, sampled, stored } from "./store.js";
import { adapted, gated, timed } from "./wire.js";

export interface LayerSettings extends Omit<RetrySettings, "policy"> {
  readonly store: ReplyStore;
  /** Default: `auto`. */
  readonly cache?: CacheSetting;
  readonly caps?: Partial<CapSettings>;
  readonly policy?: Partial<RetryPolicy>;
  /** Most time of one try, headers and body, milliseconds. Default: three minutes. */
  readonly deadlineMs?: number;
  /** Of deadlines. Absent: real time. */
  readonly startTimer?: StartTimer;
  /** Aborted where no later call can succeed, and aborting it sends nothing more. Absent: nobody stops. */
  readonly stop?: AbortController;
}

/** Defaults of tries (docs/MODELS.md, Retries). A server's Retry-After counts up to `longestWaitMs`. */
const RETRY_DEFAULTS: RetryPolicy = { tries: 6, firstWaitMs: 500, longestWaitMs: 120_000 };
const DEADLINE_MS = 180_000;

/**
 * A provider's model in its four layers. A request passes them in this order; what is counted and capped is each try that is really
 * sent.
 */
export function layered(provider: Model, settings: LayerSettings): Model {
  const { store, clock, servers, cache = "auto", stop = new AbortController() } = settings;
  const { deadlineMs = DEADLINE_MS, startTimer } = settings;
  const inBatches = servers === undefined;
  const policy = { ...RETRY_DEFAULTS, ...settings.policy };
  const mostMs = Math.min(deadlineMs, servers?.giveUpAfterMs ?? Infinity);
  const caps: CapSettings = { budget: new Budget({}), price: () => undefined, ...settings.caps, inBatches };
  const layers: readonly ((next: Model) => Model)[] = [
    adapted, // what a model does not take is left out before the key is made
    (next) => repeatedOpenings(next, { inBatches }),
    (next) => stored(next, store), // store: the key, equal calls in flight, draws
    (next) => sampled(next, store, inBatches),
    (next) => warmFirst(next, { cache, clock }), // pace: queue, limits, retries, outages
    uncut,
    (next) => retried(next, { ...settings, policy }),
    (next) => capped(next, caps), // caps: reserves, writes the try down, settles it
    (next) => timed(next, mostMs, startTimer), // wire: one request and its deadline
    (next) => gated(next, stop),
  ];
  return layers.reduceRight((next, layer) => layer(next), provider);
}
