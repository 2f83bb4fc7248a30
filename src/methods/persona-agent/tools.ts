import { episodicMemoryTool, graphMemoryTool } from "../../agent/tools/memory.js";
import type { EpisodicMemory } from "../../memory/episodic.js";
import { graphMemory, poolGraphNote } from "../../memory/graph/graph-memory.js";
import { openView, type UserGraphView } from "../../memory/graph/semantic-context.js";
import { openPoolGraph } from "../../memory/graph/shared-graph.js";
import { englishStopWords } from "../../text/tokens.js";
import type { Event, Kit, Question, Tool, User } from "../../types/index.js";
import { wikipediaOf } from "../react.js";
import { type Parts, type PersonaAgentOptions, searchesMemory } from "./options.js";

/** Opens the `graph_memory` tool of one question, for a user whose history is `past`. */
export type OpenGraphTool = (question: Question, past: readonly Event[]) => Promise<Tool>;

/** Opens the `graph_memory` tool for a user; undefined where it is not wanted or there is no agent to call it. */
export async function openGraphTool(
  { id }: User,
  parts: Parts,
  options: PersonaAgentOptions,
  kit: Kit,
): Promise<OpenGraphTool | undefined> {
  if (!usesGraph(parts, options)) return undefined;
  const shared = await openPoolGraph(options, { stopWords: englishStopWords }, kit);
  kit.note({ kind: "graph-size", data: await poolGraphNote(shared, kit) });
  const views = new WeakMap<readonly Event[], Promise<UserGraphView>>(); // a history serves many questions
  return async (question, past) => {
    const view = views.get(past) ?? openView({ id, history: past }, shared, kit.others);
    views.set(past, view);
    return graphMemoryTool(graphMemory(await view, question, options, kit.task));
  };
}

/** Returns whether the pool of other users is read. */
export const usesGraph = (parts: Parts, options: PersonaAgentOptions): boolean =>
  parts.action && options["persona-agent.tools"].includes("graph_memory");

/** Returns whether the run's embedder is used; undefined: it depends on the selector. */
export function embeds(parts: Parts, options: PersonaAgentOptions): boolean | undefined {
  if (usesGraph(parts, options) && options["graph-rag.weighting"] === "dense") return true;
  return searchesMemory(parts, options) && (options.select === undefined || undefined);
}

/** Returns the tools of one agent run, in the order in which they are described to the model. */
export function toolsOf(
  memory: EpisodicMemory | undefined,
  graph: Tool | undefined,
  options: PersonaAgentOptions,
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
