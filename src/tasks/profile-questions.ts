import { match } from "../metrics/match.js";
import { mention } from "../metrics/mention.js";
import type { Task } from "../types/index.js";
import { marked } from "./marked.js";
import { anyText } from "./reply-reading.js";
import { plainStyle } from "./styles/plain.js";

const show: Task["show"] = ({ fields }) => `${fields.attribute ?? "known"}: ${fields.value ?? ""}`;

/** Stands before every question of such data. */
export const PROFILE_QUESTION =
  "Answer the question for this person, using what is known of the person where it helps. question:";

/**
 * Data of the kind of RUMS: questions of a person whose profile is a list of attributes. Some gain from the profile and have
 * no gold; questions of general knowledge have one. The attributes are the past events: undated, without a label.
 */
export const profileQuestions: Task = {
  name: "profile-questions",
  title: "Profile questions: which attributes help",
  unlabelled: true,
  source: "RUMS, appendix F; own sample, own text; the reader takes the user's files of the paper's data",
  official: "profile_questions",
  aliases: [],
  fields: ["attribute", "value"],
  kind: "text",
  labels: [],
  answerNoun: "answer",
  itemNoun: "attribute",
  maxAnswerTokens: 128,
  metrics: [match, mention],
  ...marked({
    instruction: PROFILE_QUESTION,
    marker: "question:",
    content: ({ attribute = "", value = "" }) => `${attribute}: ${value}`,
    document: ({ attribute = "", value = "" }) => `${attribute} ${value}`,
    label: () => undefined,
  }),
  show,
  strict: anyText,
  lenient: anyText,
  summary: {
    instruction:
      "Below is what is known of one person, an attribute a line. Describe the person in a few sentences. Reply with the description only.",
    fields: ["life", "likes", "needs"],
  },
  styles: { lamp: plainStyle("What is known of the person:", show) },
};
