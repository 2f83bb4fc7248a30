import { eventOptions } from "../../memory/episodic.js";
import { graphOptions } from "../../memory/graph/options.js";
import { choice } from "../../registry/options.js";
import { selectOptions } from "../../selectors/select-option.js";
import type { Options, OptionTable } from "../../types/index.js";
import { semanticMemoryOptions } from "../pag-summary.js";

export const graphRagOptions = {
  "graphrag.mode": choice({
    default: "community",
    of: ["community", "released"],
    help: "as PersonaAgent with GraphRAG describes it, communities and all; or as its code was released, defects included and counted",
  }),
  "graph-rag.blocks": choice({
    default: "own+global+communities+persona",
    of: ["own", "own+global", "own+global+communities", "own+global+communities+persona"],
    help: "what enters the prompt: own similar events, other users', communities with concepts, persona",
  }),
  "graph-rag.persona": choice({
    default: "category-prefs",
    of: ["category-prefs", "pag"],
    help: "the persona block: the user's most frequent labels (PersonaAgent with GraphRAG), or these and PAG's summary (pag.* knobs)",
  }),
  "graph-rag.fallback": choice({
    default: "none",
    of: ["none", "mode"],
    help: "a reply that names no label: leave it, or answer the user's most frequent label (flagged; inflates scores)",
  }),
  ...eventOptions,
  "graph-rag.releasedContext": choice({
    default: "first-query",
    of: ["first-query", "each-query"],
    help: "released mode: what is retrieved for a user's first question serves all of them (as its batch path), or each has its own",
  }),
  ...graphOptions,
  ...semanticMemoryOptions,
  ...selectOptions,
} satisfies OptionTable;

export type GraphRagOptions = Options<typeof graphRagOptions>;

/** Whether a block enters the prompt. */
export function hasBlock(block: "own" | "global" | "communities" | "persona", options: GraphRagOptions): boolean {
  return options["graph-rag.blocks"].split("+").includes(block);
}
