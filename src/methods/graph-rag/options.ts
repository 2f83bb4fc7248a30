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
  ...eventOptions,
  ...graphOptions,
  ...semanticMemoryOptions,
  ...selectOptions,
} satisfies OptionTable;

export type GraphRagOptions = Options<typeof graphRagOptions>;

/** Whether a block enters the prompt. */
export function hasBlock(block: "own" | "global" | "communities" | "persona", options: GraphRagOptions): boolean {
  return options["graph-rag.blocks"].split("+").includes(block);
}
