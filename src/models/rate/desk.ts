import type { Clock, Model, Random } from "../../types.js";
import { addressesOf, type Endpoint, type Endpoints } from "../endpoints.js";
import { type ControllerSettings, openRoom, RateController, type Room, type Waiting } from "./controller.js";
import type { CountingRules } from "./cost.js";
import type { OwnLimits, Seen } from "./lane-state.js";

interface DeskSettings {
  readonly endpoints: Endpoints;
  /** `--base-url`, of models that no endpoint names. */
  readonly baseUrl?: string | undefined;
  /** May name the usual addresses of providers. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** `--concurrency`; undefined: by the kind of server. */
  readonly concurrency?: number | undefined;
  /** `--rpm`, `--itpm`, `--otpm`: where the endpoint says nothing of its own. */
  readonly own?: OwnLimits;
  readonly giveUpAfterMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly stop?: AbortSignal;
}

/** Most calls in flight where nobody says: what is really used is found while running. */
const MOST_IN_FLIGHT = 64;
/** The same at a server of this machine, and for the embedded model. */
const MOST_IN_FLIGHT_NEAR = 8;

/** A busy server may not tell at once; then it is taken as usual. */
const SLOTS_TIMEOUT_MS = 2_000;

/** What a run learned of one account at one endpoint. */
export interface SeenRates {
  readonly name: string;
  readonly servers: readonly Seen[];
}

/** The rate controllers of a run: one for each endpoint, account and class of models. */
export class RateDesk {
  readonly #settings: DeskSettings;
  readonly #rooms = new Map<string, Room>();
  readonly #controllers = new Map<string, RateController>();
  /** What servers said of themselves, by room. */
  readonly #slots = new Map<string, number>();

  constructor(settings: DeskSettings) {
    this.#settings = settings;
  }

  /** The controller that the model's calls go through: the same for all models of its class at its endpoint. */
  controllerOf(model: Model): RateController {
    const { name, endpoint, addresses, account, modelId } = this.#endpointOf(model);
    const key = [...addresses, account, classOf(name, modelId)].join(" ");
    const known = this.#controllers.get(key);
    if (known !== undefined) return known;
    const { clock, random, giveUpAfterMs, stop } = this.#settings;
    const settings: ControllerSettings = {
      name: model.id,
      servers: addresses.map((address) => ({
        room: this.#room(`${address} ${account}`, this.#cap(model, `${address} ${account}`, endpoint)),
      })),
      own: this.#own(endpoint),
      clock,
      random,
      giveUpAfterMs,
      ...(stop === undefined ? {} : { stop }),
      unpaced: model.simulated,
    };
    const opened = new RateController(settings);
    this.#controllers.set(key, opened);
    return opened;
  }

