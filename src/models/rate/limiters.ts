import { withDeadline } from "../../net/deadline.js";
import { withoutUrlSecrets } from "../../net/url.js";
import type { Clock, Model, Random } from "../../types/index.js";
import { type Endpoint, type Endpoints, endpointOf } from "../endpoints.js";
import { providers } from "../index.js";
import type { CountingRules } from "../wrap/rated.js";
import { Limiter, openRoom, type Room, type Waiting } from "./limiter.js";
import type { OwnLimits, Seen } from "./server-slots.js";
import type { Account } from "./shared-pace.js";

interface LimitersSettings {
  readonly endpoints: Endpoints;
  /** `--base-url`, of models that no endpoint names. */
  readonly baseUrl?: string | undefined;
  /** May name the usual addresses of providers. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** `--concurrency`; undefined: by the kind of server. */
  readonly concurrency?: number | undefined;
  /** `server.rpm`, `server.itpm`, `server.otpm`: where the endpoint says nothing of its own. */
  readonly own?: OwnLimits;
  /** `--give-up-after`; undefined: as the limiter does. */
  readonly giveUpAfterMs?: number | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly stop?: AbortSignal;
}

/** Default of `--concurrency`; fewer are used where the server refuses more. */
const MOST_IN_FLIGHT = 64;
/** The same at a server of this machine, and for the embedded model. */
const MOST_IN_FLIGHT_NEAR = 8;

/** A busy server may not tell its slots at once; then it gets the default. */
const SLOTS_TIMEOUT_MS = 2_000;

/** What a run learned of the limits of one account at one endpoint. */
export interface SeenRates {
  readonly name: string;
  readonly servers: readonly Seen[];
}

/** The limiters of a run: one for each endpoint, account and class of models. */
export class Limiters {
  readonly #settings: LimitersSettings;
  readonly #rooms = new Map<string, Room>();
  readonly #limiters = new Map<string, Limiter>();
  /** What servers said of themselves, by room. */
  readonly #slots = new Map<string, number>();

  constructor(settings: LimitersSettings) {
    this.#settings = settings;
  }

  /** The limiter that the model's calls go through: the same for all models of its class at its endpoint. */
  of(model: Model): Limiter {
    const { name, endpoint, servers, modelId } = this.#endpointOf(model);
    const key = [...servers.map((server) => server.key), classOf(name, modelId)].join(" ");
    const known = this.#limiters.get(key);
    if (known !== undefined) return known;
    const { own: _, ...settings } = this.#settings;
    const opened = new Limiter({
      ...settings,
      name: model.id,
      servers: servers.map((server) => {
        const room = this.#room(server.key, this.#cap(model, server, endpoint));
        const address = server.address && withoutUrlSecrets(server.address);
        return { room, address, slots: model.simulated ? room.cap : 1 }; // nothing is sent to anybody
      }),
      own: this.#ownOf(endpoint),
    });
    this.#limiters.set(key, opened);
    return opened;
  }

  /** The accounts that the model's calls count against, one for each of its servers. */
  accountsOf(model: Model): Account[] {
    const { name, endpoint, servers, modelId } = this.#endpointOf(model);
    const own = this.#ownOf(endpoint);
    return servers.map(({ key }) => ({ name: `${withoutUrlSecrets(key)} ${classOf(name, modelId)}`, own }));
  }

  /** How many questions to work on at once for a model. */
  widthOf(model: Model): number {
    const { endpoint, servers } = this.#endpointOf(model);
    return servers.reduce((sum, server) => sum + this.#cap(model, server, endpoint), 0);
  }

  /** Asks servers of this machine how many calls they work on at once, unless a setting says so. */
  async readSlots(model: Model, signal: AbortSignal): Promise<void> {
    for (const one of [model]) {
      const { endpoint, servers } = this.#endpointOf(one);
      const [{ key, address } = { key: "", address: undefined }] = servers;
      const isSet = (endpoint?.concurrency ?? this.#settings.concurrency) !== undefined;
      if (one.slots === undefined || isSet || !isNear(address)) continue;
      const asked = withDeadline(one.slots, signal, { ms: SLOTS_TIMEOUT_MS, error: () => new Error("no slots told") });
      const slots = await asked.catch(() => undefined);
      if (slots === undefined) continue;
      this.#slots.set(key, slots);
      this.#room(key, slots).cap = slots;
    }
  }

  /** How the provider behind the model counts tokens against its limits. */
  rulesOf(model: Model): CountingRules {
    const { name, modelId } = this.#endpointOf(model);
    const { outputAsWritten = false, cacheReadsFree = false } = providers.find(name)?.limits ?? {};
    return { outputAsWritten, cacheReadsFree, modelId };
  }

  /** Queued calls by limiter, the longest wait first. */
  waiting(): readonly Waiting[] {
    const all = [...this.#limiters.values()].flatMap((one) => one.waiting() ?? []);
    return all.sort((a, b) => b.oldestMs - a.oldestMs);
  }

  seen(): readonly SeenRates[] {
    return [...this.#limiters.values()].map((one) => ({ name: one.name, servers: one.seen() }));
  }

  #endpointOf({ id, address: own }: Model) {
    const slash = id.indexOf("/");
    const name = id.slice(0, slash);
    const endpoint = endpointOf(this.#settings.endpoints, id);
    const provider = endpoint?.provider ?? name;
    const usual = endpoint === undefined ? this.#settings.baseUrl : endpoint.baseUrl;
    const baseUrl = own ?? usual ?? this.#settings.env?.[providers.find(provider)?.addressVariable ?? ""];
    const keyless = endpoint?.baseUrl === undefined ? "" : "keyless";
    const account = endpoint?.keyEnv ?? keyless;
    const servers: readonly Server[] = [{ key: `${provider} ${baseUrl ?? ""} ${account}`, address: baseUrl }];
    return { name: provider, modelId: id.slice(slash + 1), endpoint, servers };
  }

  #ownOf(endpoint: Endpoint | undefined): OwnLimits {
    const { own = {} } = this.#settings;
    return {
      requests: endpoint?.rpm ?? own.requests,
      input: endpoint?.itpm ?? own.input,
      output: endpoint?.otpm ?? own.output,
    };
  }

  #room(key: string, cap: number): Room {
    const room = this.#rooms.get(key) ?? openRoom(cap);
    this.#rooms.set(key, room);
    return room;
  }

  #cap({ simulated }: Model, { key, address }: Server, endpoint: Endpoint | undefined): number {
    const asked = endpoint?.concurrency ?? this.#settings.concurrency;
    return asked ?? this.#slots.get(key) ?? usualWidth(address, simulated);
  }
}

interface Server {
  /** Provider, address and account. */
  readonly key: string;
  readonly address: string | undefined;
}

/** Default of `--concurrency` at a server. */
export const usualWidth = (address: string | undefined, simulated: boolean): number =>
  simulated || isNear(address) ? MOST_IN_FLIGHT_NEAR : MOST_IN_FLIGHT;

/** An id with a date is of the class of the model without. */
function classOf(provider: string, modelId: string): string {
  return (
    providers.find(provider)?.limits?.pooled?.exec(modelId)?.[0] ?? modelId.replace(/-(\d{8}|\d{4}-\d{2}-\d{2})$/, "")
  );
}

/** A server of this machine: how many calls it takes is up to its own hardware. */
function isNear(address: string | undefined): boolean {
  if (address === undefined || !URL.canParse(address)) return false;
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0)$/.test(new URL(address).hostname);
}
