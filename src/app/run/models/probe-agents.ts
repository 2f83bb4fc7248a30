import { protocolOf } from "../../../agent/loop.js";
import { probeToolCalls } from "../../../agent/probe.js";
import { BudgetError, ModelError } from "../../../errors.js";
import { isFromStore } from "../../../models/wrap/cached.js";
import { readOptions } from "../../../registry/options.js";
import { Interrupted } from "../../../run/engine.js";
import { modelOptions } from "../../../run/plan/model-options.js";
import { runOptions } from "../../../run/plan/options.js";
import type { Arm } from "../../../run/plan/plan.js";
import type { Model, ModelReply, ModelRequest, Usage } from "../../../types/index.js";
import type { Stops } from "../stops.js";
import type { RunModels } from "./models.js";

/**
 * One call with everything that the turns of agents will hold (tools, their choice, limit, temperature, effort), where an arm
 * runs agents: it shows what the endpoint takes, and that it does tool calls. The embedded model is known to. Returns why the
 * call could not be made (caps, Ctrl-C, a server that is down); throws UsageError where there are no tool calls.
 */
async function probeAgents(
  arms: readonly Arm[],
  model: Model,
  signal: AbortSignal,
  onReply: (reply: ModelReply) => void,
): Promise<unknown> {
  if (model.simulated || !model.capabilities.tools) return undefined;
  const native = arms.find(
    ({ method, options }) => method.needs?.(options).agent === true && callsNatively(options, model),
  );
  if (native === undefined) return undefined;
  const more = sentWithAll(native, model);
  try {
    onReply(
      await probeToolCalls(model.id, (asked) =>
        answerOfToday(model, { maxTokens: 1024, ...more, ...asked, sample: 0 }, signal),
      ),
    );
    return undefined;
  } catch (error) {
    if (error instanceof ModelError || error instanceof BudgetError || error instanceof Interrupted) return error;
    throw error;
  }
}

/** Why one of the models cannot serve its arms; undefined where all can. `onProbed` is told what was spent to find out. */
export async function firstRefusal(
  arms: readonly Arm[],
  models: Pick<RunModels, "direct">,
  { stop, kill }: Stops,
  onProbed: (name: string, usage: Usage) => void,
): Promise<unknown> {
  for (const [id, model] of models.direct) {
    const ofModel = arms.filter(({ cell, loaded }) => cell.model === id && loaded.units.length > 0);
    const onReply = ({ usage }: ModelReply): void => onProbed(id, usage);
    const refusal = await probeAgents(ofModel, model, kill, onReply).catch((error: unknown) => {
      if (kill.aborted) return stop.signal.reason;
      throw error;
    });
    const isOfModel = refusal instanceof ModelError && refusal.scope === "model"; // its own arms end with it
    if (refusal !== undefined && !isOfModel) return refusal;
  }
  return undefined;
}

/** What every call of an arm holds besides its messages. */
function sentWithAll({ cell }: Arm, { capabilities }: Model): Pick<ModelRequest, "temperature" | "effort"> {
  const { temperature } = readOptions(runOptions, cell.options);
  const effort = cell.options["model.effort"];
  return {
    ...(temperature === undefined || !capabilities.temperature ? {} : { temperature }),
    ...(typeof effort === "string" && effort !== modelOptions["model.effort"].default ? { effort } : {}),
  };
}

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
