import { type Prices, pricesAt } from "../../../models/prices.js";
import type { Waiting } from "../../../models/rate/controller.js";
import { RateDesk, type SeenRates } from "../../../models/rate/desk.js";
import { adapted } from "../../../models/wrap/adapted.js";
import { openPurse, type Purse } from "../../../models/wrap/budgeted.js";
import { cached, requestKey } from "../../../models/wrap/cached.js";
import { gated } from "../../../models/wrap/gated.js";
import { type LayerSettings, layered } from "../../../models/wrap/layered.js";
import { oneATurn, openTurns } from "../../../models/wrap/one-a-turn.js";
import { usualDeadlineMs } from "../../../models/wrap/timed.js";
import { readOptions } from "../../../options.js";
import { seeded } from "../../../random/seeded.js";
import { longWait } from "../../../retry/retry.js";
import { modelOptions } from "../../../run/plan/model-options.js";
import type { Attempts } from "../../../run/purse/attempts.js";
import type { PurseCaps } from "../../../run/purse/purse-book.js";
import type { PurseFile } from "../../../run/purse/purse-file.js";
import type { ResponseStore } from "../../../run/stores/response-store.js";
import type { Clock, Model, ModelReply } from "../../../types.js";
import type { RunSettings } from "../config/settings.js";
import type { Handed } from "../shared.js";
import type { Batching } from "./batching.js";

interface Watch {
  readonly clock: Clock;
  /** Absent: tries are not written down, because none reaches anybody. */
  readonly attempts: Attempts | undefined;
  /** Fires when no new call may start. */
  readonly stop: AbortController;
  /** The environment, which may name addresses of servers. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** One finished call. `cached`: nothing was sent for it. */
  onCall(cached: boolean): void;
  onReply(reply: ModelReply): void;
  onRetry(): void;
  /** The purse that other processes share: its caps stand in the place of the run's own. */
  readonly sharedPurse?: PurseFile | undefined;
  /** Absent: calls go out one by one. */
  readonly batching?: Batching | undefined;
  /** What a shard is handed. Absent: the run buys what its users share. */
  readonly handed?: Handed | undefined;
  /** Hears of long waits, one line each. */
  tell(line: string): void;
}

/** The models of a run, and what their calls came to. */
export interface RunModels {
  readonly byId: ReadonlyMap<string, Model>;
  /** The same, where nothing may wait for a batch. */
  readonly direct: ReadonlyMap<string, Model>;
  /** Each server of a model by itself, its one or its several; calls start at once. */
  serversOf(id: string): readonly Model[];
  /** In a shard, what answers for all users: stored and handed replies alone. */
  readonly shared: ReadonlyMap<string, Model>;
  /** Billable tries of this process, those in flight included. */
  sent(): number;
  /** Tries of this process that brought no reply. */
  readonly ends: Readonly<Purse["ends"]>;
  /** Tries that are out now. */
  inFlight(): number;
  /** US dollars that this process has spent; undefined where no price is known. */
  spentUsd(): number | undefined;
  /** Calls that wait for their start now, those that wait longest first. */
  waiting(): readonly Waiting[];
  /** What was learned of the servers' limits. */
  seen(): readonly SeenRates[];
  /** Asks servers of this machine how many calls they work on at once, without cost. */
  readSlots(signal: AbortSignal): Promise<void>;
  /** How many questions are worth having in work at once for the model of this id. */
  widthOf(id: string): number;
}

/**
 * The models of a run in all their wrappers, by id. They share one response store and the caps, and those of one
 * endpoint its slots and limits, so that several backbones cost no more, and press on no server harder, than one.
 */
