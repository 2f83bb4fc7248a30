import { defaultEmbedder, type EmbedderProvider, embedderProvider, openEmbedder } from "../embedders/index.js";
import { UsageError } from "../errors.js";
import { endpointOf, plannedEndpoints } from "../models/endpoints.js";
import { openModel } from "../models/index.js";
import { pricesAt } from "../models/prices.js";
import { withoutUrlSecrets } from "../net/secrets.js";
import { recordedEmbedder } from "../outside/answers.js";
import { unpriced } from "../outside/caps.js";
import type { Catalogue } from "../plan/catalogue.js";
import type { Io, RunPlanned } from "../plan/io.js";
import { modelOptions, runOptions, serverSettings } from "../plan/options.js";
import { demoModel } from "../plan/settings.js";
import type { Given, Plan } from "../plan/types.js";
import type { Identity, Manifest } from "../record/manifest.js";
import { modelOption, modelRoles } from "../registry/further-models.js";
import { complete, readOptions } from "../registry/options.js";
import { contentId } from "../text/content-id.js";
import { defined } from "../text/json.js";
import { namesIn } from "../text/words.js";
import type { Embedder, Method, Model, OpenaiApi, Registry } from "../types/index.js";

/** The models of a run as their providers offer them, without limits and log. */
interface OpenedModels {
  readonly answering: readonly Model[];
  /** Models of other roles that options name. */
  readonly further: readonly Model[];
}

interface ModelOpening {
  readonly methods: readonly Method[];
  /** The options of every arm. */
  readonly armOptions: readonly Given[];
  /** True if no call will be made: then no key is needed. */
  readonly sendsNothing: boolean;
  /** The arms of the run that is resumed or replayed: their models are asked by the same API. */
  readonly recorded: Identity["arms"] | undefined;
  readonly catalogue: Catalogue;
  readonly io: Pick<Io, "env" | "clock">;
}

/** Stands for the model of a run that has only programs and no `--model`. Any call fails. */
export const noModel: Model = {
  id: "none",
  simulated: false,
  capabilities: { temperature: true, stop: true, tools: false, prefill: false, logprobs: false, thinking: "none" },
  complete: async () => {
    throw new UsageError("the program asks for the run's model and there is none; add --model PROVIDER/ID");
  },
};

/**
 * Opens each model of a run once. `--base-url` holds for the answering models, and for further models of the same providers. Throws
 * UsageError if a key or a needed price is missing, or if embedded and real models are mixed.
 */
export async function openModels(plan: Plan, opening: ModelOpening): Promise<OpenedModels> {
  const { methods, armOptions, sendsNothing, recorded, catalogue, io } = opening;
  const { models: named, servers, options, seed } = plan;
  const { baseUrl, endpoints, concurrency = MAX_CONNECTIONS } = servers;
  refuseManyProviders(named, servers);
  if (named.length === 0 && methods.every(({ callsElsewhere }) => callsElsewhere === true)) {
    const [imported] = methods.flatMap((method) => method.imported ?? []);
    const none = imported === undefined ? noModel : { ...noModel, id: "imported", simulated: imported.simulated };
    return { answering: [none], further: [] };
  }
  const { "openai.api": api, "model.omit": omitted, "model.system": system } = readOptions(modelOptions, options);
  const settings = {
    env: io.env,
    concurrency,
    sendsNothing,
    omit: namesIn(omitted),
    cache: serverSettings(options).cache,
    system,
    seed,
  };
  const openAt = (id: string, server: string | undefined): Promise<Model> => {
    const own = { ...settings, api: api === "auto" ? recordedApi(recorded, id) : api, ...defined({ baseUrl: server }) };
    return openModel(id, own, catalogue.providers, endpoints);
  };
  const answering = await Promise.all((named.length === 0 ? [demoModel] : named).map((id) => openAt(id, baseUrl)));
  const ids = answering.map(({ id }) => id);
  const providers = ids.map(providerOf);
  const roles = armOptions.flatMap((given) => modelRoles.map((role) => String(given[modelOption(role)] ?? "")));
  const others = [...new Set(roles)].filter((id) => id !== "" && !ids.includes(id));
  const further = await Promise.all(
    others.map((id) => openAt(id, providers.includes(providerOf(id)) ? baseUrl : undefined)),
  );
  refuseMixedModels([...answering, ...further]);
  refuseUnpriced([...answering, ...further], plan, io.clock.now());
  return { answering, further };
}

