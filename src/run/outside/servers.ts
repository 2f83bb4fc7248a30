import { protocolOf } from "../../agent/loop.js";
import { probeToolCalls } from "../../agent/probe.js";
import { BudgetError, ModelError } from "../../errors.js";
import { isFromStore } from "../../models/wrap/cached.js";
import { withoutUrlSecrets } from "../../net/url.js";
import { readOptions } from "../../registry/options.js";
import { oneLine } from "../../text/file-trouble.js";
import type { Model, ModelReply, ModelRequest } from "../../types/index.js";
import { Interrupted } from "../engine.js";
import type { Manifest } from "../manifest.js";
import { modelOptions, runOptions } from "../plan/options.js";
import type { Arm } from "../plan/types.js";
import type { World } from "../world.js";
import type { Calls } from "./online.js";

type Told = NonNullable<Manifest["endpoints"]>[string];

/** Lets models write their bodies at once as an earlier process found that their servers take them. */
export function recallServers(models: readonly Model[], { endpoints }: Pick<Manifest, "endpoints">): void {
  for (const { name, endpoint } of models.flatMap(serversOf)) {
    const known = endpoints?.[name];
    if (known === undefined || endpoint?.facts.api !== known.api) continue;
    const { server: _, day: __, ...facts } = known;
    endpoint.recall(facts);
  }
}

/** What the servers of the models have shown so far; nothing of those that have not replied. */
export function serversSeen(
  models: readonly Model[],
  { endpoints: before }: Pick<Manifest, "endpoints">,
  baseUrl: string | undefined,
  now: string,
): Pick<Manifest, "endpoints"> {
  const seen = models.flatMap(serversOf).flatMap(({ name, endpoint, address = baseUrl }) => {
    if (endpoint === undefined || Object.keys(endpoint.facts).length <= 1) return [];
    const server = address === undefined ? {} : { server: withoutUrlSecrets(address) };
    const told: Told = { ...endpoint.facts, ...server, day: before?.[name]?.day ?? now.slice(0, 10) };
    return [[name, told] as const];
  });
  return seen.length === 0 ? {} : { endpoints: { ...before, ...Object.fromEntries(seen) } };
}

const serversOf = (model: Model): readonly (Model & { readonly name: string })[] =>
  (model.servers ?? [model]).map((server, n) => ({
    ...server,
    name: n === 0 ? model.id : `${model.id} (server ${n + 1})`,
  }));

interface Asking {
  readonly signal: AbortSignal;
  readonly nowMs: number;
  tell(line: string): void;
}

/**
 * Reads the providers' own records of models that this version does not know, unless an earlier process did, and tells of models that
 * end within 30 days. A record that cannot be read is told and ends nothing.
 */
export async function readModelRecords(models: readonly Model[], { signal, nowMs, tell }: Asking): Promise<void> {
  for (const { id, endpoint, retires: known, readRecord } of models) {
    if (readRecord !== undefined && endpoint?.facts.record === undefined)
      await readRecord(signal).catch((error: unknown) => {
        if (!(error instanceof ModelError)) throw error;
        tell(`no record of this model can be read, so it is asked by the strictest rules: ${oneLine(error)}`);
      });
    const retires = known ?? endpoint?.facts.record?.retires;
    const days = Math.ceil((Date.parse(retires ?? "") - nowMs) / DAY_MS);
    if (days >= SOON_DAYS || Number.isNaN(days)) continue;
    const day = retires?.slice(0, 10);
    tell(days > 0 ? `${id} ends on ${day}, in ${days} ${days === 1 ? "day" : "days"}` : `${id} was to end on ${day}`);
  }
}

const DAY_MS = 86_400_000;
const SOON_DAYS = 30;

/**
 * Asks each model whose arms run agents once for a tool call: servers of open models take tools and ignore them. Returns why a call
 * could not be made (caps, Ctrl-C, a server that is down); throws UsageError where there are no tool calls. `onProbed` is told what
 * was spent.
 */
export async function firstRefusal(
  arms: readonly Arm[],
  { direct }: Pick<Calls, "direct">,
  { stop, kill }: World["stops"],
  onProbed: (model: string, reply: ModelReply) => void = () => undefined,
): Promise<unknown> {
  for (const [id, model] of direct) {
    const calling = arms.find((arm) => arm.cell.model === id && arm.loaded.units.length > 0 && callsTools(arm, model));
    if (calling === undefined) continue;
    const refusal = await probe(calling, model, kill, (reply) => onProbed(id, reply)).catch((error: unknown) => {
      if (kill.aborted) return stop.signal.reason;
      throw error;
    });
    const isOfModel = refusal instanceof ModelError && refusal.scope === "model"; // its own arms end with it
    if (refusal !== undefined && !isOfModel) return refusal;
  }
  return undefined;
}

async function probe(
  { cell }: Arm,
  model: Model,
  signal: AbortSignal,
  onReply: (reply: ModelReply) => void,
): Promise<unknown> {
  const { temperature } = readOptions(runOptions, cell.options);
  const effort = cell.options["model.effort"];
  const sent = {
    maxTokens: 1024,
    ...(temperature === undefined || !model.capabilities.temperature ? {} : { temperature }),
    ...(typeof effort === "string" && effort !== modelOptions["model.effort"].default ? { effort } : {}),
  } as const;
  try {
    onReply(await probeToolCalls(model.id, (asked) => today(model, { ...sent, ...asked, sample: 0 }, signal)));
    return undefined;
  } catch (error) {
    if (error instanceof ModelError || error instanceof BudgetError || error instanceof Interrupted) return error;
    throw error;
  }
}

/** The reply, asked for anew where the store gave one without a tool call: the server may have been started otherwise since. */
async function today(model: Model, request: ModelRequest, signal: AbortSignal): Promise<ModelReply> {
  const reply = await model.complete(request, signal);
  if (!isFromStore(reply) || reply.toolCalls.length > 0) return reply;
  return today(model, { ...request, sample: request.sample + 1 }, signal);
}

/** `agent.protocol` is an option of every method that runs agents. The embedded model is known to do tool calls. */
function callsTools({ method, options }: Arm, model: Model): boolean {
  if (model.simulated || !model.capabilities.tools || method.needs?.(options).agent !== true) return false;
  const asked = (options as Readonly<Record<string, unknown>>)["agent.protocol"];
  const protocol = asked === "native" || asked === "text-react" ? asked : "auto";
  return protocolOf({ "agent.protocol": protocol }, model).name === "native";
}
