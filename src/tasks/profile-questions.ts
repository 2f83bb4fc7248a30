import { match } from "../metrics/match.js";
import { mention } from "../metrics/mention.js";
import type { Task } from "../types/index.js";
import { dated } from "./format.js";
import { anyText } from "./reply-reading.js";
import { plainStyle } from "./styles/lamp.js";

const show: Task["formatEvent"] = ({ fields }) => `${fields.attribute ?? "known"}: ${fields.value ?? ""}`;

/**
 * Data of the kind of RUMS: the question alone (the paper's x), and a user whose profile is a list of attributes. Some gain from the profile and have
 * no gold; questions of general knowledge have one. The attributes are the history events: undated, without a label.
 */
export const profileQuestions: Task = {
  name: "profile-questions",
  title: "Profile questions: which attributes help",
  unlabelled: true,
  source: "RUMS, appendix F; own sample, own text; the reader takes the user's files of the paper's data",
  official: "profile_questions",
  aliases: [],
  requiredFields: ["attribute", "value"],
  kind: "text",
  labels: [],
  answerNoun: "answer",
  itemNoun: "attribute",
  maxAnswerTokens: 1024, // ours: a cut reply is judged as incomplete
  metrics: [match, mention],
  question: ({ id, input, date }) => ({ id, text: input, content: input, query: input, ...dated(date) }),
  event: (item) => {
    const { id, date, attribute = "", value = "" } = item;
    return { id, ...dated(date), fields: item, content: `${attribute}: ${value}`, document: `${attribute} ${value}` };
  },
  pose: () => undefined,
  formatEvent: show,
  nameForSelection: ({ fields }) => fields.attribute ?? "known", // RUMS, Prompts 5 to 7: feature names without values
  strict: anyText,
  lenient: anyText,
  summary: {
    instruction:
      "Below is what is known of one person, an attribute a line. Describe the person in a few sentences. Reply with the description only.",
    profileFields: ["life", "likes", "needs"],
  },
  styles: { lamp: plainStyle("What is known of the person:", show) },
};