export function openRunModels(
  providers: readonly Model[],
  settings: RunSettings,
  store: ResponseStore,
  watch: Watch,
): RunModels {
  const { unsupported } = settings;
  const { "model.effort": effort } = readOptions(modelOptions, settings.set);
  const { clock, stop, attempts, sharedPurse, batching } = watch;
  const { maxCalls, maxUsd }: PurseCaps = sharedPurse === undefined ? settings : {};
  const random = seeded(`${settings.seed}/jitter`);
  const prices = pricesAt(clock.now(), settings.prices);
  const capped = maxCalls !== undefined || maxUsd !== undefined;
  const purse = openPurse(capped ? spentBefore(store, watch, providers, prices) : undefined);
  const { calls: callsBefore, usd: usdBefore } = purse;
  const isPriced = providers.some(({ id }) => prices.ofCall(id, { in: 1, out: 1 }) !== undefined);
  const desk = new RateDesk({ ...settings, env: watch.env, own: settings.limits, clock, random, stop: stop.signal });
  const turns = openTurns();
  let toldUntil = 0;
  /** Calls that wait together are told of once. */
  const tellWait = (line: string | undefined, waitMs: number): void => {
    if (line === undefined || clock.monotonic() < toldUntil) return;
    toldUntil = clock.monotonic() + waitMs;
    watch.tell(line);
  };
  const open = (provider: Model, batches?: Batching["batches"], paced = batches === undefined): Model => {
    const layers: LayerSettings = {
      unsupported,
      cache: batches === undefined ? settings.cache : "off", // no wave waits for another
      desk: paced ? desk : undefined,
      stop,
      store: attempts === undefined ? store : closing(attempts, store),
      clock: { ...clock, sleep: (ms, signal) => clock.sleep(ms, AbortSignal.any([signal, stop.signal])) },
      random,
      budget: {
        ...(maxCalls === undefined ? {} : { maxCalls }),
        ...(maxUsd === undefined ? {} : { maxUsd }),
        price: (usage) => prices.ofCall(provider.id, batches === undefined ? usage : { ...usage, batch: true }),
        purse,
        ...(sharedPurse === undefined ? {} : { sharedPurse }),
        stop: stop.signal,
        ...(attempts === undefined || provider.simulated
          ? {}
          : { log: batches === undefined ? attempts : attempts.ofBatches }),
      },
      retry:
        batches === undefined
          ? { deadlineMs: settings.deadlineMs ?? usualDeadlineMs(provider.capabilities, effort) }
          : BATCH_RETRY,
      observe: ({ cached, failed }) => {
        if (!failed) watch.onCall(cached);
      },
      onRetry: (event) => {
        watch.onRetry();
        tellWait(longWait(provider.id, event), event.waitMs);
      },
    };
    const inner = layered(batches?.of(provider) ?? provider, layers, (server) => gated(server, stop));
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
  const direct = new Map(providers.map((provider) => [provider.id, open(provider)]));
  const byId =
    batching === undefined
      ? direct
      : new Map(providers.map((provider) => [provider.id, open(provider, batching.batches)]));
  const { handed } = watch;
  const shared = new Map(
    handed === undefined
      ? []
      : providers.map((one) => [one.id, handedModel(one, settings, store, { ...watch, handed })]),
  );
  return {
    byId,
    direct,
    shared,
    serversOf(id) {
      const { servers } = providers.find((provider) => provider.id === id) ?? {};
      return servers?.map((server) => open(server, undefined, false)) ?? [direct.get(id)!]; // asked for what was opened
    },
    sent: () => purse.calls - callsBefore,
    ends: purse.ends,
    inFlight: () => purse.inFlight,
    spentUsd: () => (isPriced || purse.usd > usdBefore ? purse.usd - usdBefore : undefined),
    waiting: () => desk.waiting(),
    seen: () => desk.seen(),
    async readSlots(signal) {
      for (const provider of providers) await desk.readSlots(provider, signal);
    },
    widthOf: (id) => desk.widthOf(providers.find((provider) => provider.id === id)!), // arms are planned over these
  };
}

// --- internal ---

/** Of requests in batches: what came to nothing goes with the next wave, without a wait or a deadline of its own. */
const BATCH_RETRY = {
  attempts: 3,
  baseDelayMs: 0,
  startTimer: () => () => undefined,
} as const satisfies LayerSettings["retry"];

/** The store, that writes down the end of a try once its reply is kept. */
export const closing = (attempts: Pick<Attempts, "answered">, store: ResponseStore): LayerSettings["store"] => ({
  get: (key) => store.get(key),
  put(key, request, reply) {
    store.put(key, request, reply);
    attempts.answered(key);
  },
});

/** Answers from what the shard has and what it is handed, and refuses to buy. */
function handedModel(
  provider: Model,
  { unsupported }: RunSettings,
  store: ResponseStore,
  watch: Watch & { readonly handed: Handed },
): Model {
  const { handed, clock } = watch;
  const refusing: Model = {
    id: provider.id,
    capabilities: provider.capabilities,
    simulated: provider.simulated,
    complete: () => Promise.reject(handed.refusal()),
  };
  const get = (key: string): ModelReply | undefined => {
    const record = store.get(key) === undefined ? handed.reply(key) : undefined;
    if (record !== undefined) store.put(key, record.request, record.reply);
    return store.get(key);
  };
  const put = (): void => undefined; // nothing is bought
  const model = adapted(cached(refusing, { get, put }, { clock }), { policy: unsupported });
  return {
    id: model.id,
    capabilities: model.capabilities,
    simulated: model.simulated,
    async complete(request, signal) {
      const reply = await model.complete(request, signal);
      watch.onCall(true);
      watch.onReply(reply);
      return reply;
    },
  };
}

/**
 * Caps hold for the whole run: what earlier, interrupted processes sent counts too. Folders of versions that wrote no tries
 * down count their stored replies.
 */
function spentBefore(
  store: ResponseStore,
  { attempts, handed }: Watch,
  providers: readonly Model[],
  prices: Prices,
): { calls: number; usd: number } {
  const { billable = 0, unansweredUsd = 0 } = attempts?.before ?? {};
  let [calls, usd] = [billable, unansweredUsd];
  for (const { key, request, reply } of store.records()) {
    if (handed?.has(key) === true) continue;
    if (attempts?.has(key) !== true && reply.usage.in > 0) calls += 1; // 0: it came with another reply
    const asked = providers.length === 1 ? providers[0] : providers.find(({ id }) => requestKey(id, request) === key);
    usd += (asked === undefined ? undefined : prices.ofCall(asked.id, reply.usage)) ?? 0;
  }
  return { calls, usd };
}
