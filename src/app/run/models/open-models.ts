import { UsageError } from "../../../errors.js";
import { endpointOf } from "../../../models/endpoints.js";
import { openModel } from "../../../models/index.js";
import { pricesAt } from "../../../models/prices.js";
import { unpriced } from "../../../models/wrap/budgeted.js";
import { withoutUrlSecrets } from "../../../net/url.js";
import { modelKnob, modelRoles, serverKnob } from "../../../registry/further-models.js";
import { readOptions } from "../../../registry/options.js";
import type { Io } from "../../../run/io.js";
import type { RunPlan } from "../../../run/manifest.js";
import { noModel } from "../../../run/plan/exec-options.js";
import { modelOptions, recordedApi } from "../../../run/plan/model-options.js";
import { namesIn } from "../../../text/names.js";
import type { Method, Model, OptionValue } from "../../../types/index.js";
import type { RunSettings } from "../config/resolve-settings.js";
import { demoModel } from "../settings.js";

/** What of a run's settings names its models and their servers. */
export type NamedModels = Pick<
  RunSettings,
  ("models" | "catalogue" | "baseUrl" | "endpoints" | "concurrency" | "cache" | "set") | ("prices" | "maxUsd")
>;

interface Look {
  /** Nothing will be sent. */
  readonly dryRun: boolean;
  /** The cells of the cassette, or of the run that is taken up, whose wire stays what it was. */
  readonly recorded?: RunPlan["cells"] | undefined;
}

/**
 * The bare models of a run, at least one. Throws UsageError on a name, key or price that is missing, and where embedded and
 * real models would stand side by side. Programs alone need no model: without `--model` they get one that answers nothing.
 */
export async function openModels(
  settings: NamedModels,
  chosen: readonly Method[],
  io: Io,
  look: Look,
): Promise<readonly Model[]> {
  const { models: names, baseUrl, endpoints } = settings;
  if (names.length === 0 && chosen.every(({ callsElsewhere }) => callsElsewhere === true)) {
    const [imported] = chosen.flatMap((method) => method.imported ?? []);
    return [imported === undefined ? noModel : { ...noModel, id: "imported", simulated: imported.simulated }];
  }
  refuseSharedServer(
    names.filter((name) => endpointOf(endpoints, name) === undefined),
    baseUrl,
  );
  const opened: Model[] = [];
  for (const name of names.length === 0 ? [demoModel] : names)
    opened.push(await openAt(name, baseUrl, settings, io, look));
  refuseMixed(opened);
  for (const model of opened) refuseUnpriced(model, settings, io);
  return opened;
}

/**
 * The models that options name besides those that answer, `opened`: each once. Throws UsageError as for these, and where one id
 * would stand for two servers.
 */
export async function openFurtherModels(
  variants: readonly Readonly<Record<string, OptionValue>>[],
  opened: readonly Model[],
  settings: NamedModels,
  io: Io,
  look: Look,
): Promise<readonly Model[]> {
  const servers = new Map(opened.map(({ id }) => [id, serverOf(id, "", opened, settings)]));
  const found: Model[] = [];
  for (const given of variants)
    for (const role of modelRoles) {
      const id = String(given[modelKnob(role)] ?? "");
      if (id === "") continue;
      const server = serverOf(id, String(given[serverKnob(role)] ?? ""), opened, settings);
      if (servers.has(id) && servers.get(id) !== server)
        throw new UsageError(
          `${serverKnob(role)}=${server}: ${id} is asked at another server in this run; make a run for each`,
        );
      if (servers.has(id)) continue;
      servers.set(id, server);
      const bare = await openAt(id, server, settings, io, look);
      const isOwn = server !== undefined && server !== settings.baseUrl;
      const model = isOwn ? { ...bare, address: server } : bare;
      refuseUnpriced(model, settings, io);
      found.push(model);
    }
  refuseMixed([...opened, ...found]);
  return found;
}

/** Sockets to a server: as many as calls may be in flight. */
const MOST_CONNECTIONS = 64;

const providerOf = (id: string): string => id.slice(0, id.indexOf("/"));

/** The server that a model is asked at; undefined: its provider's own. */
function serverOf(id: string, address: string, opened: readonly Model[], { baseUrl }: NamedModels): string | undefined {
  if (address !== "") return address;
  return opened.some((model) => providerOf(model.id) === providerOf(id)) ? baseUrl : undefined;
}

function openAt(
  id: string,
  baseUrl: string | undefined,
  { concurrency = MOST_CONNECTIONS, catalogue, endpoints, cache, set }: NamedModels,
  io: Io,
  { dryRun, recorded }: Look,
): Promise<Model> {
  const { "openai.api": asked, "model.omit": left } = readOptions(modelOptions, set);
  const omit = namesIn(left);
  const api: "auto" | "chat" | "responses" = asked === "auto" ? (recordedApi(recorded, id) ?? "auto") : asked;
  const server = baseUrl === undefined ? {} : { baseUrl };
  const told = { env: io.env, concurrency, sendsNothing: dryRun, omit, cache, api, ...server };
  return openModel(id, told, catalogue.providers, endpoints);
}

/** Throws UsageError where models of two providers would be asked at the one --base-url. */
function refuseSharedServer(names: readonly string[], baseUrl: string | undefined): void {
  const makers = new Set(names.map(providerOf));
  if (baseUrl !== undefined && makers.size > 1)
    throw new UsageError(
      `--base-url ${withoutUrlSecrets(baseUrl)}: the models are of several providers (${[...makers].join(", ")}); make a run for each`,
    );
}

function refuseMixed(models: readonly Model[]): void {
  const [simulated, real] = [models.find((model) => model.simulated), models.find((model) => !model.simulated)];
  if (simulated !== undefined && real !== undefined)
    throw new UsageError(
      `--model ${simulated.id},${real.id}: numbers of the embedded model are SIMULATED and never stand beside real ones; make a run for each`,
    );
}

/** Throws UsageError where a cap in dollars meets a model without a price, before the run has a folder. */
function refuseUnpriced({ id }: Model, settings: NamedModels, io: Io): void {
  const { prices, endpoints, maxUsd } = settings;
  if (maxUsd !== undefined && pricesAt(io.clock.now(), prices, endpoints).ofCall(id, { in: 1, out: 1 }) === undefined)
    throw unpriced(id, maxUsd);
}
