import { type Endpoint, type Endpoints, endpointOf } from "../../models/endpoints.js";
import { providers } from "../../models/index.js";
import { withoutUrlSecrets } from "../../net/url.js";
import type { Clock, Model, Random } from "../../types/index.js";
import type { CountingRules } from "./call-cost.js";
import type { OwnLimits } from "./limit.js";
import { Pace, type SeenRate, type Waiting } from "./pace.js";
import type { Account } from "./paced.js";

interface PacesSettings {
  readonly endpoints: Endpoints;
  /** `--base-url`, of models that no endpoint names. */
  readonly baseUrl?: string | undefined;
  /** May name the usual addresses of providers. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** `--concurrency`; undefined: by the kind of server. */
  readonly concurrency?: number | undefined;
  /** `server.rpm`, `server.itpm`, `server.otpm`: where the endpoint says nothing of its own. */
  readonly own?: OwnLimits;
  /** `--give-up-after`. */
  readonly giveUpAfterMs?: number | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly stop?: AbortSignal;
}

/** What one model's calls go through. */
interface OpenPace {
  readonly pace: Pace;
  /** Models of one class share the account's limits. */
  readonly kind: string;
  readonly rules: CountingRules;
  readonly account: Account;
}

/** The paces of a run: one for each server and account. */
export class Paces {
  readonly #settings: PacesSettings;
  readonly #paces = new Map<string, Pace>();

  constructor(settings: PacesSettings) {
    this.#settings = settings;
  }

  /** Undefined: by default. */
  get giveUpAfterMs(): number | undefined {
    return this.#settings.giveUpAfterMs;
  }

  of(model: Model): OpenPace {
    const { key, address, provider, modelId, endpoint } = this.#serverOf(model);
    const { own = {}, ...settings } = this.#settings;
    const limits = {
      requests: endpoint?.rpm ?? own.requests,
      input: endpoint?.itpm ?? own.input,
      output: endpoint?.otpm ?? own.output,
    };
    const kind = classOf(provider, modelId);
    const shown = address === undefined ? undefined : withoutUrlSecrets(address);
    const pace = this.#paces.get(key) ?? new Pace({ ...settings, own: limits, address: shown }, this.widthOf(model));
    this.#paces.set(key, pace);
    pace.open(kind, model.id, model.simulated ? pace.cap : 1); // of the embedded model nobody learns anything
    const rules = providers.find(provider)?.limits ?? {};
    return { pace, kind, rules, account: { name: `${withoutUrlSecrets(key)} ${kind}`, own: limits } };
  }

  /** How many calls to have in flight for a model at most. */
  widthOf(model: Model): number {
    const { address, endpoint } = this.#serverOf(model);
    const asked = endpoint?.concurrency ?? this.#settings.concurrency;
    return asked ?? usualWidth(address, model.simulated);
  }

  /** Calls that wait by server, the longest wait first. */
  waiting(): readonly Waiting[] {
    return [...this.#paces.values()].flatMap((pace) => pace.waiting()).sort((a, b) => b.oldestMs - a.oldestMs);
  }

  seen(): readonly SeenRate[] {
    return [...this.#paces.values()].flatMap((pace) => pace.seen());
  }

  #serverOf({ id, address: own }: Model) {
    const slash = id.indexOf("/");
    const endpoint: Endpoint | undefined = endpointOf(this.#settings.endpoints, id);
    const provider = endpoint?.provider ?? id.slice(0, slash);
    const usual = endpoint === undefined ? this.#settings.baseUrl : endpoint.baseUrl;
    const address = own ?? usual ?? this.#settings.env?.[providers.find(provider)?.addressVariable ?? ""];
    const account = endpoint?.keyEnv ?? (endpoint?.baseUrl === undefined ? "" : "keyless");
    return {
      key: `${provider} ${address ?? ""} ${account}`,
      address,
      provider,
      modelId: id.slice(slash + 1),
      endpoint,
    };
  }
}

/** Default of `--concurrency` at a server. */
export const usualWidth = (address: string | undefined, simulated: boolean): number =>
  simulated || isNear(address) ? MOST_IN_FLIGHT_NEAR : MOST_IN_FLIGHT;

/** An id with a date is of the class of the model without. */
const classOf = (provider: string, modelId: string): string =>
  providers.find(provider)?.limits?.pooled?.exec(modelId)?.[0] ?? modelId.replace(/-(\d{8}|\d{4}-\d{2}-\d{2})$/, "");

/** A server of this machine: how many calls it takes is up to its own hardware. */
function isNear(address: string | undefined): boolean {
  if (address === undefined || !URL.canParse(address)) return false;
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0)$/.test(new URL(address).hostname);
}

/** A server beyond this machine; fewer are used where it refuses more. */
const MOST_IN_FLIGHT = 64;
/** A server of this machine, and the embedded model. */
const MOST_IN_FLIGHT_NEAR = 8;
