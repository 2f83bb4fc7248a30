import type { Money } from "../log/state.js";
import { pricesAt } from "../models/prices.js";
import { longWaitMessage } from "../net/retry.js";
import type { Io } from "../plan/io.js";
import { serverSettings } from "../plan/options.js";
import type { Plan } from "../plan/types.js";
import { seeded } from "../random/seeded.js";
import type { Model, ModelReply, Usage } from "../types/index.js";
import type { AnswerBook } from "./answers.js";
import type { Batching } from "./batch/batching.js";
import { Budget, type SharedBudget, type Spending, Tries } from "./caps.js";
import { layered, type RetryEvent } from "./layers.js";
import type { Once } from "./once.js";
import { Servers, type SharedPace } from "./servers.js";
import type { Stops } from "./stops.js";
import { inSeparateTurns, isFromStore } from "./store.js";

/** The models of a run in all their layers, and the cost of their calls. */
export interface Calls {
  /** By id. Calls wait for batches where the run has them. */
  readonly models: ReadonlyMap<string, Model>;
  /** The same models without batches. */
  readonly direct: ReadonlyMap<string, Model>;
  /** Undefined without `--batch`. */
  readonly batching: Batching | undefined;
  readonly budget: Budget;
  readonly servers: Pick<Servers, "waiting">;
  /** Returns the cost of this process's calls; undefined where no price is known. */
  spent(): RunCost | undefined;
  /** Returns the number of questions to work on at once with this model. */
  widthOf(id: string): number;
}

/** US dollars. `isPart`: models without a known price are not counted. */
export interface RunCost {
  readonly usd: number;
  /** Upper bound of the cost of tries that brought no reply. */
  readonly unknownBilledUpToUsd: number;
  readonly isPart: boolean;
}

/** Callbacks, and the services that several processes of a run share. */
interface CallServices {
  onReply?(reply: ModelReply): void;
  /** Called where a new reply equals an earlier draw and arrived too fast to have been computed. */
  onCachedDraw?(): void;
  /** Called where a try failed and another follows. */
  onRetry?(error: Error): void;
  readonly batching?: Batching | undefined;
  readonly sharedBudget?: SharedBudget;
  readonly pace?: SharedPace;
}

/** The part of a run's world that its calls need. */
export interface CallWorld {
  /** Models as their providers opened them. */
  readonly models: readonly Model[];
  readonly plan: Plan;
  readonly stops: Stops;
  readonly io: Io;
}

/** Opens the models of a run. They share one store and one budget, and those of one server its queue and its rate limits. */
export function openCalls(world: CallWorld, once: Once<AnswerBook>, services: CallServices = {}): Calls {
  const { models, plan, stops, io } = world;
  const { batching, onReply, onRetry, onCachedDraw, sharedBudget, pace } = services;
  const { clock } = io;
  const settings = serverSettings(plan.options);
  const random = seeded(`${plan.seed}/jitter`);
  const prices = pricesAt(clock.now(), plan.prices, plan.servers.endpoints);
  const stop = stops.stop.signal;
  const budget = new Budget(plan.caps, spendingBefore(once.book.log.state.money), stop);
  const servers = new Servers({ ...plan.servers, env: io.env, userLimits: settings.limits, clock, random, stop });
  const tries = new Tries(once.book.log, clock);
  const inTurns = inSeparateTurns();
  const messages = waitMessages(io);

  function opened(bare: Model, batches?: Batching["batches"]): Model {
    const inBatches = batches !== undefined;
    const price = (usage: Usage): number | undefined =>
      prices.ofCall(bare.id, inBatches ? { ...usage, batch: true } : usage);
    const model = layered(batches?.of(bare) ?? bare, {
      servers: inBatches ? undefined : servers,
      pace,
      replies: { once, price, tries, stop, onCachedDraw },
      caps: { budget, shared: sharedBudget, price, tries: bare.simulated ? undefined : tries, stop },
      clock: { ...clock, sleep: (ms, signal) => clock.sleep(ms, AbortSignal.any([signal, stop])) },
      random,
      stop: stops.stop,
      ...(inBatches ? IN_BATCHES : { cache: settings.cache, deadlineMs: settings.deadlineSeconds * 1000 }),
      onRetry(event) {
        onRetry?.(event.error);
        messages.retried(bare.id, event);
      },
    });
    const { id, capabilities, simulated } = model;
    const { complete } = simulated || inBatches ? model : inTurns(model);
    return {
      id,
      capabilities,
      simulated,
      async complete(request, signal) {
        const reply = await complete(request, signal);
        if (!isFromStore(reply)) messages.replied(id);
        onReply?.(reply);
        return reply;
      },
    };
  }

  const direct = new Map(models.map((model) => [model.id, opened(model)]));
  const priced = models.filter(({ id }) => prices.ofCall(id, { in: 1, out: 1 }) !== undefined).length;
  return {
    models: batching === undefined ? direct : new Map(models.map((one) => [one.id, opened(one, batching.batches)])),
    direct,
    batching,
    budget,
    servers,
    spent() {
      const usd = budget.usd - budget.before.usd;
      const unknownBilledUpToUsd = budget.unknownBilledUpToUsd - budget.before.unknownBilledUpToUsd;
      if (priced === 0 && usd === 0) return undefined;
      return { usd, unknownBilledUpToUsd, isPart: priced > 0 && priced < models.length };
    },
    widthOf: (id) => servers.widthOf(models.find((model) => model.id === id)!), // arms are planned over these
  };
}

/** Returns what earlier processes of the run spent: caps hold for the whole run. */
const spendingBefore = ({ tries, replies, usd, unknownBilledUpToUsd }: Money): Spending => ({
  calls: Math.max(tries, replies), // tries of the embedded model are not logged
  usd,
  unknownBilledUpToUsd,
});

/** Prints why calls wait: once for calls that wait together, and once for a server that is down, until it replies. */
function waitMessages({ clock, tell }: Io) {
  const reportedDown = new Set<string>();
  let silentUntilMs = 0;
  return {
    replied: (model: string): unknown => reportedDown.delete(model),
    retried(model: string, event: RetryEvent): void {
      const { isDown, waitMs, error } = event;
      if (isDown && waitMs >= REPORTED_DOWN_MS && !reportedDown.has(model)) {
        reportedDown.add(model);
        tell(`${error.message}; calls wait until it replies again, at most --give-up-after`);
      }
      if (error.late) tell(`${error.message}; the next try of this call may take twice as long`);
      const message = isDown || clock.monotonic() < silentUntilMs ? undefined : longWaitMessage(model, event);
      if (message === undefined) return;
      silentUntilMs = clock.monotonic() + waitMs;
      tell(message);
    },
  };
}

/** Shorter outages are not reported. */
const REPORTED_DOWN_MS = 4_000;

/** Settings of requests in batches: a request that was not answered goes into the next batch at once, and has no deadline. */
const IN_BATCHES = {
  cache: "off",
  policy: { tries: 3, firstWaitMs: 0 },
  startTimer: () => () => undefined,
} as const;
