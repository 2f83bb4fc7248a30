import { defaultEmbedder, type EmbedderProvider, embedderProvider, openEmbedder } from "../embedders/index.js";
import { UsageError } from "../errors.js";
import { endpointOf, plannedEndpoints } from "../models/endpoints.js";
import { openModel } from "../models/index.js";
import { pricesAt } from "../models/prices.js";
import { withoutUrlSecrets } from "../net/secrets.js";
import { recordedEmbedder } from "../outside/answers.js";
import { unpriced } from "../outside/caps.js";
import type { Catalogue } from "../plan/catalogue.js";
import type { Io } from "../plan/io.js";
import { modelOptions, runOptions, serverSettings } from "../plan/options.js";
import { demoModel } from "../plan/settings.js";
import type { Given, Plan } from "../plan/types.js";
import type { Identity, Manifest } from "../record/manifest.js";
import { modelOption, modelRoles } from "../registry/further-models.js";
import { complete, readOptions } from "../registry/options.js";
import { contentId } from "../text/content-id.js";
import { namesIn } from "../text/words.js";
import type { Embedder, Method, Model, OpenaiApi, Registry } from "../types/index.js";

/** The bare models of a run. */
interface OpenedModels {
  readonly answering: readonly Model[];
  /** Those that options name besides. */
  readonly further: readonly Model[];
}

interface Opening {
  readonly methods: readonly Method[];
  /** The options of all arms. */
  readonly variants: readonly Given[];
  /** Nothing will be sent: no key is demanded. */
  readonly sendsNothing: boolean;
  /** The arms of the run that is taken up or replayed, whose wire stays what it was. */
  readonly recorded: Identity["arms"] | undefined;
  readonly catalogue: Catalogue;
  readonly io: Pick<Io, "env" | "clock">;
}

/** Stands where a run of programs only has no `--model`: nothing is simulated, and nothing may be asked. */
export const noModel: Model = {
  id: "none",
  simulated: false,
  capabilities: { temperature: true, stop: true, tools: false, prefill: false, logprobs: false, thinking: "none" },
  complete: async () => {
    throw new UsageError("the program asks for the run's model and there is none; add --model PROVIDER/ID");
  },
};

/**
 * Opens each model of a run once; a further one of a provider that answers is asked at the same server. Throws UsageError on a name, key
 * or price that is missing, and where embedded and real models would stand side by side. Programs alone need no model.
 */
export async function openModels(plan: Plan, opening: Opening): Promise<OpenedModels> {
  const { methods, variants, io } = opening;
  const { models: named, prices, servers, caps } = plan;
  const { baseUrl, endpoints } = servers;
  const { maxUsd } = caps;
  const makers = new Set(named.filter((name) => endpointOf(endpoints, name) === undefined).map(providerOf));
  if (baseUrl !== undefined && makers.size > 1)
    throw new UsageError(
      `--base-url ${withoutUrlSecrets(baseUrl)}: the models are of several providers (${[...makers].join(", ")}); make a run for each`,
    );
  if (named.length === 0 && methods.every(({ callsElsewhere }) => callsElsewhere === true)) {
    const [imported] = methods.flatMap((method) => method.imported ?? []);
    const alone = imported === undefined ? noModel : { ...noModel, id: "imported", simulated: imported.simulated };
    return { answering: [alone], further: [] };
  }
  const openAll = (ids: readonly string[], server: (id: string) => string | undefined): Promise<Model[]> =>
    Promise.all(ids.map((id) => openAt(id, server(id), plan, opening)));
  const answering = await openAll(named.length === 0 ? [demoModel] : named, () => baseUrl);
  const ids = answering.map(({ id }) => id);
  const asked = variants.flatMap((given) => modelRoles.map((role) => String(given[modelOption(role)] ?? "")));
  const others = [...new Set(asked)].filter((id) => id !== "" && !ids.includes(id));
  const further = await openAll(others, (id) => (ids.map(providerOf).includes(providerOf(id)) ? baseUrl : undefined));
  const all = [...answering, ...further];
  const [simulated, real] = [all.find((model) => model.simulated), all.find((model) => !model.simulated)];
  if (simulated !== undefined && real !== undefined)
    throw new UsageError(
      `--model ${simulated.id},${real.id}: numbers of the embedded model are SIMULATED and never stand beside real ones; make a run for each`,
    );
  const known = pricesAt(io.clock.now(), prices, endpoints);
  const unpricedModel = all.find(({ id }) => known.ofCall(id, { in: 1, out: 1 }) === undefined);
  if (maxUsd !== undefined && unpricedModel !== undefined) throw unpriced(unpricedModel.id, maxUsd);
  return { answering, further };
}

/** Sockets to a server: as many as calls may be in flight. */
const MOST_CONNECTIONS = 64;

const providerOf = (id: string): string => id.slice(0, id.indexOf("/"));

function openAt(
  id: string,
  baseUrl: string | undefined,
  { servers: { concurrency = MOST_CONNECTIONS, endpoints }, options, seed }: Plan,
  { catalogue, io: { env }, sendsNothing, recorded }: Opening,
): Promise<Model> {
  const { "openai.api": asked, "model.omit": left, "model.system": system } = readOptions(modelOptions, options);
  const api = asked === "auto" ? recordedApi(recorded, id) : asked;
  const { cache } = serverSettings(options);
  const wire = { omit: namesIn(left), cache, api, system, seed };
  const settings = { env, concurrency, sendsNothing, ...wire, ...(baseUrl && { baseUrl }) };
  return openModel(id, settings, catalogue.providers, endpoints);
}

