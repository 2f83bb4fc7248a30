import { type Endpoint, type Endpoints, endpointOf } from "../models/endpoints.js";
import { providers } from "../models/index.js";
import { outputLimit, TokenGauge } from "../models/tokens.js";
import { withoutUrlSecrets } from "../net/secrets.js";
import type { Waiting } from "../plan/io.js";
import type { Model, ModelReply, ModelRequest, Provider } from "../types/index.js";
import { AccountLimit, type Cost, type OwnLimits } from "./limits/account-limit.js";
import { type QueueSettings, ServerQueue } from "./limits/server-queue.js";

interface ServersSettings extends Omit<QueueSettings, "name" | "concurrency"> {
  readonly endpoints: Endpoints;
  /** `--base-url`, of models that no endpoint names. */
  readonly baseUrl?: string | undefined;
  /** May name the usual addresses of providers. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** `--concurrency`; undefined: by the kind of server. */
  readonly concurrency?: number | undefined;
  /** `server.rpm`, `server.itpm`, `server.otpm`: where the endpoint says nothing of its own. */
  readonly own?: OwnLimits;
}

/** An account at one server, as the processes that send to it know it. */
interface Account {
  readonly name: string;
  readonly own: OwnLimits;
}

/** When calls of an account may start, agreed upon by all processes that send to it. */
export interface SharedPace {
  /** Ends when the call may start. */
  start(account: Account, cost: Cost, signal: AbortSignal): Promise<void>;
  /** The server asked everybody to wait. */
  hold(account: Account, ms: number): void;
}

/** The servers of a run's models: one queue for each server and account, one limit for each class of models there. */
export class Servers {
  readonly settings: ServersSettings;
  readonly #queues = new Map<string, ServerQueue>();
  readonly #limits = new Map<string, AccountLimit>();

  constructor(settings: ServersSettings) {
    this.settings = settings;
  }

  /** Returns what the model's calls go through. */
  of(model: Model) {
    const { key, address, provider, endpoint } = this.#serverOf(model);
    const { own: usual = {}, ...settings } = this.settings;
    const own = {
      requests: endpoint?.rpm ?? usual.requests,
      input: endpoint?.itpm ?? usual.input,
      output: endpoint?.otpm ?? usual.output,
    };
    const { limits } = providers.find(provider) ?? {};
    const modelId = model.id.slice(model.id.indexOf("/") + 1);
    const limitClass = limits?.pooled?.exec(modelId)?.[0] ?? modelId.replace(/-(\d{8}|\d{4}-\d{2}-\d{2})$/, ""); // versions by date share the limits of their model
    const name = withoutUrlSecrets(address ?? model.id);
    const concurrency = this.widthOf(model);
    const queue = this.#queues.get(key) ?? new ServerQueue({ ...settings, name, concurrency });
    this.#queues.set(key, queue);
    const window = model.simulated ? concurrency : 1; // the embedded model has no limit to be learned
    const limitKey = `${key} ${limitClass}`;
    const limit = this.#limits.get(limitKey) ?? new AccountLimit(own, window, settings.clock.monotonic());
    this.#limits.set(limitKey, limit);
    const account: Account = { name: withoutUrlSecrets(limitKey), own };
    const isOwn = !model.simulated && isThisMachine(address);
    return { queue, limit, account, isOwn, cost: costOf(model, limits) };
  }

  /** Returns how many calls to have in flight for a model at most. */
  widthOf(model: Model): number {
    const { address, endpoint } = this.#serverOf(model);
    return endpoint?.concurrency ?? this.settings.concurrency ?? usualWidth(address, model.simulated);
  }

  /** Calls that wait by server, the longest wait first. */
  waiting(): readonly Waiting[] {
    return [...this.#queues.values()].flatMap((queue) => queue.waiting() ?? []).sort((a, b) => b.oldestMs - a.oldestMs);
  }

  #serverOf({ id, address: own }: Model) {
    const { endpoints, baseUrl, env } = this.settings;
    const endpoint: Endpoint | undefined = endpointOf(endpoints, id);
    const provider = endpoint?.provider ?? id.slice(0, id.indexOf("/"));
    const usual = endpoint === undefined ? baseUrl : endpoint.baseUrl;
    const address = own ?? usual ?? env?.[providers.find(provider)?.addressVariable ?? ""];
    const account = endpoint?.keyEnv ?? (endpoint?.baseUrl === undefined ? "" : "keyless");
    return { key: `${provider} ${address ?? ""} ${account}`, address, provider, endpoint };
  }
}

/** Default of `--concurrency` at a server: fewer where it is this machine, whose own hardware decides. */
export const usualWidth = (address: string | undefined, simulated: boolean): number =>
  simulated || isThisMachine(address) ? 8 : 64;

function isThisMachine(address: string | undefined): boolean {
  const host = address !== undefined && URL.canParse(address) ? new URL(address).hostname : "";
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0)$/.test(host);
}

type CountingRules = Partial<Pick<NonNullable<Provider["limits"]>, "outputAsWritten" | "cacheReadsFree">>;

/** Estimates what calls of a model use up of the limits, and learns from their replies. */
export function costOf({ id, capabilities }: Pick<Model, "id" | "capabilities">, rules: CountingRules = {}) {
  const { outputAsWritten = false, cacheReadsFree = false } = rules;
  const gauge = new TokenGauge(id, 1);
  let usualOutput = Infinity;
  let cachedShare = 0;
  return {
    of(request: ModelRequest): Cost {
      const input = Math.ceil(gauge.tokensToReserve(request) * (1 - cachedShare));
      const output = Math.min(outputLimit(capabilities, request), usualOutput);
      return { requests: 1, input, output, tokens: input + output };
    },
    /** Returns what a call really took, where the provider tells; the next estimates follow it. */
    learn(request: ModelRequest, { usage }: ModelReply): Partial<Cost> {
      if (usage.estimated === true || usage.in <= 0) return {};
      gauge.add(request, usage);
      const free = cacheReadsFree ? (usage.cacheRead ?? 0) : 0;
      cachedShare = smoothed(cachedShare, free / usage.in);
      const input = usage.in - free;
      if (!outputAsWritten) return { requests: 1, input }; // what was reserved stays so until a header tells
      usualOutput = usualOutput === Infinity ? usage.out : smoothed(usualOutput, usage.out);
      return { requests: 1, input, output: usage.out, tokens: input + usage.out };
    },
  };
}

const smoothed = (before: number, now: number): number => before * 0.9 + now * 0.1;
