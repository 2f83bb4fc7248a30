import { UsageError } from "../errors.js";
import { endpointOf, plannedEndpoints } from "../models/endpoints.js";
import { openModel } from "../models/index.js";
import { pricesAt } from "../models/prices.js";
import { withoutUrlSecrets } from "../net/secrets.js";
import { modelKnob, modelRoles, serverKnob } from "../registry/further-models.js";
import { readOptions } from "../registry/options.js";
import { contentId } from "../text/content-id.js";
import { namesIn } from "../text/words.js";
import type { Method, Model } from "../types/index.js";
import type { Catalogue } from "./catalogue.js";
import type { Io } from "./io.js";
import type { Manifest, RunPlan } from "./manifest.js";
import { unpriced } from "./outside/caps.js";
import { modelOptions, noModel, recordedApi, serverSettings } from "./plan/options.js";
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
