import type { Event, Task } from "../types/index.js";
import { dated, eventFormatter } from "./format.js";
import { anyText, bareText } from "./reply-reading.js";
import { plainStyle } from "./styles/lamp.js";

const text = ({ fields }: Event): string => fields.text ?? "";

/**
 * A person's question in a few words, to be answered as suits the one who wrote the earlier posts. Its details and the aspects that a
 * good answer covers are a rubric, which only the judge `aspects` sees. The prompts are in our words, and ask for no JSON: the
 * repository has no licence.
 */
export const lampQa: Task = {
  name: "lamp-qa",
  title: "LaMP-QA: personalized long answers",
  benchmark: "LaMP-QA",
  source: "Salemi and Zamani 2025, LaMP-QA (arXiv 2506.00137); LaMP-Benchmark/LaMP-QA @504410d",
  official: "LaMP-QA",
  aliases: [],
  format: "lamp-qa",
  unlabelled: true,
  requiredFields: ["text"],
  optionalFields: ["category"],
  kind: "text",
  labels: [],
  answerNoun: "answer",
  itemNoun: "post",
  maxAnswerTokens: 2048, // official: 4,096, which leaves no room for posts in small contexts
  majority: "none",
  metrics: [],
  judges: ["aspects"],
  question: ({ id, input, date }) => ({ id, text: input, content: input, query: input, ...dated(date) }),
  fullPrompt: (input) => input,
  event: (item) => {
    const { id, date, text = "", session } = item;
    const block = session === undefined ? {} : { session };
    return { id, ...dated(date), fields: item, content: text, document: text, ...block };
  },
  pose: () => undefined,
  formatEvent: eventFormatter("post", "answer"),
  strict: anyText,
  lenient: bareText("answer"),
  summary: {
    instruction:
      "Below are earlier posts of one person who asks questions on a web site. Describe what this person knows, likes and needs, and what answers suit this person. Reply with the description only.",
    profileFields: ["knowledge", "interests", "needs", "style"],
  },
  styles: { lamp: plainStyle("Earlier posts of the person who asks:", text) },
};