/** Sockets to one server, where no concurrency is set. */
const MAX_CONNECTIONS = 64;

const providerOf = (id: string): string => id.slice(0, id.indexOf("/"));

/** Throws UsageError if `--base-url` would be the server of several providers. */
function refuseManyProviders(models: readonly string[], { baseUrl, endpoints }: Plan["servers"]): void {
  const bare = models.filter((name) => endpointOf(endpoints, name) === undefined);
  const providers = [...new Set(bare.map(providerOf))];
  if (baseUrl !== undefined && providers.length > 1)
    throw new UsageError(
      `--base-url ${withoutUrlSecrets(baseUrl)}: the models are of several providers (${providers.join(", ")}); make a run for each`,
    );
}

function refuseMixedModels(models: readonly Model[]): void {
  const simulated = models.find((model) => model.simulated);
  const real = models.find((model) => !model.simulated);
  if (simulated !== undefined && real !== undefined)
    throw new UsageError(
      `--model ${simulated.id},${real.id}: numbers of the embedded model are SIMULATED and never stand beside real ones; make a run for each`,
    );
}

/** Throws UsageError on a model without a price if a cap in US dollars is set. */
function refuseUnpriced(models: readonly Model[], { prices, servers, caps: { maxUsd } }: Plan, now: number): void {
  const known = pricesAt(now, prices, servers.endpoints);
  const without = models.find(({ id }) => known.ofCall(id, { in: 1, out: 1 }) === undefined);
  if (maxUsd !== undefined && without !== undefined) throw unpriced(without.id, maxUsd);
}

/** Returns the API by which recorded arms asked a model of provider openai. Arms that do not name it used Chat Completions. */
function recordedApi(arms: ModelOpening["recorded"], id: string): OpenaiApi {
  const arm = arms?.find(({ model }) => model === id);
  if (arm === undefined) return "auto";
  return (arm.options["openai.api"] ?? "chat") as OpenaiApi; // a value of that option
}

/** Throws UsageError on arms with different values of an option that holds for a whole run: a model is opened once. */
export function refuseSweptApi(armOptions: readonly Given[], { options }: Plan): void {
  for (const name of ["openai.api", "model.omit", "model.system"]) {
    const other = armOptions.find((given) => given[name] !== options[name]);
    if (other !== undefined)
      throw new UsageError(
        `${name}=${other[name]}: it holds for a whole run; set it with --set, in no sweep and for no single task`,
      );
  }
}

/**
 * Returns API, server and endpoint of each model, by its id; addresses as content ids. Answers of another run are reused only if these
 * are equal.
 */
export function modelAccess(models: readonly Model[], { servers }: Plan): NonNullable<Manifest["models"]> {
  const shortId = (value: unknown): string => contentId(value).slice(0, 12);
  const accessOf = ({ id, settled, address = servers.baseUrl }: Model) => {
    const api = settled?.["openai.api"];
    const endpoint = plannedEndpoints([id], servers.endpoints)?.[providerOf(id)];
    return defined({
      api: api === undefined ? undefined : String(api),
      server: address === undefined ? undefined : shortId(withoutUrlSecrets(address)),
      endpoint: endpoint === undefined ? undefined : shortId(endpoint),
    });
  };
  return Object.fromEntries(models.map((model) => [model.id, accessOf(model)]));
}

/** Returns what answers in a run. */
export function sourceOfAnswers(models: readonly Model[]): RunPlanned["answers"] {
  if (models.every(({ id }) => id === noModel.id)) return "programs";
  return models.every(({ simulated }) => simulated) ? "embedded model" : "model";
}

