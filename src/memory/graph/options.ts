import { choice, integer, onlyWhere, thing } from "../../registry/options.js";
import type { Options, OptionValue } from "../../types/index.js";
import { conceptReaders } from "./concepts/index.js";
import { similarities } from "./similarity.js";

/** Knobs of the knowledge graph and of what is retrieved from it (METHODS 8.3). */
export const graphOptions = {
  "graph.concepts": thing({
    default: "named",
    of: () => conceptReaders,
    help: "how concepts are found: pattern and domain rules as in PersonaAgent with GraphRAG without function words; with them, as its code was released; or stemmed content words",
  }),
  "graph.asOf": onlyWhere(
    (_task, settings) => readsGraph(settings),
    choice({
      default: "day",
      of: ["day", "month", "year", "run"],
      help: "what word weights and communities are made of for a dated question: others' events up to its day, or up to the beginning of its month or year (fewer graphs are built); run: the whole pool, later events included",
    }),
  ),
  "graph-rag.kUser": integer({ default: 3, help: "the user's own similar events (PersonaAgent with GraphRAG: 3)" }),
  "graph-rag.kGlobal": integer({ default: 3, help: "similar events of other users (PersonaAgent with GraphRAG: 3)" }),
  "graph-rag.weighting": choice({
    default: "tfidf",
    of: Object.keys(similarities) as (keyof typeof similarities)[],
    help: "similarity: cosine of TF-IDF as scikit-learn, or of the run's embedder",
  }),
  "graph-rag.communities": integer({ default: 2, help: "communities shown, those that overlap most" }),
  "graph-rag.reports": choice({
    default: "template",
    of: ["template", "llm"],
    help: "community reports: computed (no call), or written by the model, one call per community and cell",
  }),
} as const;

export type GraphSettings = Options<typeof graphOptions>;

/** Agents have these knobs too, and read the graph only where they have its tool. */
function readsGraph(settings: Readonly<Record<string, OptionValue>>): boolean {
  const tools = settings["persona-agent.tools"];
  return tools === undefined || String(tools).split(",").includes("graph_memory");
}
