import type { Money } from "../../../log/state.js";
import { pricesAt } from "../../../models/prices.js";
import { openPurse, type Purse } from "../../../models/wrap/budgeted.js";
import { seeded } from "../../../random/seeded.js";
import type { Answers } from "../../../run/outside/answers.js";
import type { SeenRate, Waiting } from "../../../run/outside/pace.js";
import { Paces } from "../../../run/outside/paces.js";
import type { Model } from "../../../types/index.js";
import { type ModelSettings, opener, type Watch } from "./watched.js";

export interface RunModels {
  readonly byId: ReadonlyMap<string, Model>;
  /** The same, where nothing may wait for a batch. */
  readonly direct: ReadonlyMap<string, Model>;
  /** Billable tries of this process, those in flight included. */
  sent(): number;
  /** Tries of this process that brought no reply. */
  readonly ends: Readonly<Purse["ends"]>;
  /** Tries that are out now. */
  inFlight(): number;
  /** How much of the caps is used, by this process and earlier ones, from 0 to 1; undefined where there is none. */
  used(): number | undefined;
  /** US dollars that this process's replies were billed at, and what its tries without one may have cost; undefined where no price is known. */
  spent(): (Pick<Purse, "usd" | "uncertainUsd"> & { readonly isPart: boolean }) | undefined;
  /** Calls that wait for their start now, those that wait longest first. */
  waiting(): readonly Waiting[];
  /** What was learned of the servers' limits. */
  seen(): readonly SeenRate[];
  /** How many questions are worth having in work at once for the model of this id. */
  widthOf(id: string): number;
}

/**
 * The models of a run in all their wrappers, by id. They share one response store and the caps, and those of one
 * endpoint its slots and limits, so that several backbones cost no more, and press on no server harder, than one.
 */
export function openRunModels(
  providers: readonly Model[],
  settings: ModelSettings,
  answers: Answers,
  watch: Watch,
): RunModels {
  const { clock, stop, batching } = watch;
  const { maxCalls, maxUsd } = settings;
  const random = seeded(`${settings.seed}/jitter`);
  const prices = pricesAt(clock.now(), settings.prices, settings.endpoints);
  const purse = openPurse(spentBefore(answers.log.state.money));
  const before = { ...purse };
  const priced = providers.filter(({ id }) => prices.ofCall(id, { in: 1, out: 1 }) !== undefined).length;
  const paces = new Paces({
    ...settings,
    env: watch.env,
    own: settings.limits,
    clock,
    random,
    stop: stop.signal,
  });
  const open = opener(settings, answers, watch, { caps: { maxCalls, maxUsd }, purse, prices, paces, random });
  const direct = new Map(providers.map((provider) => [provider.id, open(provider)]));
  const byId =
    batching === undefined
      ? direct
      : new Map(providers.map((provider) => [provider.id, open(provider, batching.batches)]));
  return {
    byId,
    direct,
    sent: () => purse.calls - before.calls,
    ends: purse.ends,
    inFlight: () => purse.inFlight,
    used() {
      const { maxCalls: calls = Infinity, maxUsd: usd = Infinity } = settings;
      return calls === Infinity && usd === Infinity ? undefined : Math.max(purse.calls / calls, purse.usd / usd);
    },
    spent: () =>
      priced > 0 || purse.usd > before.usd
        ? {
            usd: purse.usd - before.usd,
            uncertainUsd: purse.uncertainUsd - before.uncertainUsd,
            isPart: priced > 0 && priced < providers.length,
          }
        : undefined,
    waiting: () => paces.waiting(),
    seen: () => paces.seen(),
    widthOf: (id) => paces.widthOf(providers.find((provider) => provider.id === id)!), // arms are planned over these
  };
}

/** Caps hold for the whole run: what earlier, interrupted processes sent counts too. */
const spentBefore = ({ tries, replies, usd, uncertainUsd }: Money) => ({
  calls: Math.max(tries, replies), // the embedded model's tries are not logged
  usd,
  uncertainUsd,
});
