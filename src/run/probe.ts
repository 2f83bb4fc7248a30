import { protocolOf } from "../agent/loop.js";
import { probeToolCalls } from "../agent/probe.js";
import { BudgetError, ModelError, UnreachableError, UsageError } from "../errors.js";
import { embeddedOnce } from "../outside/answers.js";
import type { Calls } from "../outside/calls.js";
import type { Once } from "../outside/once.js";
import { Interrupted } from "../outside/stops.js";
import { isFromStore } from "../outside/store.js";
import { modelOptions, runOptions } from "../plan/options.js";
import type { Arm } from "../plan/types.js";
import { readOptions } from "../registry/options.js";
import { selectorEmbeds } from "../selectors/open.js";
import { defined } from "../text/json.js";
import type { Model, ModelReply, ModelRequest } from "../types/index.js";
import type { World } from "./world.js";

/**
 * Asks the model of each arm that runs an agent for one tool call, because some servers of open models ignore tools. `onProbed` is called
 * with each reply. Returns an error that ends the run before it starts, such as a cap or a server that is down. Throws UsageError if a
 * model makes no tool call.
 */
export async function checkToolCalls(
  { arms, stops: { stop, kill } }: Pick<World, "arms" | "stops">,
  { direct }: Pick<Calls, "direct">,
  onProbed: (model: string, reply: ModelReply) => void = () => undefined,
): Promise<unknown> {
  for (const [id, model] of direct) {
    const calling = arms.find((arm) => arm.spec.model === id && arm.loaded.units.length > 0 && callsTools(arm, model));
    if (calling === undefined) continue;
    try {
      onProbed(id, await probe(calling, model, kill));
    } catch (error) {
      if (kill.aborted) return stop.signal.reason;
      if (error instanceof ModelError && error.scope === "model") continue; // the arms of this model will end with the same error
      if (error instanceof ModelError || error instanceof BudgetError || error instanceof Interrupted) return error;
      throw error;
    }
  }
  return undefined;
}

/**
 * Embeds one text by each encoder that arms search with and that is asked for or loaded. Throws UnreachableError: without vectors every
 * row of these arms would fail.
 */
export async function checkEmbedders({ arms, embedders, stops }: World, once: Once): Promise<void> {
  const searching = arms.filter(
    ({ method, options, loaded }) =>
      loaded.units.length > 0 && (method.embeds?.(options) ?? selectorEmbeds(options)) === true,
  );
  const costly = searching.flatMap(({ spec }) => {
    const { embedder, isCostly } = embedders.of(spec.options);
    return isCostly ? [embedder] : [];
  });
  for (const embedder of new Set(costly))
    try {
      await embeddedOnce(embedder, once, stops.kill).embed([
        "A text that is embedded to see whether the encoder answers.",
      ]);
    } catch (error) {
      if (!(error instanceof Error) || error instanceof UsageError) throw error;
      const fix = "start its server or correct --set embedder.baseUrl; lamp-eval doctor --embedder tries it";
      throw new UnreachableError(`encoder ${error.message}; ${fix}`);
    }
}

function probe({ spec }: Arm, model: Model, signal: AbortSignal): Promise<ModelReply> {
  const { temperature } = readOptions(runOptions, spec.options);
  const effort = spec.options["model.effort"];
  const settings = defined({
    temperature: model.capabilities.temperature ? temperature : undefined,
    effort: effort === modelOptions["model.effort"].default ? undefined : (effort as string | undefined),
  });
  const fixed = { sample: 0, maxTokens: 1024, ...settings };
  return probeToolCalls(model.id, (asked) => askFresh(model, { ...fixed, ...asked }, signal));
}

/** Sends a request under the next sample number while a stored reply has no tool call: the server may have been reconfigured since. */
async function askFresh(model: Model, request: ModelRequest, signal: AbortSignal): Promise<ModelReply> {
  const reply = await model.complete(request, signal);
  if (!isFromStore(reply) || reply.toolCalls.length > 0) return reply;
  return askFresh(model, { ...request, sample: request.sample + 1 }, signal);
}

/** Returns true if an arm runs an agent with native tool calls. The embedded model is not probed: it makes tool calls. */
function callsTools({ method, options }: Arm, model: Model): boolean {
  if (model.simulated || !model.capabilities.tools || method.needs?.(options).agent !== true) return false;
  const given = (options as Readonly<Record<string, unknown>>)["agent.protocol"]; // an option of every method that runs agents
  const protocol = given === "native" || given === "text-react" ? given : "auto";
  return protocolOf({ "agent.protocol": protocol }, model) === "native";
}