/** The embedders of a run, each opened once. */
export interface Embedders {
  /** Returns the embedder that an arm's options name. */
  of(options: Given): OpenedEmbedder;
  /** Returns the embedders with each costly one wrapped. */
  wrapped(wrap: (costly: Embedder) => Embedder): Embedders;
  /** The costly ones: name and similarity as in the options, and id. */
  readonly costly: readonly { readonly named: string; readonly similarity: string; readonly id: string }[];
}

interface OpenedEmbedder {
  readonly embedder: Embedder;
  /** True if it makes calls or loads weights: then its vectors are kept in the log. */
  readonly isCostly: boolean;
}

interface EmbedderOpening {
  readonly families: Registry<EmbedderProvider>;
  /** The embedders of a run that is replayed: their vectors come from its log. */
  readonly recorded?: Embedders["costly"] | undefined;
  readonly dryRun?: boolean;
}

/** Opens the embedders that arms name. Throws UsageError on a missing one; in a dry run the embedded one takes its place. */
export async function openEmbedders(
  armOptions: readonly Given[],
  opening: EmbedderOpening,
  io: Io,
): Promise<Embedders> {
  const opened = new Map<string, OpenedEmbedder>();
  const costly: Embedders["costly"][number][] = [];
  for (const given of armOptions) {
    const settings = embedderSettings(given);
    const key = JSON.stringify(settings);
    if (opened.has(key)) continue;
    const { named, similarity } = settings;
    const isCostly = embedderProvider(named, opening.families).costly;
    const embedder = await (isCostly ? openCostly : openPlain)(settings, opening, io);
    opened.set(key, { embedder, isCostly });
    if (isCostly) costly.push({ named, similarity, id: embedder.id });
  }
  return embeddersIn(opened, costly);
}

const embeddersIn = (opened: ReadonlyMap<string, OpenedEmbedder>, costly: Embedders["costly"]): Embedders => ({
  costly,
  of: (options) => opened.get(JSON.stringify(embedderSettings(options)))!, // opened for these options
  wrapped(wrap) {
    const all = [...opened].map(([key, { embedder, isCostly }]): [string, OpenedEmbedder] => [
      key,
      { isCostly, embedder: isCostly ? wrap(embedder) : embedder },
    ]);
    return embeddersIn(new Map(all), costly);
  },
});

interface EmbedderSettings {
  readonly named: string;
  readonly baseUrl: string;
  readonly similarity: "cosine" | "dot";
}

function embedderSettings(given: Given): EmbedderSettings {
  const run = readOptions(runOptions, complete(runOptions, given));
  return { named: run.embedder, baseUrl: run["embedder.baseUrl"], similarity: run["embedder.similarity"] };
}

function openPlain(settings: EmbedderSettings, { families }: EmbedderOpening, io: Io): Promise<Embedder> {
  const { env, clock, cwd, tell } = io;
  const { named, baseUrl, similarity } = settings;
  return openEmbedder(named, { env, clock, cwd, tell, similarity, ...(baseUrl && { baseUrl }) }, families);
}

async function openCostly(settings: EmbedderSettings, opening: EmbedderOpening, io: Io): Promise<Embedder> {
  const { named, similarity } = settings;
  const { recorded, dryRun = false } = opening;
  if (recorded !== undefined) {
    const known = recorded.find((one) => one.named === named && one.similarity === similarity);
    if (known === undefined) throw new UsageError(`the recording has no vectors of embedder ${named}`);
    return recordedEmbedder(known.id);
  }
  try {
    return await openPlain(settings, opening, io);
  } catch (error) {
    if (!dryRun || !(error instanceof UsageError)) throw error;
    io.tell(
      `${error.message}; ${defaultEmbedder} stands for it in this estimate: other items may be retrieved, and prompts be longer or shorter`,
    );
    return { ...(await openEmbedder(defaultEmbedder, { env: {} })), id: named };
  }
}
