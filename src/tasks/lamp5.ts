import { rouge1, rougeL } from "../metrics/rouge.js";
import type { Task } from "../types.js";
import { marked } from "./marked.js";
import { shown } from "./shown.js";
import { lampStyle } from "./styles/lamp.js";
import { oppuStyle } from "./styles/oppu.js";
import { anyText, bareText } from "./text-reading.js";

const INSTRUCTION = "Generate a title for the following abstract of a paper";
const PATTERNS = "Following the given patterns";

export const lamp5: Task = {
  name: "lamp5",
  title: "LaMP-5: personalized scholarly title generation",
  source: "Salemi et al. 2024, LaMP-5; LaMP-Benchmark/LaMP @38c9d4d",
  official: "LaMP_5",
  aliases: ["LaMP-5", "scholarly_title"],
  fields: ["title", "abstract"],
  kind: "text",
  labels: [],
  answerNoun: "title",
  itemNoun: "paper",
  maxAnswerTokens: 128,
  metrics: [rouge1, rougeL],
  ...marked({
    instruction: `${INSTRUCTION}:`,
    marker: "paper:",
    content: ({ abstract = "" }) => abstract,
    document: ({ title = "", abstract = "" }) => `${title} ${abstract}`,
    label: ({ title }) => title,
  }),
  show: shown("abstract", "title"),
  strict: anyText,
  lenient: bareText("title"),
  summary: {
    instruction:
      "Below are abstracts of papers by one author with their titles. Describe a template of this author's titles, from which the title of another paper could be predicted given its abstract. Reply with the description of the template only.",
  },
  styles: {
    lamp: lampStyle({
      item: ({ label }, text) => `"${label}" is a title for "${text}" `,
      place: (input, items) => `${items}. ${PATTERNS} ${input}`,
      itemTokens: ({ label }, tokenizer) => tokenizer.count(`"${label}" is a title " " `), // the script counts without "for"
      reservedTokens: (tokenizer) => 1 + tokenizer.count(PATTERNS),
    }),
    oppu: oppuStyle({
      marker: `${INSTRUCTION}: `,
      history: (text, title) => `abstract: ${text} title: ${title}`,
      query: (text) => `${INSTRUCTION}: ${text}`,
      prompt: (text) => `${INSTRUCTION}.\n abstract: ${text} title:`,
      profile: (items) =>
        `Given this author’s previous publications, try to describe a template for their titles. I want to be able to accurately predict the title of one of the papers from the abstract. Only generate the template description, nothing else. User History: ${items} Answer:`,
    }),
  },
};
