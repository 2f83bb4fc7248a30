import type { Task } from "../types/index.js";
import { LONGLAMP, longlamp, longWording } from "./longlamp.js";
import { after, shown } from "./marked.js";
import { lampStyle } from "./styles/lamp.js";
import { abstractGeneration, LONGLAMP_PROMPTS } from "./styles/longlamp-strings.js";

/** What stands in front of the items that are searched for. Source: prompts/utils.py, extract_before_bullets. */
const ITEMS = "items:";

export const longlampAbstract: Task = {
  ...longlamp,
  name: "longlamp-abstract",
  title: "LongLaMP abstract: personalized abstract writing",
  benchmark: "LongLaMP",
  source: LONGLAMP,
  official: "abstract_generation",
  aliases: ["generation_abstract"],
  fields: ["title", "abstract"],
  table: { user: "name" },
  answerNoun: "abstract",
  itemNoun: "paper",
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
  show: shown("paper", "abstract"),
  summary: {
    instruction:
      "Below are titles of papers by one author with their abstracts. Describe how this author writes abstracts: length, structure, tone, terms and turns of phrase. Reply with the description only.",
    fields: ["wording", "style", "length", "topics"],
  },
  styles: { lamp: lampStyle(abstractGeneration, LONGLAMP_PROMPTS) },
};
