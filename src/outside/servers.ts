import { type Endpoint, type Endpoints, endpointOf } from "../models/endpoints.js";
import { providers } from "../models/index.js";
import { outputLimit, TokenGauge } from "../models/tokens.js";
import { withoutUrlSecrets } from "../net/secrets.js";
import type { Waiting } from "../plan/io.js";
import type { Model, ModelReply, ModelRequest, Provider } from "../types/index.js";
import { AccountLimit, type Cost, type UserLimits } from "./limits/account-limit.js";
import { type QueueSettings, ServerQueue } from "./limits/server-queue.js";

interface ServersSettings extends Omit<QueueSettings, "name" | "concurrency"> {
  readonly endpoints: Endpoints;
  /** `--base-url`: the address of models that no endpoint names. */
  readonly baseUrl?: string | undefined;
  /** Variables that may hold the providers' addresses. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** `--concurrency`. Undefined: `defaultConcurrency`. */
  readonly concurrency?: number | undefined;
  /** `server.rpm`, `server.itpm`, `server.otpm`. Limits of an endpoint come first. */
  readonly userLimits?: UserLimits;
}

/** An account at one server. Processes that share its limits know it by `name`. */
interface Account {
  readonly name: string;
  readonly userLimits: UserLimits;
}

/** Spaces the calls of all processes that send to one account. */
export interface SharedPace {
  /** Resolves when the call may start. */
  start(account: Account, cost: Cost, signal: AbortSignal): Promise<void>;
  /** Delays all starts, because the server asked for it. */
  hold(account: Account, ms: number): void;
}

/** The servers of a run's models: a queue for each server and account, and in it a rate limit for each class of models. */
export class Servers {
  readonly settings: ServersSettings;
  readonly #queues = new Map<string, ServerQueue>();
  readonly #limits = new Map<string, AccountLimit>();

  constructor(settings: ServersSettings) {
    this.settings = settings;
  }

  /** Returns the queue, the rate limit and the cost estimates of a model's calls. */
  of(model: Model) {
    const { settings } = this;
    const { key, address, provider, endpoint } = this.#serverOf(model);
    const userLimits: UserLimits = {
      requests: endpoint?.rpm ?? settings.userLimits?.requests,
      input: endpoint?.itpm ?? settings.userLimits?.input,
      output: endpoint?.otpm ?? settings.userLimits?.output,
    };
    const { limits: rules } = providers.find(provider) ?? {};
    const modelId = model.id.slice(model.id.indexOf("/") + 1);
    const undated = modelId.replace(/-(\d{8}|\d{4}-\d{2}-\d{2})$/, ""); // versions by date share the limits of their model
    const limitKey = `${key} ${rules?.pooled?.exec(modelId)?.[0] ?? undated}`;
    const name = withoutUrlSecrets(address ?? model.id);
    const concurrency = this.widthOf(model);
    const window = model.simulated ? concurrency : 1; // the embedded model has no limit to be learned
    const queue = this.#queues.get(key) ?? new ServerQueue({ ...settings, name, concurrency });
    const limit = this.#limits.get(limitKey) ?? new AccountLimit(userLimits, window, settings.clock.monotonic());
    this.#queues.set(key, queue);
    this.#limits.set(limitKey, limit);
    const account: Account = { name: withoutUrlSecrets(limitKey), userLimits };
    const isLocal = !model.simulated && isThisMachine(address);
    return { queue, limit, account, isLocal, costs: new CallCosts(model, rules) };
  }

  /** Returns the most calls of a model in flight. */
  widthOf(model: Model): number {
    const { address, endpoint } = this.#serverOf(model);
    return endpoint?.concurrency ?? this.settings.concurrency ?? defaultConcurrency(address, model.simulated);
  }

  /** Returns the calls that wait, by server, the longest wait first. */
  waiting(): readonly Waiting[] {
    return [...this.#queues.values()].flatMap((queue) => queue.waiting() ?? []).sort((a, b) => b.oldestMs - a.oldestMs);
  }

  #serverOf({ id, address: modelAddress }: Model) {
    const { endpoints, baseUrl, env } = this.settings;
    const endpoint: Endpoint | undefined = endpointOf(endpoints, id);
    const provider = endpoint?.provider ?? id.slice(0, id.indexOf("/"));
    const given = modelAddress ?? (endpoint === undefined ? baseUrl : endpoint.baseUrl);
    const address = given ?? env?.[providers.find(provider)?.addressVariable ?? ""];
    const account = endpoint?.keyEnv ?? (endpoint?.baseUrl === undefined ? "" : "keyless");
    return { key: `${provider} ${address ?? ""} ${account}`, address, provider, endpoint };
  }
}

/** Returns the default of `--concurrency` for a server: 8 on this machine, which computes the replies itself, else 64. */
export const defaultConcurrency = (address: string | undefined, simulated: boolean): number =>
  simulated || isThisMachine(address) ? 8 : 64;

function isThisMachine(address: string | undefined): boolean {
  const host = address !== undefined && URL.canParse(address) ? new URL(address).hostname : "";
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0)$/.test(host);
}

type CountingRules = Partial<Pick<NonNullable<Provider["limits"]>, "outputAsWritten" | "cacheReadsFree">>;

/** Estimates the tokens by which a model's calls count against a rate limit, and learns from its replies. */
export class CallCosts {
  readonly #model: Pick<Model, "capabilities">;
  readonly #rules: CountingRules;
  readonly #gauge: TokenGauge;
  #usualOutput = Infinity;
  /** Share of the input that does not count, because it is read from the provider's cache. */
  #freeShare = 0;

  constructor(model: Pick<Model, "id" | "capabilities">, rules: CountingRules = {}) {
    this.#model = model;
    this.#rules = rules;
    this.#gauge = new TokenGauge(model.id, 1);
  }

  estimate(request: ModelRequest): Cost {
    const input = Math.ceil(this.#gauge.tokensToReserve(request) * (1 - this.#freeShare));
    const output = Math.min(outputLimit(this.#model.capabilities, request), this.#usualOutput);
    return { requests: 1, input, output, tokens: input + output };
  }

  /** Returns what a call cost, as far as the provider says it. Later estimates follow it. */
  learn(request: ModelRequest, { usage }: ModelReply): Partial<Cost> {
    if (usage.estimated === true || usage.in <= 0) return {};
    this.#gauge.add(request, usage);
    const free = this.#rules.cacheReadsFree === true ? (usage.cacheRead ?? 0) : 0;
    this.#freeShare = smoothed(this.#freeShare, free / usage.in);
    const input = usage.in - free;
    if (this.#rules.outputAsWritten !== true) return { requests: 1, input }; // the reservation of output stays
    this.#usualOutput = this.#usualOutput === Infinity ? usage.out : smoothed(this.#usualOutput, usage.out);
    return { requests: 1, input, output: usage.out, tokens: input + usage.out };
  }
}

/** Returns an exponential moving average. */
const smoothed = (average: number, value: number): number => average * 0.9 + value * 0.1;
