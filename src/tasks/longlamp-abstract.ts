import type { Task } from "../types/index.js";
import { after } from "./format.js";
import { abstractGeneration, longlamp, longWording } from "./longlamp.js";

/** The words in front of the items that are searched for. Source: prompts/utils.py, extract_before_bullets. */
const ITEMS = "items:";

export const longlampAbstract: Task = {
  ...longlamp("abstract", "paper", abstractGeneration),
  name: "longlamp-abstract",
  title: "LongLaMP abstract: personalized abstract writing",
  official: "abstract_generation",
  aliases: ["generation_abstract"],
  requiredFields: ["title", "abstract"],
  table: { user: "name" },
  ...longWording({
    content: ({ title = "" }) => title,
    document: ({ title = "", abstract = "" }) => `${title} ${abstract}`,
    written: "abstract",
    instruction: ({ title = "" }) => `Generate an abstract for the title "${title}"`,
    parseInstruction: (input) => {
      const title = /title "([\s\S]*?)"(?: using the following items:|\s*$)/.exec(input)?.[1];
      return title === undefined ? undefined : { title };
    },
    fallbackField: "title",
    query: (input) => after(input, ITEMS),
  }),
  summary: {
    instruction:
      "Below are titles of papers by one author with their abstracts. Describe how this author writes abstracts: length, structure, tone, terms and turns of phrase. Reply with the description only.",
    profileFields: ["wording", "style", "length", "topics"],
  },
};
