import { rouge1, rougeL } from "../metrics/rouge.js";
import type { Task } from "../types.js";
import { marked } from "./marked.js";
import { shown } from "./shown.js";
import { lampStyle } from "./styles/lamp.js";
import { oppuStyle } from "./styles/oppu.js";
import { anyText, bareText } from "./text-reading.js";

const INSTRUCTION = "Generate a headline for the following article";

export const lamp4: Task = {
  name: "lamp4",
  title: "LaMP-4: personalized news headline generation",
  source: "Salemi et al. 2024, LaMP-4; LaMP-Benchmark/LaMP @38c9d4d",
  official: "LaMP_4",
  aliases: ["LaMP-4", "news_headline"],
  fields: ["text", "title"],
  kind: "text",
  labels: [],
  answerNoun: "headline",
  itemNoun: "article",
  maxAnswerTokens: 128,
  metrics: [rouge1, rougeL],
  ...marked({
    instruction: `${INSTRUCTION}:`,
    marker: "article:",
    content: ({ text = "" }) => text,
    document: ({ title = "", text = "" }) => `${title} ${text}`,
    label: ({ title }) => title,
  }),
  show: shown("article", "headline"),
  strict: anyText,
  lenient: bareText("(?:headline|title)"),
  summary: {
    instruction:
      "Below are articles by one author with their headlines. Describe a template of this author's headlines, specific enough in wording and style that the headline of another article could be predicted from it. Leave out anything that is true of all headlines.",
  },
  styles: {
    lamp: lampStyle({ item: ({ label }, text) => `"${label}" is the title for "${text}" ` }),
    oppu: oppuStyle({
      marker: `${INSTRUCTION}: `,
      history: (text, title) => `article: ${text} headline: ${title}`,
      query: (text) => `${INSTRUCTION}: ${text}`,
      prompt: (text) => `${INSTRUCTION}.\narticle: ${text} headline:`,
      trainingPrompt: (text) => `${INSTRUCTION}.\n article: ${text} headline:`,
      profile: (items) =>
        `Given this author’s previous articles, try to describe a template for their headlines. I want to be able to accurately predict the headline gives one of their articles. Be specific about their style and wording, don’t tell me anything generic. User History: ${items} Answer:`,
    }),
  },
};
