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
import { defined } from "../text/json.js";
import type { Unit } from "../types/index.js";

/** What the command line of a worker allows. Runs that need more are refused. */
export interface Allowed {
  /** Models and encoders at the servers of their providers. */
  readonly models: readonly string[];
  readonly baseUrls: readonly string[];
  readonly endpoints: Endpoints;
  /** Commands of `exec:` methods. */
  readonly commands: readonly string[];
  /** Overrides members of a plan: this machine's data folder and concurrency. */
  readonly own: Pick<Plan, "data"> & Pick<ServerPlan, "concurrency">;
}

/** A run's description for workers: JSON without code, keys and logins. */
interface SentPlan {
  readonly version: string;
  readonly manifest: Manifest;
  /** Texts of the files that options name. */
  readonly files: Readonly<Record<string, string>>;
  /** The questions of a judge's run: workers do not have the judged run. */
  readonly questions?: readonly Unit[];
}

/** Returns the JSON of a `SentPlan`. */
export function planText({ files: texts, judged, loaded }: World, manifest: Manifest): string {
  const questions = judged === undefined ? {} : { questions: [...loaded[0]!.units] }; // of its one task
  const files = Object.fromEntries(texts);
  return JSON.stringify({ version: version(), manifest, files, ...questions } satisfies SentPlan);
}

/**
 * Opens the run of a `SentPlan`. Throws UsageError if the worker does not allow all of it, or has other data or plug-ins than the run's
 * process.
 */
export async function openPlan(
  text: string,
  allowed: Allowed,
  { signal, kill, ...io }: Io & StopSignals,
): Promise<World> {
  try {
    const { manifest, files, questions = [], version: runVersion } = JSON.parse(text) as SentPlan;
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
      request: { signal, kill, onEvent: () => {} },
      shown: "",
      hint: "give this worker the same data, config and files",
      refuse: (world) => refuseModels(world, allowed),
    });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`its plan cannot be opened: ${firstLine(error)}`); // whoever can write the database has written it
  }
}

/** Returns a plan with this worker's data and servers, and without caps, which the database checks. Throws UsageError on parts that are not allowed. */
function planHere(sent: Plan, allowed: Allowed): Plan {
  const { endpoints, own, commands, models } = allowed;
  const { data, concurrency } = own;
  const { baseUrl, ...servers } = sent.servers;
  for (const method of sent.methods) {
    const command = method.startsWith(EXEC) ? method.slice(EXEC.length).trim() : undefined;
    if (command !== undefined && !commands.includes(command))
      throw notAllowed(method, `--allow-exec ${JSON.stringify(command)}`);
  }
  for (const [name, text] of textsIn([sent.options, sent.tasks, sent.sweep ?? {}])) {
    if (isAddress(text)) allowedUrl(text, allowed);
    if (name === "embedder" && text !== runOptions.embedder.default && !models.includes(text))
      throw notAllowed(`embedder ${text}`, `--model ${text}`);
    if (name === "exec.env" && text !== "") throw new UsageError("exec.env hands keys to a program; no worker does");
  }
  return {
    ...sent,
    ...defined({ data }),
    servers: {
      ...servers,
      endpoints,
      ...defined({ concurrency, baseUrl: baseUrl === undefined ? undefined : allowedUrl(baseUrl, allowed) }),
    },
    caps: { maxFailed: sent.caps.maxFailed },
  };
}

/** Returns all values in an object, at any depth, as text, each with the name of its member; in a list with the list's name. */
function textsIn(value: unknown, name = ""): readonly (readonly [name: string, text: string])[] {
  if (typeof value !== "object" || value === null) return [[name, String(value)]];
  return Object.entries(value).flatMap(([key, part]) => textsIn(part, Array.isArray(value) ? name : key));
}

/** Returns true for any text that clients accept as a server's address, also `http:/host` and ` HTTP:host`. */
const isAddress = (text: string): boolean => URL.canParse(text) && /^(https?|wss?|ftp):$/.test(new URL(text).protocol);

/** Returns an allowed address as the worker's command line has it, where it may hold a login. Throws UsageError on any other address. */
function allowedUrl(url: string, { baseUrls }: Allowed): string {
  const shown = withoutUrlSecrets(isAddress(url) ? new URL(url).href : url);
  const own = baseUrls.find((one) => withoutUrlSecrets(new URL(one).href) === shown);
  if (own === undefined) throw notAllowed(`server ${shown}`, `--base-url ${shown}`);
  return own;
}

/** Throws UsageError on the first model that is not allowed, before any call. */
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
