import type { Event, RawItem, RawQuery, Task } from "../types/index.js";
import { choiceQuestion, choiceTask } from "./choice.js";
import { dated, line } from "./format.js";
import { plainStyle } from "./styles/lamp.js";

/** Shows the whole conversation, or the user's words alone where its content was cut. */
const show = ({ date, content, document, fields }: Event): string =>
  line([date, content === (fields.said ?? document) ? document : content]);

/** Own words for the request of the authors' training code: the options by letter, the answer in a box. */
const WORDING = `{input}

Which of the following replies to this message suits the user best? Choose one.
{options}

Give your answer as \\boxed{a}, \\boxed{b}, \\boxed{c} or \\boxed{d}.`;

export const personamem: Task = {
  name: "personamem",
  title: "PersonaMem v2: the reply that suits the user",
  benchmark: "PersonaMem",
  source: "Jiang et al. 2025 (PersonaMem-v2, arXiv 2512.06688), text, multiple choice; PersonaMem-v2 @8d4fbef",
  official: "PersonaMem_v2",
  aliases: ["personamem-v2"],
  format: "personamem",
  chats: true,
  requiredFields: ["text"],
  itemNoun: "conversation",
  answerNoun: "option",
  maxAnswerTokens: 1024,
  event: (fields: RawItem): Event => {
    const { id, date, text = "", said = text, session } = fields;
    return { id, ...dated(date), fields, content: said, document: text, ...(session === undefined ? {} : { session }) };
  },
  formatEvent: show,
  summary: {
    instruction:
      "Below are conversations of one user with an assistant, oldest first. Describe this user: facts, preferences and dislikes, what has changed, and what the user asked to be forgotten. Reply with the description only.",
    profileFields: ["facts", "liked", "disliked", "changes"],
  },
  styles: { lamp: plainStyle("Earlier conversations of the user with an assistant:", show) },
  ...choiceTask(4),
  question: (query: RawQuery) => choiceQuestion(query, WORDING),
};
