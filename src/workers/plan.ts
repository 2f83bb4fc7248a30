import { UsageError } from "../errors.js";
import { EXEC } from "../extend/exec/command.js";
import { openCommands } from "../extend/exec/open-commands.js";
import { type Endpoints, endpointOf } from "../models/endpoints.js";
import { withoutUrlSecrets } from "../net/secrets.js";
import { catalogueOf, refuseChangedPlugins } from "../plan/catalogue.js";
import type { Io } from "../plan/io.js";
import { version } from "../plan/io.js";
import { runOptions } from "../plan/options.js";
import type { StopSignals } from "../plan/settings.js";
import type { Plan, ServerPlan } from "../plan/types.js";
import type { Manifest } from "../record/manifest.js";
import { Runs } from "../record/stored-run.js";
import { noModel } from "../run/models.js";
import { reopen, sentJudging } from "../run/reopen.js";
import type { World } from "../run/world.js";
import { firstLine } from "../text/file-trouble.js";
import type { Unit } from "../types/index.js";

/** What a worker's own command line allows. Everything else that a plan asks for is refused. */
export interface Allowed {
  /** Models and encoders at their providers' own servers. */
  readonly models: readonly string[];
  readonly baseUrls: readonly string[];
  readonly endpoints: Endpoints;
  /** Commands of `exec:` methods. */
  readonly commands: readonly string[];
  /** What of a plan is this machine's own: where its data are, and its concurrency. */
  readonly own: Pick<Plan, "data"> & Pick<ServerPlan, "concurrency">;
}

/** A run as its own process describes it to workers: plain JSON without code, keys and logins. */
interface Described {
  readonly version: string;
  readonly manifest: Manifest;
  /** Texts of the files that options name. */
  readonly files: Readonly<Record<string, string>>;
  /** Of a judge's run: its questions, which are made of a folder that workers lack. */
  readonly questions?: readonly Unit[];
}

export function planText({ files: texts, judged, loaded }: World, manifest: Manifest): string {
  const questions = judged === undefined ? {} : { questions: [...loaded[0]!.units] }; // of its one task
  const files = Object.fromEntries(texts);
  return JSON.stringify({ version: version(), manifest, files, ...questions } satisfies Described);
}

/** Opens a run as its plan says. Throws UsageError on what this worker does not allow, and where data or plug-ins are not those of the plan. */
export async function openPlan(text: string, allowed: Allowed, io: Io, stops: StopSignals): Promise<World> {
  try {
    const { manifest, files, questions = [], version: runVersion } = JSON.parse(text) as Described;
    if (runVersion !== version())
      throw new UsageError(`it is of lamp-eval ${runVersion}, this worker is ${version()}; install the same version`);
    refuseChangedPlugins("the database", manifest.plugins, catalogueOf(io));
    const plan = planHere(manifest.plan, allowed);
    const judge = manifest.judged === undefined ? {} : sentJudging(manifest.judged, questions, catalogueOf(io));
    return await reopen(manifest, {
      plan,
      catalogue: catalogueOf(io),
      ...judge,
      io: { openPrograms: openCommands, ...io, runs: new Runs(io.cwd) },
      files: new Map(Object.entries(files)),
      request: { ...stops, onEvent: () => {} },
      shown: "",
      hint: "give this worker the same data, config and files",
      refuse: (world) => refuseModels(world, allowed),
    });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`its plan cannot be opened: ${firstLine(error)}`); // whoever can write the database has written it
  }
}

/** Returns the plan with what is this worker's own, and without caps, which the database keeps. Throws UsageError on what may not even be opened. */
function planHere(asked: Plan, allowed: Allowed): Plan {
  const { endpoints, own, commands, models } = allowed;
  const { data, concurrency } = own;
  const { baseUrl, ...servers } = asked.servers;
  for (const method of asked.methods) {
    const command = method.startsWith(EXEC) ? method.slice(EXEC.length).trim() : undefined;
    if (command !== undefined && !commands.includes(command))
      throw notAllowed(method, `--allow-exec ${JSON.stringify(command)}`);
  }
  for (const [name, text] of textsIn([asked.options, asked.tasks, asked.sweep ?? {}])) {
    if (isAddress(text)) allowedUrl(text, allowed);
    if (name === "embedder" && text !== runOptions.embedder.default && !models.includes(text))
      throw notAllowed(`embedder ${text}`, `--model ${text}`);
    if (name === "exec.env" && text !== "") throw new UsageError("exec.env hands keys to a program; no worker does");
  }
  return {
    ...asked,
    ...(data === undefined ? {} : { data }),
    servers: {
      ...servers,
      endpoints,
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(baseUrl === undefined ? {} : { baseUrl: allowedUrl(baseUrl, allowed) }),
    },
    caps: { maxFailed: asked.caps.maxFailed },
  };
}

/** Returns all texts in a value, each with the name of the member that it is of, or that its list is of. */
const textsIn = (value: unknown, name = ""): readonly (readonly [name: string, text: string])[] =>
  typeof value !== "object" || value === null
    ? [[name, String(value)]]
    : Object.entries(value).flatMap(([key, one]) => textsIn(one, Array.isArray(value) ? name : key));

/** Returns true for what a client would take for the address of a server, e.g. `http:/host` and ` HTTP:host`. */
const isAddress = (text: string): boolean => URL.canParse(text) && /^(https?|wss?|ftp):$/.test(new URL(text).protocol);

/** Returns the worker's own form of a server's address, which may hold a login. Compares addresses as clients read them. */
function allowedUrl(url: string, { baseUrls }: Allowed): string {
  const shown = withoutUrlSecrets(isAddress(url) ? new URL(url).href : url);
  const own = baseUrls.find((one) => withoutUrlSecrets(new URL(one).href) === shown);
  if (own === undefined) throw notAllowed(`server ${shown}`, `--base-url ${shown}`);
  return own;
}

/** Throws UsageError on the first model that may not be asked. None was yet. */
function refuseModels({ models, plan }: World, allowed: Allowed): void {
  for (const { id, address, simulated } of models) {
    if (simulated || id === noModel.id || endpointOf(allowed.endpoints, id) !== undefined) continue;
    if (address !== undefined) allowedUrl(address, allowed);
    else if (!(plan.servers.baseUrl !== undefined && plan.models.includes(id)) && !allowed.models.includes(id))
      throw notAllowed(`model ${id}`, `--model ${id}`);
  }
}

const notAllowed = (what: string, flag: string): UsageError =>
  new UsageError(`${what} is not allowed on this worker; start it with ${flag} to allow it`);
