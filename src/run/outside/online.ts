import type { Money } from "../../log/state.js";
import { pricesAt } from "../../models/prices.js";
import { gated } from "../../models/wrap/adapted.js";
import { openPurse, type Purse, type SharedPurse } from "../../models/wrap/budgeted.js";
import { oneATurn, openTurns } from "../../models/wrap/cached.js";
import { longWait } from "../../net/retry.js";
import { seeded } from "../../random/seeded.js";
import { readOptions } from "../../registry/options.js";
import type { Clock, Model, ModelReply, Usage } from "../../types/index.js";
import { modelOptions, serverSettings } from "../plan/options.js";
import type { World } from "../world.js";
import { type Answers, repliesOf } from "./answers.js";
import type { Batching } from "./batching.js";
import { type LayerSettings, layered, usualDeadlineMs } from "./layers.js";
import type { SeenRate, Waiting } from "./pace.js";
import type { SharedPace } from "./paced.js";
import { Paces } from "./paces.js";
import { Tries } from "./tries.js";

/** The models of a run in all their layers, and what their calls come to. */
export interface Calls {
  readonly models: ReadonlyMap<string, Model>;
  /** The same, where nothing may wait for a batch. */
  readonly direct: ReadonlyMap<string, Model>;
  /** Undefined where calls go out one by one. */
  readonly batching: Batching | undefined;
  /** Billable tries of this process, those in flight included. */
  sent(): number;
  /** Tries of this process that brought no reply. */
  readonly ends: Readonly<Purse["ends"]>;
  /** Tries that are out now. */
  inFlight(): number;
  /** What this process's replies were billed at, and what its tries without one may have cost; undefined where no price is known. */
  spent(): Spent | undefined;
  /** Calls that wait for their start now, those that wait longest first. */
  waiting(): readonly Waiting[];
  /** What was learned of the servers' limits. */
  seen(): readonly SeenRate[];
  /** How many questions are worth having in work at once for the model of this id. */
  widthOf(id: string): number;
}

/** US dollars. `isPart`: without models of unknown price. */
export interface Spent extends Pick<Purse, "usd" | "uncertainUsd"> {
  readonly isPart: boolean;
}

/** Who hears of calls, and what other processes share with this one. */
interface Watch {
  /** `fromStore`: nothing was sent for it. */
  onReply?(reply: ModelReply): void;
  onCall?(fromStore: boolean): void;
  /** A try failed and another follows. */
  onRetry?(error: Error): void;
  readonly batching?: Batching | undefined;
  readonly sharedPurse?: SharedPurse;
  readonly pace?: SharedPace;
}

type CallWorld = Pick<World, "models" | "plan" | "stops" | "io">;

/**
 * Opens the models of a run, by id. They share one store and the caps, and those of one endpoint its slots and limits, so that several
 * backbones press on no server harder than one.
 */
