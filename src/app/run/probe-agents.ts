import { probeToolCalls } from "../../agent/probe.js";
import { protocolOf } from "../../agent/protocol.js";
import { BudgetError, ModelError } from "../../errors.js";
import { isFromStore } from "../../models/wrap/cached.js";
import { Interrupted } from "../../run/engine.js";
import type { Arm } from "../../run/plan.js";
import type { Model, ModelReply, ModelRequest } from "../../types.js";
import type { Stops } from "./stops.js";

/**
 * One call that shows that the endpoint does tool calls, where an arm will make them. The embedded model is known to.
 * Returns why the call could not be made (caps, Ctrl-C, a server that is down); throws UsageError where there are no tool calls.
 */
export async function probeAgents(arms: readonly Arm[], model: Model, signal: AbortSignal): Promise<unknown> {
  if (model.simulated || !model.capabilities.tools) return undefined;
  const native = arms.some(
    ({ method, options }) => method.needs?.(options).agent === true && callsNatively(options, model),
  );
  if (!native) return undefined;
  try {
    await probeToolCalls(model.id, (asked) => answerOfToday(model, { maxTokens: 1024, ...asked, sample: 0 }, signal));
    return undefined;
  } catch (error) {
    if (error instanceof ModelError || error instanceof BudgetError || error instanceof Interrupted) return error;
    throw error;
  }
}

/** Why one of the models cannot serve its arms; undefined where all can. */
export async function firstRefusal(
  arms: readonly Arm[],
  models: ReadonlyMap<string, Model>,
  { stop, kill }: Stops,
): Promise<unknown> {
  for (const model of models.values()) {
    const ofModel = arms.filter(({ cell, loaded }) => cell.model === model.id && loaded.units.length > 0);
    const refusal = await probeAgents(ofModel, model, kill).catch((error: unknown) => {
      if (kill.aborted) return stop.signal.reason;
      throw error;
    });
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

// --- internal ---

/**
 * The reply to the probe, asked for anew where the store gave one without a tool call: the server may have been restarted
 * with other settings since.
 */
async function answerOfToday(model: Model, request: ModelRequest, signal: AbortSignal): Promise<ModelReply> {
  const reply = await model.complete(request, signal);
  if (!isFromStore(reply) || reply.toolCalls.length > 0) return reply;
  return answerOfToday(model, { ...request, sample: request.sample + 1 }, signal);
}

/** `agent.protocol` is a knob of every method that runs agents. */
function callsNatively(options: Readonly<Record<string, unknown>>, model: Model): boolean {
  const protocol = options["agent.protocol"];
  return (
    protocolOf({ "agent.protocol": protocol === "native" || protocol === "text-react" ? protocol : "auto" }, model)
      .name === "native"
  );
}
