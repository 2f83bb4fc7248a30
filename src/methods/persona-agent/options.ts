import { agentOptions } from "../../agent/loop.js";
import { wikiOptions } from "../../agent/tools/wikipedia.js";
import { memoryOptions } from "../../memory/episodic.js";
import { graphOptions } from "../../memory/graph/shared-graph.js";
import { choice, integer, onlyWhere, thing, words } from "../../registry/options.js";
import { registry } from "../../registry/registry.js";
import { selectOptionsWhere } from "../../selectors/select-option.js";
import type { Options, OptionTable, OptionValue } from "../../types/index.js";
import { semanticMemoryOptions } from "../pag-summary.js";
import { paper } from "./optimizers/paper.js";
import type { Optimizer } from "./optimizers/steps.js";
import { textgrad } from "./optimizers/textgrad.js";

/** Every optimizer of a persona, by the name that `align.optimizer` takes. */
export const optimizers = registry<Optimizer>("optimizer", [paper, textgrad]);

/** The parts of the method that a variant has (METHODS 7.6). */
export interface Parts {
  /** The persona as system prompt; else the generic prompt of an agent. */
  readonly persona: boolean;
  /** Semantic memory: the user summary inside the persona. */
  readonly summary: boolean;
  /** Episodic memory: the `episodic_memory` tool. */
  readonly memory: boolean;
  /** Tools and the agent loop; else one call that reasons and answers. */
  readonly action: boolean;
  /** Test-time alignment of the persona. */
  readonly alignment: boolean;
}

export const WHOLE: Parts = { persona: true, summary: true, memory: true, action: true, alignment: true };

/** Gives the parts of a variant under its complete settings. */
export type PartsOf = (settings: Readonly<Record<string, unknown>>) => Parts;

/** Tells whether the episodic memory can be used: its tool needs the agent loop. */
export const hasMemoryTool = (parts: Parts): boolean => parts.memory && parts.action;

/** Tells whether the agent may search it: its tool is among those that it is given. */
export const searchesMemory = (parts: Parts, { "persona-agent.tools": tools }: ToolNames): boolean =>
  hasMemoryTool(parts) && tools.includes("memory");

/** Tells whether the user summary is used: it is a part of the persona. */
export const hasSummary = (parts: Parts): boolean => parts.summary && parts.persona;

/** Tells whether alignment is used: it changes the persona. */
export const aligns = (parts: Parts): boolean => parts.alignment && parts.persona;

interface ToolNames {
  readonly "persona-agent.tools": readonly string[];
}

const toolNames = (settings: Readonly<Record<string, OptionValue>>): ToolNames => ({
  "persona-agent.tools": String(settings["persona-agent.tools"]).split(","),
});

/** Counts the tools that the agent has. */
function toolCount(parts: Parts, { "persona-agent.tools": tools }: ToolNames, wikiMode: string): number {
  if (!parts.action) return 0;
  const isThere = (name: string): boolean =>
    name === "memory" ? parts.memory : name === "wikipedia" ? wikiMode !== "off" : name !== "";
  return tools.filter(isThere).length;
}

/** Options that matter under some parts only: the rules for tools, and those of a selector behind the memory tool. */
export const optionsOfParts = (of: PartsOf) => ({
  "persona-agent.toolRules": onlyWhere(
    (_task, settings) => {
      const parts = of(settings);
      return parts.persona && toolCount(parts, toolNames(settings), String(settings["wiki.mode"])) < 2;
    },
    choice({
      default: "fitting",
      of: ["fitting", "as-written"],
      help: "the persona's rules for tools: for as many as the agent has; or as PersonaAgent writes them, two tools demanded even of an agent that has one or none",
    }),
  ),
  ...selectOptionsWhere((settings) => searchesMemory(of(settings), toolNames(settings))),
});

/** Options of the method (METHODS 7.3 to 7.5, 8.3). */
export const personaAgentOptions = {
  "align.iterations": integer({ default: 1, help: "persona updates (PersonaAgent: 1); 0 = no alignment" }),
  "align.batchSize": integer({ default: 3, min: 1, help: "history items simulated per update (PersonaAgent: 3)" }),
  "align.batch": choice({
    default: "latest",
    of: ["latest", "rolling"],
    help: "latest: the same in every iteration; rolling: each iteration takes the next older ones",
  }),
  "align.schedule": choice({
    default: "once",
    of: ["once", "rolling", "per-query"],
    help: "once per user before the questions; rolling: again after each answered question that entered memory (--online); per-query: from the initial persona for each question",
  }),
  "align.memoryCutoff": choice({
    default: "before-event",
    of: ["before-event", "exclude-self", "none"],
    help: "what memory shows while an event is simulated: what came before it; all but the event; everything (leaks the answer)",
  }),
  "align.optimizer": thing({
    default: "paper",
    of: () => optimizers,
    help: "how feedback is made and turned into a new persona",
  }),
  ...memoryOptions,
  ...semanticMemoryOptions,
  ...agentOptions,
  ...wikiOptions,
  "persona-agent.tools": words({
    default: "wikipedia,memory",
    of: ["wikipedia", "memory", "graph_memory"],
    help: "what the agent can call; graph_memory: other users' similar events and their communities (PersonaAgent with GraphRAG)",
  }),
  ...graphOptions,
  ...optionsOfParts(() => WHOLE),
} satisfies OptionTable;

export type PersonaAgentOptions = Options<typeof personaAgentOptions>;

/** Counts the tools in the persona's rules. */
export const toolCountInRules = (parts: Parts, options: PersonaAgentOptions): number =>
  options["persona-agent.toolRules"] === "as-written" ? 2 : toolCount(parts, options, options["wiki.mode"]);
