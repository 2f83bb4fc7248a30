import * as z from "zod";
import { refuseChangedPlugins } from "../app/plugins/plugins.js";
import { layersIn, portableLayers } from "../run/describe.js";
import { settingsOfLayers } from "../run/plan/plan.js";
import { recallEndpoints } from "../run/outside/servers.js";
import { type Prepared, prepare } from "../run/world.js";
import type { RunConfig } from "../run/plan/settings.js";
import type { StopSignals } from "../run/stops.js";
import { UsageError } from "../errors.js";
import { EXEC } from "../extend/exec/command.js";
import { type Endpoints, endpointOf } from "../models/endpoints.js";
import { withoutUrlSecrets } from "../net/url.js";
import { catalogueOf } from "../run/catalogue.js";
import type { Io } from "../run/io.js";
import { changedSetting, type Manifest } from "../run/manifest.js";
import { manifestSchema } from "../run/manifest.js";
import { noModel } from "../run/plan/options.js";
import { runOptions } from "../run/plan/options.js";
import { version } from "../run/version.js";

/** What a worker's own command line allows. Everything else that a plan asks for is refused. */
export interface Allowed {
  /** Models and encoders at their providers' own servers. */
  readonly models: readonly string[];
  readonly baseUrls: readonly string[];
  readonly endpoints: Endpoints;
  /** Commands of `exec:` methods. */
  readonly commands: readonly string[];
  /** What of a run's settings is this machine's own: where its data are, and its concurrency. */
  readonly own: Pick<RunConfig, "data" | "concurrency">;
}

const planSchema = z.object({
  version: z.string(),
  manifest: manifestSchema,
  /** Texts of the files that options name, by their paths. */
  files: z.record(z.string(), z.string()),
});

/** Returns the plan of a run as workers read it: plain JSON without code, keys and logins, which the log has refused. */
export const planText = ({ typedFiles }: Prepared, manifest: Manifest): string =>
  JSON.stringify({ version: version(), manifest, files: Object.fromEntries(typedFiles) });

/** Opens a run as its plan says. Throws UsageError on what this worker does not allow, and where data or plug-ins are not those of the plan. */
export async function openPlan(text: string, allowed: Allowed, io: Io, stops: StopSignals): Promise<Prepared> {
  const { manifest, files } = readPlan(text);
  const { plan, plugins, layers } = manifest;
  const catalogue = catalogueOf(io);
  refuseChangedPlugins("the database", plugins, catalogue);
  const asked = portableLayers(layersIn(layers, "the plan")).map(withoutOwn);
  const baseUrl = plan.baseUrl === undefined ? {} : { baseUrl: allowedUrl(plan.baseUrl, allowed) };
  const own = { ...allowed.own, ...baseUrl, endpoints: allowed.endpoints };
  const settings = settingsOfLayers([...asked, own], asked.length, catalogue);
  const file = (path: string): string => {
    if (files[path] === undefined) throw new UsageError(`the plan does not hold the file ${path}`);
    return files[path];
  };
  const prepared = await prepare({ ...stops, onEvent: () => undefined }, io, { planned: { settings, file } });
  refuseForeign(prepared, allowed);
  const changed = changedSetting(plan, JSON.parse(JSON.stringify(prepared.plan)));
  if (changed !== undefined)
    throw new UsageError(
      `${changed.path} is ${changed.was} in the run and ${changed.is} here; give this worker the same data, config and files`,
    );
  recallEndpoints(prepared.models, manifest);
  return prepared;
}

/** Throws UsageError where another version of lamp-eval wrote it. */
function readPlan(text: string): z.infer<typeof planSchema> {
  const written: unknown = JSON.parse(text);
  const by = z.object({ version: z.string() }).safeParse(written).data?.version ?? "another version";
  const read = planSchema.safeParse(written);
  if (read.success && by === version()) return read.data;
  throw new UsageError(`the run is of lamp-eval ${by}, this worker is ${version()}; install the same version`);
}

/** Returns a layer without what the worker's command line decides, and without caps, which the database keeps. */
const withoutOwn = (layer: object): RunConfig =>
  Object.fromEntries(Object.entries(layer).filter(([name]) => !OWN.includes(name)));

const OWN = ["endpoints", "baseUrl", "maxCalls", "maxUsd"];

/** Returns the worker's own form of a server's address, which may hold a login. */
function allowedUrl(url: string, { baseUrls }: Allowed): string {
  const shown = withoutUrlSecrets(url);
  const own = baseUrls.find((one) => withoutUrlSecrets(one) === shown);
  if (own === undefined) throw notAllowed(`server ${shown}`, `--base-url ${shown}`);
  return own;
}

/** Throws UsageError on the first thing that the worker's command line does not allow. Nothing was asked or started yet. */
function refuseForeign({ arms, models, settings }: Prepared, allowed: Allowed): void {
  const provider = (id: string): string => id.slice(0, id.indexOf("/"));
  const atBaseUrl = settings.baseUrl === undefined ? [] : settings.models.map(provider);
  for (const { id, address, simulated } of models) {
    if (simulated || id === noModel.id || endpointOf(allowed.endpoints, id) !== undefined) continue;
    if (address !== undefined) allowedUrl(address, allowed);
    else if (!atBaseUrl.includes(provider(id)) && !allowed.models.includes(id))
      throw notAllowed(`model ${id}`, `--model ${id}`);
  }
  for (const { method, options } of arms.map(({ cell }) => cell)) {
    const command = method.startsWith(EXEC) ? method.slice(EXEC.length) : undefined;
    if (command !== undefined && !allowed.commands.includes(command))
      throw notAllowed(method, `--allow-exec ${JSON.stringify(command)}`);
    if (settings.execEnv.length > 0) throw new UsageError("exec.env hands keys to a program; no worker does");
    if (options["wiki.mode"] === "record") throw new UsageError("wiki.mode=record writes a file; no worker does");
    const { embedder = runOptions.embedder.default, "embedder.baseUrl": url = "" } = options;
    if (url !== "") allowedUrl(String(url), allowed);
    else if (embedder !== runOptions.embedder.default && !allowed.models.includes(String(embedder)))
      throw notAllowed(`embedder ${embedder}`, `--model ${embedder}`);
  }
}

const notAllowed = (what: string, flag: string): UsageError =>
  new UsageError(`${what} is not allowed on this worker; start it with ${flag} to allow it`);
