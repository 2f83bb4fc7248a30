import type { GraphMemory } from "../../memory/graph/graph-memory.js";
import { noteGraph } from "../../notes/note.js";
import type { Tool } from "../../types.js";
import { querySchema, readQuery } from "../read-query.js";

const NOTHING_FOUND = "none found";

const DESCRIPTION = [
  "Searches what other users did in similar cases, and the communities of topics these belong to.",
  "Good for: telling what an item is really about, and checking whether the user's own habits mislead.",
  "Input: a specific search query about the content.",
  "Output: similar interactions of other users, each with content and what that user did, then the topic communities with their labels.",
  "Note: a more specific query gives more accurate results; what this user did before is not in here.",
].join(" ");

/** The `graph_memory` tool (METHODS 8.3). Notes the subgraph it returned as `graph`. */
export function graphMemoryTool(memory: GraphMemory): Tool {
  return {
    name: "graph_memory",
    description: DESCRIPTION,
    parameters: querySchema("what to look for among other users' interactions"),
    async run(input, use) {
      const { events, communities, note } = await memory.recall(readQuery(input));
      noteGraph(use, note);
      return [
        "Similar interactions of other users:",
        ...(events.length === 0 ? [NOTHING_FOUND] : events),
        "Communities of topics:",
        ...(communities.length === 0 ? [NOTHING_FOUND] : communities),
      ].join("\n");
    },
  };
}
