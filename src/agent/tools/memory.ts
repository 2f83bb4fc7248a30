import type { EpisodicMemory } from "../../memory/episodic.js";
import type { GraphMemory } from "../../memory/graph/graph-memory.js";
import type { RecallContext } from "../../selectors/open.js";
import type { Tool } from "../../types/index.js";
import { querySchema, readQuery } from "../toolbox.js";

const NO_HISTORY = "no relevant history";

/** The tool's description after PersonaAgent appendix D, in our words. */
const DESCRIPTION = [
  "Searches the user's own past interactions and returns the most relevant ones.",
  "Good for: details of similar items, questions about the user's own data, and bringing the user's preferences into the final answer.",
  "Input: a specific search query or question about the content.",
  "Output: the matching past interactions, each with date, content and what the user did.",
  "Note: a more specific query gives more accurate results.",
  "Requirement: you must use this tool at least once to answer the question.",
].join(" ");

/** Makes the `episodic_memory` tool over one visible history (METHODS 7.3). Notes the ids it returned as `memory`. */
export function episodicMemoryTool(memory: EpisodicMemory, context: RecallContext): Tool {
  return {
    name: "episodic_memory",
    description: DESCRIPTION,
    parameters: querySchema("what to look for in the user's past interactions"),
    async run(input, use) {
      const query = readQuery(input);
      const found = await memory.recall(query, context);
      use.note({ kind: "memory", data: { query, events: found.map(({ event }) => event.id) } });
      return found.length === 0 ? NO_HISTORY : found.map(({ line }) => line).join("\n");
    },
  };
}

const NOTHING_FOUND = "none found";

const GRAPH_DESCRIPTION = [
  "Searches what other users did in similar cases, and the communities of topics these belong to.",
  "Good for: telling what an item is really about, and checking whether the user's own habits mislead.",
  "Input: a specific search query about the content.",
  "Output: similar interactions of other users, each with content and what that user did, then the topic communities with their labels.",
  "Note: a more specific query gives more accurate results; what this user did before is not in here.",
].join(" ");

/** Makes the `graph_memory` tool (METHODS 8.3). Notes the subgraph it returned as `graph`. */
export function graphMemoryTool(recall: GraphMemory): Tool {
  return {
    name: "graph_memory",
    description: GRAPH_DESCRIPTION,
    parameters: querySchema("what to look for among other users' interactions"),
    async run(input, use) {
      const { events, communities, note } = await recall(readQuery(input));
      use.note({ kind: "graph", data: note });
      return [
        "Similar interactions of other users:",
        ...(events.length === 0 ? [NOTHING_FOUND] : events),
        "Communities of topics:",
        ...(communities.length === 0 ? [NOTHING_FOUND] : communities),
      ].join("\n");
    },
  };
}
