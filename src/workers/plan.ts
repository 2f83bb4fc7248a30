import { UsageError } from "../errors.js";
import { EXEC } from "../extend/exec/command.js";
import { openCommands } from "../extend/exec/open-commands.js";
import { type Endpoints, endpointOf } from "../models/endpoints.js";
import { withoutUrlSecrets } from "../net/url.js";
import { catalogueOf } from "../run/catalogue.js";
import type { Io } from "../run/io.js";
import { changedSetting, type Manifest } from "../run/manifest.js";
import { noModel, runOptions, serverSettings } from "../run/plan/options.js";
import type { StopSignals } from "../run/plan/settings.js";
import type { Plan } from "../run/plan/types.js";
import { refuseChangedPlugins } from "../run/plugins.js";
import { version } from "../run/version.js";
import { openWorld, type World } from "../run/world.js";

/** What a worker's own command line allows. Everything else that a plan asks for is refused. */
export interface Allowed {
  /** Models and encoders at their providers' own servers. */
  readonly models: readonly string[];
  readonly baseUrls: readonly string[];
  readonly endpoints: Endpoints;
  /** Commands of `exec:` methods. */
  readonly commands: readonly string[];
  /** What of a run's settings is this machine's own: where its data are, and its concurrency. */
  readonly own: Pick<Plan, "data" | "concurrency">;
}

/** A run as its own process describes it to workers. */
interface Described {
  readonly version: string;
  readonly manifest: Manifest;
  /** Texts of the files that options name, by their paths. */
  readonly files: Readonly<Record<string, string>>;
}

/** Returns the plan of a run as workers read it: plain JSON without code, keys and logins, which the log has refused. */
export const planText = ({ typedFiles }: World, manifest: Manifest): string =>
  JSON.stringify({ version: version(), manifest, files: Object.fromEntries(typedFiles) });

/** Opens a run as its plan says. Throws UsageError on what this worker does not allow, and where data or plug-ins are not those of the plan. */
export async function openPlan(text: string, allowed: Allowed, io: Io, stops: StopSignals): Promise<World> {
  const { manifest, files } = readPlan(text);
  const { plan: identity, plugins, settings } = manifest;
  const catalogue = catalogueOf(io);
  refuseChangedPlugins("the database", plugins, catalogue);
  const { baseUrl: _, maxCalls: __, maxUsd: ___, ...asked } = settings; // the database keeps the caps
  const baseUrl = identity.baseUrl === undefined ? {} : { baseUrl: allowedUrl(identity.baseUrl, allowed) };
  const plan = { ...asked, ...allowed.own, ...baseUrl, endpoints: allowed.endpoints };
  const file = (path: string): string => {
    if (files[path] === undefined) throw new UsageError(`the plan does not hold the file ${path}`);
    return files[path];
  };
  const world = await openWorld(plan, {
    catalogue,
    io: { openPrograms: openCommands, ...io },
    file,
    request: { ...stops, onEvent: () => undefined },
  });
  refuseForeign(world, allowed);
  const changed = changedSetting(identity, JSON.parse(JSON.stringify(world.identity)));
  if (changed !== undefined)
    throw new UsageError(
      `${changed.path} is ${changed.was} in the run and ${changed.is} here; give this worker the same data, config and files`,
    );
  return world;
}

/** Throws UsageError where another version of lamp-eval wrote it. */
function readPlan(text: string): Described {
  const written = JSON.parse(text) as Partial<Described> | null; // whoever can write the database decides what is asked
  if (written?.version === version()) return written as Described;
  throw new UsageError(
    `the run is of lamp-eval ${written?.version ?? "another version"}, this worker is ${version()}; install the same version`,
  );
}

/** Returns the worker's own form of a server's address, which may hold a login. */
function allowedUrl(url: string, { baseUrls }: Allowed): string {
  const shown = withoutUrlSecrets(url);
  const own = baseUrls.find((one) => withoutUrlSecrets(one) === shown);
  if (own === undefined) throw notAllowed(`server ${shown}`, `--base-url ${shown}`);
  return own;
}

/** Throws UsageError on the first thing that the worker's command line does not allow. Nothing was asked or started yet. */
function refuseForeign({ arms, models, plan }: World, allowed: Allowed): void {
  const provider = (id: string): string => id.slice(0, id.indexOf("/"));
  const atBaseUrl = plan.baseUrl === undefined ? [] : plan.models.map(provider);
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
    if (serverSettings(plan.set).execEnv.length > 0)
      throw new UsageError("exec.env hands keys to a program; no worker does");
    if (options["wiki.mode"] === "record") throw new UsageError("wiki.mode=record writes a file; no worker does");
    const { embedder = runOptions.embedder.default, "embedder.baseUrl": url = "" } = options;
    if (url !== "") allowedUrl(String(url), allowed);
    else if (embedder !== runOptions.embedder.default && !allowed.models.includes(String(embedder)))
      throw notAllowed(`embedder ${embedder}`, `--model ${embedder}`);
  }
}

const notAllowed = (what: string, flag: string): UsageError =>
  new UsageError(`${what} is not allowed on this worker; start it with ${flag} to allow it`);
