import { protocolOf } from "../agent/loop.js";
import { probeToolCalls } from "../agent/probe.js";
import { BudgetError, ModelError } from "../errors.js";
import type { Calls } from "../outside/calls.js";
import { Interrupted } from "../outside/stops.js";
import { isFromStore } from "../outside/store.js";
import { modelOptions, runOptions } from "../plan/options.js";
import type { Arm } from "../plan/types.js";
import { readOptions } from "../registry/options.js";
import type { Model, ModelReply, ModelRequest } from "../types/index.js";
import type { World } from "./world.js";

/**
 * Asks each model whose arms run agents once for a tool call: servers of open models take tools and ignore them. Returns why a call
 * could not be made (caps, Ctrl-C, a server that is down); throws UsageError where there are no tool calls. `onProbed` is told what
 * was spent.
 */
export async function checkToolCalls(
  arms: readonly Arm[],
  { direct }: Pick<Calls, "direct">,
  { stop, kill }: World["stops"],
  onProbed: (model: string, reply: ModelReply) => void = () => undefined,
): Promise<unknown> {
  for (const [id, model] of direct) {
    const calling = arms.find((arm) => arm.spec.model === id && arm.loaded.units.length > 0 && callsTools(arm, model));
    if (calling === undefined) continue;
    try {
      onProbed(id, await probe(calling, model, kill));
    } catch (error) {
      if (kill.aborted) return stop.signal.reason;
      if (error instanceof ModelError && error.scope === "model") continue; // its own arms end with it
      if (error instanceof ModelError || error instanceof BudgetError || error instanceof Interrupted) return error;
      throw error;
    }
  }
  return undefined;
}

function probe({ spec }: Arm, model: Model, signal: AbortSignal): Promise<ModelReply> {
  const { temperature } = readOptions(runOptions, spec.options);
  const effort = spec.options["model.effort"];
  const sent = {
    sample: 0,
    ...(temperature === undefined || !model.capabilities.temperature ? {} : { temperature }),
    ...(typeof effort === "string" && effort !== modelOptions["model.effort"].default ? { effort } : {}),
  } as const;
  return probeToolCalls(model.id, (asked) => askPastStored(model, { maxTokens: 1024, ...sent, ...asked }, signal));
}

/** Asks with the next sample number where a stored reply has no tool call: the server may have been started otherwise since. */
async function askPastStored(model: Model, request: ModelRequest, signal: AbortSignal): Promise<ModelReply> {
  const reply = await model.complete(request, signal);
  if (!isFromStore(reply) || reply.toolCalls.length > 0) return reply;
  return askPastStored(model, { ...request, sample: request.sample + 1 }, signal);
}

/** `agent.protocol` is an option of every method that runs agents. The embedded model is known to do tool calls. */
function callsTools({ method, options }: Arm, model: Model): boolean {
  if (model.simulated || !model.capabilities.tools || method.needs?.(options).agent !== true) return false;
  const asked = (options as Readonly<Record<string, unknown>>)["agent.protocol"];
  const protocol = asked === "native" || asked === "text-react" ? asked : "auto";
  return protocolOf({ "agent.protocol": protocol }, model) === "native";
}