/** The wire that a model was asked on in recorded arms, for provider openai. Arms that say nothing are of Chat Completions. */
function recordedApi(arms: Opening["recorded"], id: string): OpenaiApi {
  const arm = arms?.find(({ model }) => model === id);
  const recorded = arm?.options["openai.api"] ?? "chat";
  return arm === undefined ? "auto" : (recorded as OpenaiApi); // an option's own value
}

/** Throws UsageError where the wire differs between arms: a model is opened once. */
export function refuseSweptWire(variants: readonly Given[], { options }: Plan): void {
  for (const name of ["openai.api", "model.omit", "model.system"]) {
    const other = variants.find((given) => given[name] !== options[name]);
    if (other !== undefined)
      throw new UsageError(
        `${name}=${other[name]}: it holds for a whole run; set it with --set, in no sweep and for no single task`,
      );
  }
}

/**
 * Says how each model is asked: answers of a run that asks it at another server, or on another wire, are not those of this one. Addresses
 * stand there by content id.
 */
export const howAsked = (
  models: readonly Model[],
  { servers: { baseUrl, endpoints } }: Plan,
): NonNullable<Manifest["models"]> => {
  const idOf = (value: unknown): string => contentId(value).slice(0, 12);
  const asked = models.map(({ id, settled, address = baseUrl }) => {
    const { "openai.api": api } = settled ?? {};
    const named = plannedEndpoints([id], endpoints)?.[providerOf(id)];
    const how = {
      ...(api === undefined ? {} : { api: String(api) }),
      ...(address === undefined ? {} : { server: idOf(withoutUrlSecrets(address)) }),
      ...(named === undefined ? {} : { endpoint: idOf(named) }),
    };
    return [id, how] as const;
  });
  return Object.fromEntries(asked);
};

/** The embedders of a run, each opened once. */
export interface Embedders {
  /** The one that an arm's options name. */
  of(options: Given): OpenedEmbedder;
  /** Returns these, each costly one made into another. */
  with(make: (costly: Embedder) => Embedder): Embedders;
  /** Ids of the costly ones, by what the options name. */
  readonly costly: readonly { readonly named: string; readonly similarity: string; readonly id: string }[];
}

interface OpenedEmbedder {
  readonly embedder: Embedder;
  /** True where it calls out or loads weights, so that its vectors are kept. */
  readonly isCostly: boolean;
}

interface EmbedderOpening {
  /** Those of a run that is replayed: none is opened. */
  readonly recorded?: Embedders["costly"] | undefined;
  readonly dryRun?: boolean;
}

/**
 * Opens what `variants`, the options of all arms, name, by the families `among` which they are. Throws UsageError on one that is
 * missing; in a dry run the embedded one stands for it.
 */
export async function openEmbedders(
  variants: readonly Given[],
  among: Registry<EmbedderProvider>,
  io: Io,
  opening: EmbedderOpening = {},
): Promise<Embedders> {
  const opened = new Map<string, OpenedEmbedder>();
  const costly: Embedders["costly"][number][] = [];
  for (const given of variants) {
    const settings = settingsOf(given);
    const key = JSON.stringify(settings);
    if (opened.has(key)) continue;
    const { named, similarity } = settings;
    const isCostly = embedderProvider(named, among).costly;
    const embedder = await openOne({ ...settings, isCostly }, among, io, opening);
    opened.set(key, { embedder, isCostly });
    if (isCostly) costly.push({ named, similarity, id: embedder.id });
  }
  return embeddersIn(opened, costly);
}

const embeddersIn = (opened: ReadonlyMap<string, OpenedEmbedder>, costly: Embedders["costly"]): Embedders => ({
  costly,
  of: (options) => opened.get(JSON.stringify(settingsOf(options)))!, // the arms have these options
  with(make) {
    const made = [...opened].map(([key, { embedder, isCostly }]): [string, OpenedEmbedder] => [
      key,
      { isCostly, embedder: isCostly ? make(embedder) : embedder },
    ]);
    return embeddersIn(new Map(made), costly);
  },
});

function settingsOf(given: Given) {
  const run = readOptions(runOptions, complete(runOptions, given));
  return { named: run.embedder, baseUrl: run["embedder.baseUrl"], similarity: run["embedder.similarity"] };
}

async function openOne(
  { named, baseUrl, similarity, isCostly }: ReturnType<typeof settingsOf> & Pick<OpenedEmbedder, "isCostly">,
  among: Registry<EmbedderProvider>,
  { env, clock, cwd, tell }: Io,
  { recorded, dryRun = false }: EmbedderOpening,
): Promise<Embedder> {
  if (isCostly && recorded !== undefined) {
    const known = recorded.find((one) => one.named === named && one.similarity === similarity);
    if (known === undefined) throw new UsageError(`the recording has no vectors of embedder ${named}`);
    return recordedEmbedder(known.id);
  }
  try {
    return await openEmbedder(named, { env, clock, cwd, tell, similarity, ...(baseUrl && { baseUrl }) }, among);
  } catch (error) {
    if (!dryRun || !isCostly || !(error instanceof UsageError)) throw error;
    tell(
      `${error.message}; ${defaultEmbedder} stands for it in this estimate: other items may be retrieved, and prompts be longer or shorter`,
    );
    return { ...(await openEmbedder(defaultEmbedder, { env: {} })), id: named };
  }
}
