import type { Event, RawItem, Task } from "../types/index.js";
import { dated, line } from "./marked.js";
import { plainStyle } from "./styles/plain.js";

/** All that was said; of an item that was cut, what is left of the user's words. */
const show = ({ date, content, document, fields }: Event): string =>
  line([date, content === (fields.said ?? document) ? document : content]);

/** What tasks over chat histories have in common: a past item is a round or a session of the user's chats with an assistant. */
export const chatHistory = {
  chats: true,
  fields: ["text"],
  itemNoun: "conversation",
  answerNoun: "option",
  maxAnswerTokens: 1024,
  event: (fields: RawItem): Event => {
    const { id, date, text = "", said = text, session } = fields;
    return { id, ...dated(date), fields, content: said, document: text, ...(session === undefined ? {} : { session }) };
  },
  show,
  summary: {
    instruction:
      "Below are conversations of one user with an assistant, oldest first. Describe this user: facts, preferences and dislikes, what has changed, and what the user asked to be forgotten. Reply with the description only.",
    fields: ["facts", "liked", "disliked", "changes"],
  },
  styles: { lamp: plainStyle("Earlier conversations of the user with an assistant:", show) },
} as const satisfies Partial<Task>;
