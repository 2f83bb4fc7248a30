import type { Prices } from "../../../models/prices.js";
import { gated } from "../../../models/wrap/adapted.js";
import type { Purse, SharedPurse } from "../../../models/wrap/budgeted.js";
import { oneATurn, openTurns } from "../../../models/wrap/cached.js";
import { longWait } from "../../../net/retry.js";
import { readOptions } from "../../../registry/options.js";
import { type Answers, repliesOf } from "../../../run/outside/answers.js";
import { type LayerSettings, layered, usualDeadlineMs } from "../../../run/outside/layers.js";
import type { SharedPace } from "../../../run/outside/paced.js";
import type { Paces } from "../../../run/outside/paces.js";
import { Tries } from "../../../run/outside/tries.js";
import { modelOptions } from "../../../run/plan/model-options.js";
import type { Clock, Model, ModelReply, Random, Usage } from "../../../types/index.js";
import type { RunSettings } from "../config/resolve-settings.js";
import type { Batching } from "./batching.js";

/** What of a run's settings its calls depend on. */
export type ModelSettings = Pick<
  RunSettings,
  | ("seed" | "set" | "prices" | "endpoints" | "baseUrl" | "limits" | "concurrency" | "giveUpAfterMs")
  | ("maxCalls" | "maxUsd" | "cache" | "deadlineSeconds")
>;

/** What stands around a run's models, and who hears of their calls. */
export interface Watch {
  readonly clock: Clock;
  /** Fires when no new call may start. */
  readonly stop: AbortController;
  /** The environment, which may name addresses of servers. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** One finished call. `cached`: nothing was sent for it. */
  onCall(cached: boolean): void;
  onReply(reply: ModelReply): void;
  /** A try failed and another follows. */
  onRetry(error: Error): void;
  /** Caps that other processes keep, too. */
  readonly sharedPurse?: SharedPurse | undefined;
  /** When an account may be sent a call, where other processes send to it, too. */
  readonly pace?: SharedPace | undefined;
  /** Absent: calls go out one by one. */
  readonly batching?: Batching | undefined;
  /** Hears of long waits, one line each. */
  tell(line: string): void;
}

/** What the models of a run share. */
interface Common {
  readonly caps: Pick<ModelSettings, "maxCalls" | "maxUsd">;
  readonly purse: Purse;
  readonly prices: Prices;
  readonly paces: Paces;
  readonly random: Random;
}

/** A provider's model in all its wrappers; `batches`: its calls go there. */
type Open = (provider: Model, batches?: Batching["batches"]) => Model;

/** Wraps the models of a run, so that `watch` hears of every call. */
export function opener(settings: ModelSettings, answers: Answers, watch: Watch, common: Common): Open {
  const turns = openTurns();
  const layersOf = layersFor(settings, answers, watch, common);
  return (provider, batches) => {
    const layers = layersOf(provider, batches);
    const inner = layered(batches?.of(provider) ?? provider, layers, (server) => gated(server, watch.stop));
    const { id, capabilities, simulated } = inner;
    const calm = simulated || batches !== undefined ? inner : oneATurn(inner, turns);
    return {
      id,
      capabilities,
      simulated,
      async complete(request, signal) {
        const reply = await calm.complete(request, signal);
        watch.onReply(reply);
        return reply;
      },
    };
  };
}

function layersFor(
  settings: ModelSettings,
  answers: Answers,
  watch: Watch,
  { caps: { maxCalls, maxUsd }, purse, prices, paces, random }: Common,
): (provider: Model, batches: Batching["batches"] | undefined) => LayerSettings {
  const { clock, stop, pace, sharedPurse } = watch;
  const tries = new Tries(answers.log, clock);
  const { "model.effort": effort } = readOptions(modelOptions, settings.set);
  const { deadlineSeconds: seconds } = settings;
  const tellWait = waitTeller(watch);
  const down = new Set<string>(); // models whose servers do not reply, as was told
  return (provider, batches) => {
    const price = (usage: Usage): number | undefined =>
      prices.ofCall(provider.id, batches === undefined ? usage : { ...usage, batch: true });
    return {
      cache: batches === undefined ? settings.cache : "off", // no wave waits for another
      paces: batches === undefined ? paces : undefined,
      pace,
      store: repliesOf(answers, { model: provider.id, price, tookMs: (key) => tries.tookMs(key), stop: stop.signal }),
      clock: { ...clock, sleep: (ms, signal) => clock.sleep(ms, AbortSignal.any([signal, stop.signal])) },
      random,
      budget: {
        ...(maxCalls === undefined ? {} : { maxCalls }),
        ...(maxUsd === undefined ? {} : { maxUsd }),
        price,
        purse,
        ...(sharedPurse === undefined ? {} : { sharedPurse }),
        stop: stop.signal,
        ...(provider.simulated ? {} : { log: tries.log(batches !== undefined) }),
      },
      retry:
        batches === undefined
          ? { deadlineMs: seconds === undefined ? usualDeadlineMs(provider.capabilities, effort) : seconds * 1000 }
          : BATCH_RETRY,
      observe: ({ cached: isCached, failed }) => {
        if (failed) return;
        if (!isCached) down.delete(provider.id);
        watch.onCall(isCached);
      },
      onRetry: (event) => {
        watch.onRetry(event.error);
        if (!event.isDown) return tellWait(longWait(provider.id, event), event.waitMs);
        if (down.has(provider.id) || event.waitMs < TOLD_DOWN_MS) return;
        down.add(provider.id);
        watch.tell(`${event.error.message}; calls wait until it replies again, at most --give-up-after`);
      },
    };
  };
}

/** A server that rests for so long is told to be down. */
const TOLD_DOWN_MS = 4_000;

/** Calls that wait together are told of once. */
function waitTeller({ clock, tell }: Watch): (line: string | undefined, waitMs: number) => void {
  let toldUntil = 0;
  return (line, waitMs) => {
    if (line === undefined || clock.monotonic() < toldUntil) return;
    toldUntil = clock.monotonic() + waitMs;
    tell(line);
  };
}

/** Of requests in batches: what came to nothing goes with the next wave, without a wait or a deadline of its own. */
const BATCH_RETRY = {
  attempts: 3,
  baseDelayMs: 0,
  startTimer: () => () => undefined,
} as const satisfies LayerSettings["retry"];
