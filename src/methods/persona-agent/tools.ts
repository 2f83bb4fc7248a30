import { episodicMemoryTool, graphMemoryTool } from "../../agent/tools/memory.js";
import type { WikiSettings } from "../../agent/tools/wikipedia.js";
import type { EpisodicMemory } from "../../memory/episodic.js";
import { graphMemory, sharedGraphNote } from "../../memory/graph/graph-memory.js";
import { graphOptions } from "../../memory/graph/options.js";
import { type GraphView, openView } from "../../memory/graph/semantic-context.js";
import { openSharedGraph } from "../../memory/graph/shared-graph.js";
import { noteGraphSize } from "../../notes/note.js";
import { words } from "../../registry/options.js";
import { englishStopWords } from "../../text/tokens.js";
import type { Event, Kit, Options, OptionTable, Question, Tool, User } from "../../types/index.js";
import { wikipediaOf } from "../react.js";
import { type Parts, searchesMemory } from "./parts.js";

/** Which tools the agent has (METHODS 7.3, 8.3). */
export const toolOptions = {
  "persona-agent.tools": words({
    default: "wikipedia,memory",
    of: ["wikipedia", "memory", "graph_memory"],
    help: "what the agent can call; graph_memory: other users' similar events and their communities (PersonaAgent with GraphRAG)",
  }),
  ...graphOptions,
} satisfies OptionTable;

type ToolOptions = Options<typeof toolOptions>;

/** What one question may look up in other users' pasts, asked when the user's own past was `past`. */
export type GraphTool = (question: Question, past: readonly Event[]) => Promise<Tool>;

/** Opens the `graph_memory` tool for a user; undefined where it is not wanted or there is no agent to call it. */
export async function openGraphTool(
  { id }: User,
  parts: Parts,
  options: ToolOptions,
  kit: Kit,
): Promise<GraphTool | undefined> {
  if (!usesGraph(parts, options)) return undefined;
  const shared = await openSharedGraph(options, { stopWords: englishStopWords }, kit);
  noteGraphSize(kit, await sharedGraphNote(shared, kit));
  const views = new WeakMap<readonly Event[], Promise<GraphView>>(); // a past serves many questions
  return async (question, past) => {
    const view = views.get(past) ?? openView({ id, history: past }, shared, kit.others);
    views.set(past, view);
    return graphMemoryTool(graphMemory(await view, question, options, kit.task));
  };
}

/** Whether the pool of other users is read. */
export const usesGraph = (parts: Parts, options: ToolOptions): boolean =>
  parts.action && options["persona-agent.tools"].includes("graph_memory");

/** Whether the run's embedder is asked; undefined: where the settings of the memory say so. */
export function embeds(parts: Parts, options: ToolOptions): boolean | undefined {
  if (usesGraph(parts, options) && options["graph-rag.weighting"] === "dense") return true;
  return searchesMemory(parts, options) ? undefined : false;
}

/** The tools of one agent run, in the order in which they are described to the model. */
export function toolsOf(
  memory: EpisodicMemory | undefined,
  graph: Tool | undefined,
  options: Pick<ToolOptions, "persona-agent.tools"> & Pick<WikiSettings, "wiki.mode">,
  question: Question,
  kit: Kit,
): Tool[] {
  const chosen = options["persona-agent.tools"];
  return [
    ...(chosen.includes("wikipedia") ? wikipediaOf(kit, options) : []),
    ...(memory !== undefined && chosen.includes("memory") ? [episodicMemoryTool(memory, { question, kit })] : []),
    ...(graph === undefined ? [] : [graph]),
  ];
}