  /** How many questions are worth having in work at once for a model. */
  widthOf(model: Model): number {
    const { endpoint, addresses, account } = this.#endpointOf(model);
    return addresses.reduce((sum, address) => sum + this.#cap(model, `${address} ${account}`, endpoint), 0);
  }

  /** Asks servers of this machine how many calls they work on at once, where nobody says; those that do not tell keep the usual number. */
  async readSlots(model: Model, signal: AbortSignal): Promise<void> {
    for (const server of model.servers ?? [model]) {
      const { endpoint, addresses, account } = this.#endpointOf(server);
      const [address = ""] = addresses;
      const isAsked = (endpoint?.concurrency ?? this.#settings.concurrency) !== undefined;
      if (server.slots === undefined || isAsked || !isNear(address.slice(address.indexOf(" ") + 1))) continue;
      const slots = await server.slots(AbortSignal.any([signal, AbortSignal.timeout(SLOTS_TIMEOUT_MS)]));
      if (slots === undefined) continue;
      this.#slots.set(`${address} ${account}`, slots);
      this.#room(`${address} ${account}`, slots).cap = slots;
    }
  }

  /** How the provider behind the model counts tokens against its limits. */
  rulesOf(model: Model): CountingRules {
    const { name, modelId } = this.#endpointOf(model);
    const { outputAsWritten = false, cacheReadsFree = false } = customs[name] ?? {};
    return { outputAsWritten, cacheReadsFree, modelId };
  }

  /** The calls that wait, by controller; those that wait longest first. */
  waiting(): readonly Waiting[] {
    const all = [...this.#controllers.values()].flatMap((one) => one.waiting() ?? []);
    return all.sort((a, b) => b.oldestMs - a.oldestMs);
  }

  seen(): readonly SeenRates[] {
    return [...this.#controllers.values()].map((one) => ({ name: one.name, servers: one.seen() }));
  }

  #endpointOf(model: Model) {
    const slash = model.id.indexOf("/");
    const name = model.id.slice(0, slash);
    const endpoint = this.#settings.endpoints[name];
    const provider = endpoint?.provider ?? name;
    const usual = endpoint === undefined ? this.#settings.baseUrl : endpoint.baseUrl;
    const baseUrl = model.address ?? usual ?? this.#usual(provider);
    const addresses = addressesOf(baseUrl === undefined ? {} : { baseUrl }).map(
      (address) => `${provider} ${address ?? ""}`,
    );
    const account =
      endpoint === undefined ? "" : (endpoint.keyEnv ?? (endpoint.baseUrl === undefined ? "" : "keyless"));
    return { name: provider, modelId: model.id.slice(slash + 1), endpoint, addresses, account };
  }

  /** The address that the environment names for a provider. */
  #usual(provider: string): string | undefined {
    const variable = customs[provider]?.addressVariable;
    return variable === undefined ? undefined : this.#settings.env?.[variable];
  }

  #room(key: string, cap: number): Room {
    const known = this.#rooms.get(key);
    if (known !== undefined) return known;
    const room = openRoom(cap);
    this.#rooms.set(key, room);
    return room;
  }

  #cap({ simulated }: Model, room: string, endpoint: Endpoint | undefined): number {
    const asked = endpoint?.concurrency ?? this.#settings.concurrency;
    return asked ?? this.#slots.get(room) ?? usualWidth(room.split(" ")[1], simulated);
  }

  #own(endpoint: Endpoint | undefined): OwnLimits {
    const { own = {} } = this.#settings;
    const requests = endpoint?.rpm ?? own.requests;
    const input = endpoint?.itpm ?? own.input;
    const output = endpoint?.otpm ?? own.output;
    return {
      ...(requests === undefined ? {} : { requests }),
      ...(input === undefined ? {} : { input }),
      ...(output === undefined ? {} : { output }),
    };
  }
}

/** Most calls in flight at a server where nobody says. */
export const usualWidth = (address: string | undefined, simulated: boolean): number =>
  simulated || isNear(address ?? "") ? MOST_IN_FLIGHT_NEAR : MOST_IN_FLIGHT;

/** What is particular about a provider's limits. */
interface Customs {
  /** The variable that may name its address. */
  readonly addressVariable?: string;
  readonly outputAsWritten?: boolean;
  readonly cacheReadsFree?: boolean;
  /** Models whose ids begin alike so share one class. */
  readonly pooled?: RegExp;
}

const customs: Readonly<Record<string, Customs>> = {
  anthropic: {
    addressVariable: "ANTHROPIC_BASE_URL",
    outputAsWritten: true,
    cacheReadsFree: true,
    pooled: /^claude-(opus|sonnet|haiku)-4\b/,
  },
  openai: { addressVariable: "OPENAI_BASE_URL" },
};

/** An id with a date is of the class of the model without. */
function classOf(provider: string, modelId: string): string {
  return customs[provider]?.pooled?.exec(modelId)?.[0] ?? modelId.replace(/-(\d{8}|\d{4}-\d{2}-\d{2})$/, "");
}

/** A server of this machine: how many calls it takes is up to its own hardware. */
function isNear(address: string): boolean {
  if (!URL.canParse(address)) return false;
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0)$/.test(new URL(address).hostname);
}
