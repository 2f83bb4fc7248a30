import { mention } from "../metrics/mention.js";
import { rouge1, rougeL } from "../metrics/rouge.js";
import { pyStrip } from "../text/python.js";
import type { Event, Question, RawItem, RawQuery, Reading, Task } from "../types/index.js";
import { dated, line } from "./format.js";
import { answerReading, anyText, UNPARSED } from "./reply-reading.js";
import { plainStyle } from "./styles/lamp.js";

const show: Task["formatEvent"] = ({ date, content, label }) =>
  line(label === undefined ? [date, content] : [date, `User: ${content}`, `Assistant: ${label}`]);

/** The parts that tasks of dialogues share: a question is a user's line, a history item a sentence of the persona. */
const dialogue = {
  dialogue: true,
  judges: ["dialogue-score"],
  kind: "text",
  requiredFields: ["text"],
  labels: [],
  answerNoun: "reply",
  itemNoun: "line",
  maxAnswerTokens: 512,
  question: ({ id, input, date }: RawQuery): Question => {
    const said = pyStrip(input);
    return { id, text: said, content: said, query: said, ...dated(date) };
  },
  event: (item: RawItem): Event => {
    const { text = "" } = item;
    return { id: item.id, ...dated(item.date), fields: item, content: text, document: text };
  },
  pose: () => undefined,
  formatEvent: show,
  strict: anyText,
  lenient: (reply: string): Reading => (pyStrip(reply) === "" ? UNPARSED : answerReading(pyStrip(reply))),
  summary: {
    instruction:
      "Below is what is known of one user and what was said in a dialogue with the user, one a line. Describe the user: facts of life, likes and dislikes, plans. Reply with the description only.",
    profileFields: ["facts", "liked", "disliked", "plans"],
  },
  styles: { lamp: plainStyle("What is known of the user:", show) },
} as const satisfies Partial<Task>;

/** Own dialogues of fifty turns in the structure of the assistant paper's "Alex". A gold is what a turn of recall asks for. */
export const alexLike: Task = {
  name: "alex-like",
  title: "Dialogues of 50 turns: long-term memory",
  source: "own text, in the structure of section 4.1.1 of the assistant paper (METHODS 11)",
  official: "alex_like",
  aliases: ["alex"],
  metrics: [mention],
  ...dialogue,
};

/** The last line of each dialogue is asked; the gold is the reply in the data, which the assistant paper does not use: its judge needs none. */
export const personachat: Task = {
  name: "personachat",
  title: "PersonaChat: the last reply of a dialogue",
  source: "Zhang et al. 2018 (PersonaChat), read as the assistant paper does; METHODS 11",
  official: "personachat",
  aliases: ["persona_chat", "convai2"],
  metrics: [rouge1, rougeL],
  ...dialogue,
};
