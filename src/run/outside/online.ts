import { protocolOf } from "../../agent/loop.js";
import { probeToolCalls } from "../../agent/probe.js";
import { BudgetError, ModelError } from "../../errors.js";
import type { Money } from "../../log/state.js";
import { pricesAt } from "../../models/prices.js";
import { longWaitMessage } from "../../net/retry.js";
import { seeded } from "../../random/seeded.js";
import { readOptions } from "../../registry/options.js";
import type { Clock, Model, ModelReply, ModelRequest, Usage } from "../../types/index.js";
import { modelOptions, runOptions, serverSettings } from "../plan/options.js";
import type { Arm } from "../plan/types.js";
import { Interrupted } from "../stops.js";
import type { World } from "../world.js";
import { type Answers, repliesOf } from "./answers.js";
import type { Batching } from "./batching.js";
import { Budget, type SharedBudget, Tries } from "./caps.js";
import { layered, type RetryEvent } from "./layers.js";
import { Servers, type SharedPace } from "./servers.js";
import { isFromStore, openTurns } from "./store.js";
import { usualDeadlineMs } from "./wire.js";

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
  readonly uncertainUsd: number;
  readonly isPart: boolean;
}

/** Who hears of calls, and what other processes share with this one. */
interface Watch {
  onReply?(reply: ModelReply): void;
  /** A try failed and another follows. */
  onRetry?(error: Error): void;
  readonly batching?: Batching | undefined;
  readonly sharedBudget?: SharedBudget;
  readonly pace?: SharedPace;
}

type CallWorld = Pick<World, "models" | "plan" | "stops" | "io">;

/**
 * Opens the models of a run, by id. They share one store and the caps, and those of one endpoint its slots and limits, so that several
 * backbones press on no server harder than one.
 */
export function openCalls({ models, plan, stops, io }: CallWorld, answers: Answers, watch: Watch = {}): Calls {
  const { concurrency, giveUpAfterMs, endpoints, baseUrl } = plan;
  const { batching } = watch;
  const server = serverSettings(plan.set);
  const random = seeded(`${plan.seed}/jitter`);
  const prices = pricesAt(io.clock.now(), plan.prices, endpoints);
  const stop = stops.stop.signal;
  const budget = new Budget(plan, spentBefore(answers.log.state.money), stop);
  const { clock } = io;
  const servers = new Servers({
    ...{ concurrency, giveUpAfterMs, endpoints, baseUrl, env: io.env, own: server.limits },
    ...{ clock, random, stop },
  });
  const tries = new Tries(answers.log, clock);
  const inTurns = openTurns();
  const waits = waitTeller(io);
  const { "model.effort": effort } = readOptions(modelOptions, plan.set);

  function opened(bare: Model, batches?: Batching["batches"]): Model {
    const inBatches = batches !== undefined;
    const price = (usage: Usage): number | undefined =>
      prices.ofCall(bare.id, inBatches ? { ...usage, batch: true } : usage);
    const deadlineMs = (server.deadlineSeconds ?? usualDeadlineMs(bare.capabilities, effort) / 1000) * 1000;
    const model = layered(batches?.of(bare) ?? bare, {
      servers: inBatches ? undefined : servers,
      shared: watch.pace,
      store: repliesOf(answers, bare.id, { price, tries, stop }),
      caps: { budget, shared: watch.sharedBudget, price, tries: bare.simulated ? undefined : tries, stop },
      clock: stoppable(clock, stop),
      ...{ random, stop: stops.stop },
      ...(inBatches ? IN_BATCHES : { cache: server.cache, deadlineMs }),
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
      const [usd, uncertainUsd] = [budget.usd - budget.before.usd, budget.uncertainUsd - budget.before.uncertainUsd];
      return priced === 0 && usd === 0
        ? undefined
        : { usd, uncertainUsd, isPart: priced > 0 && priced < models.length };
    },
    widthOf: (id) => servers.widthOf(models.find((model) => model.id === id)!), // arms are planned over these
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
function waitTeller({ clock, tell }: World["io"]) {
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
 * Of requests in batches: what came to nothing goes with the next wave, without a wait or a deadline of its own, and no wave waits for
 * another.
 */
const IN_BATCHES = {
  cache: "off",
  policy: { tries: 3, firstWaitMs: 0 },
  startTimer: () => () => undefined,
} as const;

/**
 * Asks each model whose arms run agents once for a tool call: servers of open models take tools and ignore them. Returns why a call
 * could not be made (caps, Ctrl-C, a server that is down); throws UsageError where there are no tool calls. `onProbed` is told what
 * was spent.
 */
export async function checkToolCalls(
  arms: readonly Arm[],
  { direct }: Pick<Calls, "direct">,
  { stop, kill }: World["stops"],
  onProbed: (model: string, reply: ModelReply) => void = () => undefined,
): Promise<unknown> {
  for (const [id, model] of direct) {
    const calling = arms.find((arm) => arm.spec.model === id && arm.loaded.units.length > 0 && callsTools(arm, model));
    if (calling === undefined) continue;
    try {
      onProbed(id, await probe(calling, model, kill));
    } catch (error) {
      if (kill.aborted) return stop.signal.reason;
      if (error instanceof ModelError && error.scope === "model") continue; // its own arms end with it
      if (error instanceof ModelError || error instanceof BudgetError || error instanceof Interrupted) return error;
      throw error;
    }
  }
  return undefined;
}

function probe({ spec }: Arm, model: Model, signal: AbortSignal): Promise<ModelReply> {
  const { temperature } = readOptions(runOptions, spec.options);
  const effort = spec.options["model.effort"];
  const sent = {
    sample: 0,
    ...(temperature === undefined || !model.capabilities.temperature ? {} : { temperature }),
    ...(typeof effort === "string" && effort !== modelOptions["model.effort"].default ? { effort } : {}),
  } as const;
  return probeToolCalls(model.id, (asked) => askPastStored(model, { maxTokens: 1024, ...sent, ...asked }, signal));
}

/** Asks with the next sample number where a stored reply has no tool call: the server may have been started otherwise since. */
async function askPastStored(model: Model, request: ModelRequest, signal: AbortSignal): Promise<ModelReply> {
  const reply = await model.complete(request, signal);
  if (!isFromStore(reply) || reply.toolCalls.length > 0) return reply;
  return askPastStored(model, { ...request, sample: request.sample + 1 }, signal);
}

/** `agent.protocol` is an option of every method that runs agents. The embedded model is known to do tool calls. */
function callsTools({ method, options }: Arm, model: Model): boolean {
  if (model.simulated || !model.capabilities.tools || method.needs?.(options).agent !== true) return false;
  const asked = (options as Readonly<Record<string, unknown>>)["agent.protocol"];
  const protocol = asked === "native" || asked === "text-react" ? asked : "auto";
  return protocolOf({ "agent.protocol": protocol }, model) === "native";
}
