import * as z from "zod";
import { catalogueOf } from "../app/catalogue.js";
import { version } from "../app/common/version.js";
import type { Io } from "../app/io.js";
import { refuseChangedPlugins } from "../app/plugins/plugins.js";
import { layersIn, portableLayers } from "../app/run/config/portable-layers.js";
import { settingsOfLayers } from "../app/run/config/resolve-settings.js";
import { recallEndpoints } from "../app/run/models/endpoints.js";
import { type Prepared, prepare } from "../app/run/prepare.js";
import type { RunConfig } from "../app/run/settings.js";
import { UsageError } from "../errors.js";
import { EXEC } from "../exec/command.js";
import { noModel } from "../exec/options.js";
import { type Endpoints, endpointOf } from "../models/endpoints.js";
import { withoutUrlSecrets } from "../net/url.js";
import { changedSetting, type Manifest } from "../run/manifest.js";
import { manifestSchema } from "../run/manifest-shape.js";
import { runOptions } from "../run/plan/options.js";

/** What a worker's own command line allows. Everything else that a plan asks for is refused. */
export interface Allowed {
  /** Models and encoders at their providers' own servers. */
  readonly models: readonly string[];
  readonly baseUrls: readonly string[];
  readonly endpoints: Endpoints;
  /** Commands of `exec:` methods. */
  readonly commands: readonly string[];
  /** Where the data are on this machine. Absent: where the plan says. */
  readonly data: string | undefined;
  readonly concurrency: number | undefined;
}

const planSchema = z.object({
  version: z.string(),
  manifest: manifestSchema,
  /** Texts of the files that options name, by their paths. */
  files: z.record(z.string(), z.string()),
});

/** The plan of a run as workers read it: plain JSON without code, keys and logins, which the log refused when they came. */
export const planText = ({ typedFiles }: Prepared, manifest: Manifest): string =>
  JSON.stringify({ version: version(), manifest, files: Object.fromEntries(typedFiles) });

/** Opens a run as its plan says. Throws UsageError on what this worker does not allow, and where data or plug-ins are not those of the plan. */
export async function openPlan(
  text: string,
  allowed: Allowed,
  io: Io,
  stops: { readonly signal: AbortSignal; readonly kill: AbortSignal },
): Promise<Prepared> {
  const { manifest, files } = readPlan(text);
  const { plan, plugins, layers } = manifest;
  const catalogue = catalogueOf(io);
  refuseChangedPlugins("the database", plugins, catalogue);
  const asked = portableLayers(layersIn(layers, "the plan")).map(withoutOwn);
  refuseForeignEmbedders(asked, allowed);
  const { data, concurrency, endpoints } = allowed;
  const own = {
    endpoints,
    ...(data === undefined ? {} : { data }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(plan.baseUrl === undefined ? {} : { baseUrl: allowedUrl(plan.baseUrl, allowed) }),
  };
  const prepared = await prepare({ ...stops, onEvent: () => undefined }, io, {
    planned: {
      settings: settingsOfLayers([...asked, own], asked.length, catalogue),
      file(path) {
        const kept = files[path];
        if (kept !== undefined) return kept;
        throw new UsageError(`the plan does not hold the file ${path}`);
      },
    },
  });
  try {
    refuseForeign(prepared, allowed);
    refuseOtherPlan(plan, prepared);
  } catch (error) {
    await prepared.commands.close();
    throw error;
  }
  recallEndpoints(prepared.models, manifest);
  return prepared;
}

/** A layer without what the worker's command line decides, and without caps, which the database keeps. */
const withoutOwn = (layer: object): RunConfig =>
  Object.fromEntries(Object.entries(layer).filter(([name]) => !OWN.includes(name)));

const OWN = ["endpoints", "baseUrl", "execEnv", "maxCalls", "maxUsd"];

/** Throws UsageError where another version of lamp-eval wrote it. */
function readPlan(text: string): z.infer<typeof planSchema> {
  const written: unknown = JSON.parse(text);
  const by = z.object({ version: z.string() }).safeParse(written).data?.version;
  const read = planSchema.safeParse(written);
  if (read.success && by === version()) return read.data;
  throw new UsageError(
    `the run is of lamp-eval ${by ?? "of another version"}, this worker is ${version()}; install the same version`,
  );
}

/** The worker's own form of a server's address, which may hold a login. */
function allowedUrl(url: string, { baseUrls }: Allowed): string {
  const own = baseUrls.find((one) => withoutUrlSecrets(one) === withoutUrlSecrets(url));
  if (own === undefined) throw notAllowed(`server ${withoutUrlSecrets(url)}`, `--base-url ${withoutUrlSecrets(url)}`);
  return own;
}

/** Throws UsageError on the first thing that the worker's command line does not allow. */
function refuseForeign({ arms, models, settings }: Prepared, allowed: Allowed): void {
  const provider = (id: string): string => id.slice(0, id.indexOf("/"));
  const atBaseUrl = settings.baseUrl === undefined ? [] : settings.models.map(provider);
  for (const { id, address, simulated } of models) {
    if (simulated || id === noModel.id || endpointOf(allowed.endpoints, id) !== undefined) continue;
    if (address !== undefined) allowedUrl(address, allowed);
    else if (!atBaseUrl.includes(provider(id)) && !allowed.models.includes(id))
      throw notAllowed(`model ${id}`, `--model ${id}`);
  }
  for (const { cell } of arms) {
    const command = cell.method.startsWith(EXEC) ? cell.method.slice(EXEC.length) : undefined;
    if (command !== undefined && !allowed.commands.includes(command))
      throw notAllowed(`exec:${command}`, `--allow-exec ${JSON.stringify(command)}`);
    if (cell.options["wiki.mode"] === "record") throw new UsageError("wiki.mode=record writes a file; no worker does");
  }
}

/** Throws UsageError on an encoder that the worker's command line does not allow, before it is opened. */
function refuseForeignEmbedders(layers: readonly object[], allowed: Allowed): void {
  const urls = valuesOf(layers, "embedder.baseUrl").filter((url) => url !== "");
  for (const url of urls) allowedUrl(url, allowed);
  for (const id of valuesOf(layers, "embedder"))
    if (id !== runOptions.embedder.default && !allowed.models.includes(id))
      throw notAllowed(`embedder ${id}`, `--model ${id}`);
}

/** Every text that an option of this name has anywhere in the layers: set, per task, on an axis, at a point. */
function valuesOf(value: unknown, option: string): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === option ? [inner].flat().map(String) : valuesOf(inner, option),
  );
}

const notAllowed = (what: string, flag: string): UsageError =>
  new UsageError(`${what} is not allowed on this worker; start it with ${flag} to allow it`);

/** Throws UsageError where this worker would not do what was planned. */
function refuseOtherPlan(plan: Manifest["plan"], here: Prepared): void {
  const changed = changedSetting(plan, JSON.parse(JSON.stringify(here.plan)));
  if (changed !== undefined)
    throw new UsageError(
      `${changed.path} is ${changed.was} in the run and ${changed.is} here; give this worker the same data, config and files`,
    );
}
