import { AGENT_SYSTEM_PROMPT, type AgentSettings, agentOptions, runAgent } from "../agent/loop.js";
import { episodicMemoryTool } from "../agent/tools/memory.js";
import { type WikiSettings, wikiOptions } from "../agent/tools/wikipedia.js";
import { episodicMemory, memoryOptions } from "../memory/episodic.js";
import { words } from "../registry/options.js";
import { selectionCalls } from "../selectors/open.js";
import { selectOptionsWhere } from "../selectors/select-option.js";
import type { Answerer, Kit, Method, OptionTable, Tool } from "../types/index.js";
import { callPlan } from "./calls.js";

/** Returns the run's `wikipedia` tool as a list: empty with `wiki.mode=off` and never otherwise. */
export function wikipediaOf(kit: Kit, settings: Pick<WikiSettings, "wiki.mode">): readonly Tool[] {
  if (settings["wiki.mode"] === "off") return [];
  const tool = kit.tool("wikipedia");
  if (tool === undefined)
    throw new Error(`wiki.mode=${settings["wiki.mode"]} but the run has set up no wikipedia tool`);
  return [tool];
}

/** Plans the model calls of one agent run. */
export const agentCalls = (settings: AgentSettings): { readonly low: number; readonly high: number } => ({
  low: 1,
  high: settings["agent.maxSteps"] + 1, // one more for an answer where no step is left
});

const MEMORY = "episodic-memory";

const options = {
  "react.tools": words({
    default: "wikipedia",
    of: ["wikipedia", MEMORY],
    help: "what the agent can call (PersonaAgent: Wikipedia search)",
  }),
  ...agentOptions,
  ...wikiOptions,
  ...memoryOptions,
  ...selectOptionsWhere((settings) => String(settings["react.tools"]).split(",").includes(MEMORY)),
} satisfies OptionTable;

export const react: Method<typeof options> = {
  name: "react",
  summary: "an agent that reasons and searches Wikipedia; knows nothing of the user",
  source: "Yao et al. 2023 (ReAct) as run in PersonaAgent; METHODS 5",
  options,
  embeds: ({ select, "react.tools": tools }) => tools.includes(MEMORY) && (select === undefined || undefined),
  async personalize(user, options, unitKit) {
    const chosen = options["react.tools"];
    const memory = chosen.includes(MEMORY) ? await episodicMemory(user.history, options, unitKit) : undefined;
    const answerer: Answerer = async (question, kit) => {
      const wikipedia = chosen.includes("wikipedia") ? wikipediaOf(kit, options) : [];
      const run = await runAgent({
        kit,
        phase: "answer",
        system: AGENT_SYSTEM_PROMPT,
        question: question.text,
        tools: [...wikipedia, ...(memory === undefined ? [] : [episodicMemoryTool(memory, { question, kit })])],
        settings: options,
      });
      return run.answer;
    };
    if (memory !== undefined) answerer.learn = memory.add;
    return answerer;
  },
  needs: (options) => ({ tools: options["react.tools"].filter((name) => name === "wikipedia"), agent: true }),
  plan: (options) => {
    const selecting = options["react.tools"].includes(MEMORY) ? options : {}; // a selector is behind that tool
    return callPlan(selecting, {
      perQuestion: () => ({
        ...selectionCalls(selecting, options["agent.maxSteps"]),
        answer: agentCalls(options),
      }),
    });
  },
};
