import type { Money } from "../log/state.js";
import { pricesAt } from "../models/prices.js";
import { longWaitMessage } from "../net/retry.js";
import type { Io } from "../plan/io.js";
import { serverSettings } from "../plan/options.js";
import type { Plan } from "../plan/types.js";
import { seeded } from "../random/seeded.js";
import type { Clock, Model, ModelReply, Usage } from "../types/index.js";
import type { Answers } from "./answers.js";
import type { Batching } from "./batch/batching.js";
import { Budget, type SharedBudget, Tries } from "./caps.js";
import { layered, type RetryEvent } from "./layers.js";
import type { Once } from "./once.js";
import { Servers, type SharedPace } from "./servers.js";
import type { Stops } from "./stops.js";
import { isFromStore, openTurns } from "./store.js";

/** The models of a run in all their layers, and what their calls come to. */
export interface Calls {
  readonly models: ReadonlyMap<string, Model>;
  /** The same, where nothing may wait for a batch. */
  readonly direct: ReadonlyMap<string, Model>;
  /** Undefined where calls go out one by one. */
  readonly batching: Batching | undefined;
  readonly budget: Budget;
  readonly servers: Pick<Servers, "waiting">;
  /** Returns what this process's replies were billed at, and what its tries without one may have cost; undefined where no price is known. */
  spent(): Spent | undefined;
  /** Returns how many questions are worth having in work at once for the model of this id. */
  widthOf(id: string): number;
}

/** US dollars. `isPart`: without models of unknown price. */
export interface Spent {
  readonly usd: number;
  readonly unknownBilledUpToUsd: number;
  readonly isPart: boolean;
}

/** Who hears of calls, and what other processes share with this one. */
interface Watch {
  onReply?(reply: ModelReply): void;
  /** A reply that was bought equals an earlier draw, and came too fast to have been computed. */
  onCachedDraw?(): void;
  /** A try failed and another follows. */
  onRetry?(error: Error): void;
  readonly batching?: Batching | undefined;
  readonly sharedBudget?: SharedBudget;
  readonly pace?: SharedPace;
}

/** What the calls of a run need of its world. */
export interface CallWorld {
  /** The providers' models, bare. */
  readonly models: readonly Model[];
  readonly plan: Plan;
  readonly stops: Stops;
  readonly io: Io;
}

/**
 * Opens the models of a run, by id. They share one store and the caps, and those of one endpoint its slots and limits, so that several
 * backbones press on no server harder than one.
 */
export function openCalls({ models, plan, stops, io }: CallWorld, once: Once<Answers>, watch: Watch = {}): Calls {
  const { concurrency, giveUpAfterMs, endpoints, baseUrl } = plan.servers;
  const { batching } = watch;
  const server = serverSettings(plan.options);
  const random = seeded(`${plan.seed}/jitter`);
  const prices = pricesAt(io.clock.now(), plan.prices, endpoints);
  const stop = stops.stop.signal;
  const budget = new Budget(plan.caps, spentBefore(once.book.log.state.money), stop);
  const { clock } = io;
  const servers = new Servers({
    ...{ concurrency, giveUpAfterMs, endpoints, baseUrl, env: io.env, own: server.limits },
    ...{ clock, random, stop },
  });
  const tries = new Tries(once.book.log, clock);
  const inTurns = openTurns();
  const waits = waitTeller(io);

  function opened(bare: Model, batches?: Batching["batches"]): Model {
    const inBatches = batches !== undefined;
    const price = (usage: Usage): number | undefined =>
      prices.ofCall(bare.id, inBatches ? { ...usage, batch: true } : usage);
    const model = layered(batches?.of(bare) ?? bare, {
      servers: inBatches ? undefined : servers,
      shared: watch.pace,
      replies: { once, price, tries, stop, onCachedDraw: watch.onCachedDraw },
      caps: { budget, shared: watch.sharedBudget, price, tries: bare.simulated ? undefined : tries, stop },
      clock: stoppable(clock, stop),
      ...{ random, stop: stops.stop },
      ...(inBatches ? IN_BATCHES : { cache: server.cache, deadlineMs: server.deadlineSeconds * 1000 }),
      onRetry(event) {
        watch.onRetry?.(event.error);
        waits.retried(bare.id, event);
      },
    });
    const { id, capabilities, simulated } = model;
    const { complete } = simulated || inBatches ? model : inTurns(model);
    return {
      ...{ id, capabilities, simulated },
      async complete(request, signal) {
        const reply = await complete(request, signal);
        if (!isFromStore(reply)) waits.replied(id);
        watch.onReply?.(reply);
        return reply;
      },
    };
  }

  const direct = new Map(models.map((model) => [model.id, opened(model)]));
  const priced = models.filter(({ id }) => prices.ofCall(id, { in: 1, out: 1 }) !== undefined).length;
  return {
    models: batching === undefined ? direct : new Map(models.map((one) => [one.id, opened(one, batching.batches)])),
    ...{ direct, batching, budget, servers },
    spent() {
      const [usd, unknownBilledUpToUsd] = [
        budget.usd - budget.before.usd,
        budget.unknownBilledUpToUsd - budget.before.unknownBilledUpToUsd,
      ];
      return priced === 0 && usd === 0
        ? undefined
        : { usd, unknownBilledUpToUsd, isPart: priced > 0 && priced < models.length };
    },
    widthOf: (id) => servers.widthOf(models.find((model) => model.id === id)!), // arms are planned over these
  };
}

/** Caps hold for the whole run: what earlier, interrupted processes sent counts too. */
const spentBefore = ({ tries, replies, usd, unknownBilledUpToUsd }: Money) => ({
  calls: Math.max(tries, replies), // the embedded model's tries are not logged
  ...{ usd, unknownBilledUpToUsd },
});

/** Nobody sleeps past a stop. */
const stoppable = (clock: Clock, stop: AbortSignal): Clock => ({
  ...clock,
  sleep: (ms, signal) => clock.sleep(ms, AbortSignal.any([signal, stop])),
});

/** Says why calls wait: of those that wait together once, of a server that is down once until it replies. */
function waitTeller({ clock, tell }: Io) {
  const down = new Set<string>();
  let toldUntil = 0;
  return {
    replied: (model: string): unknown => down.delete(model),
    retried(model: string, event: RetryEvent): void {
      const { isDown, waitMs, error } = event;
      if (isDown && waitMs >= TOLD_DOWN_MS && !down.has(model)) {
        down.add(model);
        tell(`${error.message}; calls wait until it replies again, at most --give-up-after`);
      }
      if (error.late) tell(`${error.message}; the next try of this call may take twice as long`);
      const line = isDown || clock.monotonic() < toldUntil ? undefined : longWaitMessage(model, event);
      if (line === undefined) return;
      toldUntil = clock.monotonic() + waitMs;
      tell(line);
    },
  };
}

/** A server that rests for so long is told to be down. */
const TOLD_DOWN_MS = 4_000;

/**
 * Of requests in batches: what came to nothing goes with the next batch, without a wait or a deadline of its own, and no batch waits for
 * another.
 */
const IN_BATCHES = {
  cache: "off",
  policy: { tries: 3, firstWaitMs: 0 },
  startTimer: () => () => undefined,
} as const;