export function openCalls({ models, plan, stops, io }: CallWorld, answers: Answers, watch: Watch = {}): Calls {
  const { maxCalls, maxUsd, concurrency, giveUpAfterMs, endpoints, baseUrl } = plan;
  const { batching } = watch;
  const server = serverSettings(plan.set);
  const random = seeded(`${plan.seed}/jitter`);
  const prices = pricesAt(io.clock.now(), plan.prices, endpoints);
  const purse = openPurse(spentBefore(answers.log.state.money));
  const before = { ...purse };
  const priced = models.filter(({ id }) => prices.ofCall(id, { in: 1, out: 1 }) !== undefined).length;
  const paces = new Paces({
    ...{ concurrency, giveUpAfterMs, endpoints, baseUrl, env: io.env, own: server.limits },
    ...{ clock: io.clock, random, stop: stops.stop.signal },
  });
  const tries = new Tries(answers.log, io.clock);
  const turns = openTurns();
  const tellRetry = retryTeller(io);
  const { "model.effort": effort } = readOptions(modelOptions, plan.set);

  function layersOf(model: Model, inBatches: boolean): LayerSettings {
    const price = (usage: Usage): number | undefined =>
      prices.ofCall(model.id, inBatches ? { ...usage, batch: true } : usage);
    const deadlineMs =
      server.deadlineSeconds === undefined
        ? usualDeadlineMs(model.capabilities, effort)
        : server.deadlineSeconds * 1000;
    return {
      cache: inBatches ? "off" : server.cache, // no wave waits for another
      paces: inBatches ? undefined : paces,
      pace: watch.pace,
      store: repliesOf(answers, {
        ...{ model: model.id, price, tookMs: (key) => tries.tookMs(key), stop: stops.stop.signal },
      }),
      clock: stoppable(io.clock, stops.stop.signal),
      random,
      budget: {
        ...(maxCalls === undefined ? {} : { maxCalls }),
        ...(maxUsd === undefined ? {} : { maxUsd }),
        ...(watch.sharedPurse === undefined ? {} : { sharedPurse: watch.sharedPurse }),
        ...(model.simulated ? {} : { log: tries.log(inBatches) }),
        ...{ price, purse, stop: stops.stop.signal },
      },
      retry: inBatches ? BATCH_RETRY : { deadlineMs },
      observe({ cached: fromStore, failed }) {
        if (failed) return;
        if (!fromStore) tellRetry.replied(model.id);
        watch.onCall?.(fromStore);
      },
      onRetry(event) {
        watch.onRetry?.(event.error);
        tellRetry.retried(model.id, event);
      },
    };
  }

  function opened(model: Model, batches?: Batching["batches"]): Model {
    const inBatches = batches !== undefined;
    const inner = layered(batches?.of(model) ?? model, layersOf(model, inBatches), (one) => gated(one, stops.stop));
    const { id, capabilities, simulated } = inner;
    const calm = simulated || inBatches ? inner : oneATurn(inner, turns);
    return {
      ...{ id, capabilities, simulated },
      async complete(request, signal) {
        const reply = await calm.complete(request, signal);
        watch.onReply?.(reply);
        return reply;
      },
    };
  }

  const direct = new Map(models.map((model) => [model.id, opened(model)]));
  return {
    models: batching === undefined ? direct : new Map(models.map((one) => [one.id, opened(one, batching.batches)])),
    direct,
    batching,
    sent: () => purse.calls - before.calls,
    ends: purse.ends,
    inFlight: () => purse.inFlight,
    spent() {
      if (priced === 0 && purse.usd === before.usd) return undefined;
      return {
        usd: purse.usd - before.usd,
        uncertainUsd: purse.uncertainUsd - before.uncertainUsd,
        isPart: priced > 0 && priced < models.length,
      };
    },
    waiting: () => paces.waiting(),
    seen: () => paces.seen(),
    widthOf: (id) => paces.widthOf(models.find((model) => model.id === id)!), // arms are planned over these
  };
}

/** Caps hold for the whole run: what earlier, interrupted processes sent counts too. */
const spentBefore = ({ tries, replies, usd, uncertainUsd }: Money) => ({
  calls: Math.max(tries, replies), // the embedded model's tries are not logged
  ...{ usd, uncertainUsd },
});

/** Nobody sleeps past a stop. */
const stoppable = (clock: Clock, stop: AbortSignal): Clock => ({
  ...clock,
  sleep: (ms, signal) => clock.sleep(ms, AbortSignal.any([signal, stop])),
});

/** Says why calls wait: of those that wait together once, of a server that is down once until it replies. */
function retryTeller({ clock, tell }: World["io"]) {
  const down = new Set<string>();
  let toldUntil = 0;
  return {
    replied: (model: string): unknown => down.delete(model),
    retried(model: string, event: Parameters<NonNullable<LayerSettings["onRetry"]>>[0]): void {
      const { isDown, waitMs, error } = event;
      const line = isDown
        ? `${error.message}; calls wait until it replies again, at most --give-up-after`
        : longWait(model, event);
      const isTold = isDown ? down.has(model) || waitMs < TOLD_DOWN_MS : clock.monotonic() < toldUntil;
      if (line === undefined || isTold) return;
      if (isDown) down.add(model);
      else toldUntil = clock.monotonic() + waitMs;
      tell(line);
    },
  };
}

/** A server that rests for so long is told to be down. */
const TOLD_DOWN_MS = 4_000;

/** Of requests in batches: what came to nothing goes with the next wave, without a wait or a deadline of its own. */
const BATCH_RETRY = {
  attempts: 3,
  baseDelayMs: 0,
  startTimer: () => () => undefined,
} as const satisfies LayerSettings["retry"];
