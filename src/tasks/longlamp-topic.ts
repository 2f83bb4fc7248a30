import type { Task } from "../types/index.js";
import { after } from "./format.js";
import { longlamp, longWording, topicWriting } from "./longlamp.js";

export const longlampTopic: Task = {
  ...longlamp("post", "topic", topicWriting),
  name: "longlamp-topic",
  title: "LongLaMP topic: personalized topic writing (posts)",
  official: "topic_writing",
  aliases: [],
  requiredFields: ["summary", "content"],
  // The released items say summary and content, the official prompts read input and output (a KeyError there).
  table: { user: "author", alsoNamed: { input: "summary", output: "content" } },
  ...longWording({
    content: ({ summary = "" }) => summary,
    document: ({ summary = "", content = "" }) => `${summary} ${content}`,
    written: "content",
    parseInstruction: (input) => {
      const summary = after(input, "Generate the content for a reddit post");
      return summary === undefined ? undefined : { summary };
    },
    fallbackField: "summary",
    instruction: ({ summary = "" }) => `Generate the content for a reddit post ${summary}`,
  }),
  summary: {
    instruction:
      "Below are summaries of posts by one person, each with the post. Describe how this person writes posts: length, structure, tone, opinions, turns of phrase. Reply with the description only.",
    profileFields: ["wording", "style", "length", "opinions"],
  },
};
