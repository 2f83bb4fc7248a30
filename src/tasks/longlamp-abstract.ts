import type { Task } from "../types/index.js";
import { abstractGeneration, longlamp, longWording } from "./longlamp.js";
import { after } from "./marked.js";

/** What stands in front of the items that are searched for. Source: prompts/utils.py, extract_before_bullets. */
const ITEMS = "items:";

export const longlampAbstract: Task = {
  ...longlamp("abstract", "paper", abstractGeneration),
  name: "longlamp-abstract",
  title: "LongLaMP abstract: personalized abstract writing",
  official: "abstract_generation",
  aliases: ["generation_abstract"],
  fields: ["title", "abstract"],
  table: { user: "name" },
  ...longWording({
    content: ({ title = "" }) => title,
    document: ({ title = "", abstract = "" }) => `${title} ${abstract}`,
    written: "abstract",
    ask: ({ title = "" }) => `Generate an abstract for the title "${title}"`,
    facts: (input) => {
      const title = /title "([\s\S]*?)"(?: using the following items:|\s*$)/.exec(input)?.[1];
      return title === undefined ? undefined : { title };
    },
    whole: "title",
    query: (input) => after(input, ITEMS),
  }),
  summary: {
    instruction:
      "Below are titles of papers by one author with their abstracts. Describe how this author writes abstracts: length, structure, tone, terms and turns of phrase. Reply with the description only.",
    fields: ["wording", "style", "length", "topics"],
  },
};
