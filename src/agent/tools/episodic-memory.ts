import type { AskedFor, EpisodicMemory } from "../../memory/episodic.js";
import { noteMemory } from "../../notes/note.js";
import type { Tool } from "../../types.js";
import { querySchema, readQuery } from "../read-query.js";

export const NO_HISTORY = "no relevant history";

/** What PersonaAgent appendix D says of this tool, in our words. */
const DESCRIPTION = [
  "Searches the user's own past interactions and returns the most relevant ones.",
  "Good for: details of similar items, questions about the user's own data, and bringing the user's preferences into the final answer.",
  "Input: a specific search query or question about the content.",
  "Output: the matching past interactions, each with date, content and what the user did.",
  "Note: a more specific query gives more accurate results.",
  "Requirement: you must use this tool at least once to answer the question.",
].join(" ");

/** The `episodic_memory` tool over one visible past (METHODS 7.3). Notes the ids it returned as `memory`. */
export function episodicMemoryTool(memory: EpisodicMemory, asked?: AskedFor): Tool {
  return {
    name: "episodic_memory",
    description: DESCRIPTION,
    parameters: querySchema("what to look for in the user's past interactions"),
    async run(input, use) {
      const query = readQuery(input);
      const found = await memory.recall(query, asked);
      noteMemory(use, { query, events: found.map(({ event }) => event.id) });
      return found.length === 0 ? NO_HISTORY : found.map(({ line }) => line).join("\n");
    },
  };
}
