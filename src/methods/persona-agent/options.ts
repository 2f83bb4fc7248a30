import { agentOptions } from "../../agent/options.js";
import { wikiOptions } from "../../agent/tools/wikipedia.js";
import { memoryOptions } from "../../memory/episodic.js";
import { choice, integer, onlyWhere, thing } from "../../registry/options.js";
import { selectOptionsWhere } from "../../selectors/select-option.js";
import type { Options, OptionTable, OptionValue } from "../../types/index.js";
import { semanticMemoryOptions } from "../pag-summary.js";
import { optimizers } from "./optimizers/index.js";
import { type Parts, searchesMemory, WHOLE } from "./parts.js";
import { toolOptions } from "./tools.js";

/** Knobs of test-time alignment (METHODS 7.4, 7.5). */
const alignOptions = {
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
} as const;

/**
 * What the persona says of tools. `of`: the parts that a variant has under these settings. The question arises where they have
 * fewer tools than the two that the paper's rules demand.
 */
export const toolRulesOption = (of: (settings: Readonly<Record<string, OptionValue>>) => Parts) => ({
  "persona-agent.toolRules": onlyWhere(
    (_task, settings) => {
      const parts = of(settings);
      const tools = String(settings["persona-agent.tools"]).split(",");
      return parts.persona && toolCount(parts, tools, String(settings["wiki.mode"])) < 2;
    },
    choice({
      default: "fitting",
      of: ["fitting", "as-written"],
      help: "the persona's rules for tools: for as many as the agent has; or as PersonaAgent writes them, two tools demanded even of an agent that has one or none",
    }),
  ),
});

/** The knobs of a selector, which matter where the agent has the tool that asks it. */
export const memorySelectOptions = (of: (settings: Readonly<Record<string, OptionValue>>) => Parts) =>
  selectOptionsWhere((settings) =>
    searchesMemory(of(settings), { "persona-agent.tools": String(settings["persona-agent.tools"]).split(",") }),
  );

/** How many tools the agent has. */
const toolCount = (parts: Parts, tools: readonly string[], wikiMode: string): number =>
  parts.action
    ? tools.filter((name) =>
        name === "memory" ? parts.memory : name === "wikipedia" ? wikiMode !== "off" : name !== "",
      ).length
    : 0;

export const personaAgentOptions = {
  ...alignOptions,
  ...memoryOptions,
  ...semanticMemoryOptions,
  ...agentOptions,
  ...wikiOptions,
  ...toolOptions,
  ...toolRulesOption(() => WHOLE),
  ...memorySelectOptions(() => WHOLE),
} satisfies OptionTable;

export type PersonaAgentOptions = Options<typeof personaAgentOptions>;

/** How many tools the persona speaks of. */
export const ruledTools = (parts: Parts, options: PersonaAgentOptions): number =>
  options["persona-agent.toolRules"] === "as-written"
    ? 2
    : toolCount(parts, options["persona-agent.tools"], options["wiki.mode"]);
