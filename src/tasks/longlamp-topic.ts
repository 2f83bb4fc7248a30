import type { Task } from "../types/index.js";
import { LONGLAMP, longlamp, longWording } from "./longlamp.js";
import { after, shown } from "./marked.js";
import { lampStyle } from "./styles/lamp.js";
import { LONGLAMP_PROMPTS, topicWriting } from "./styles/longlamp-strings.js";

export const longlampTopic: Task = {
  ...longlamp,
  name: "longlamp-topic",
  title: "LongLaMP topic: personalized topic writing (posts)",
  benchmark: "LongLaMP",
  source: LONGLAMP,
  official: "topic_writing",
  aliases: [],
  fields: ["summary", "content"],
  // The released items say summary and content, the official prompts read input and output (a KeyError there).
  table: { user: "author", alsoNamed: { input: "summary", output: "content" } },
  answerNoun: "post",
  itemNoun: "topic",
  ...longWording({
    content: ({ summary = "" }) => summary,
    document: ({ summary = "", content = "" }) => `${summary} ${content}`,
    written: "content",
    facts: (input) => {
      const summary = after(input, "Generate the content for a reddit post");
      return summary === undefined ? undefined : { summary };
    },
    whole: "summary",
    ask: ({ summary = "" }) => `Generate the content for a reddit post ${summary}`,
  }),
  show: shown("topic", "post"),
  summary: {
    instruction:
      "Below are summaries of posts by one person, each with the post. Describe how this person writes posts: length, structure, tone, opinions, turns of phrase. Reply with the description only.",
    fields: ["wording", "style", "length", "opinions"],
  },
  styles: { lamp: lampStyle(topicWriting, LONGLAMP_PROMPTS) },
};
