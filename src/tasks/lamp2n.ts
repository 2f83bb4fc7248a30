import { NEWS_LABELS } from "../metrics/official-labels.js";
import type { Task } from "../types.js";
import { labelMetrics } from "./label-metrics.js";
import { exactLabel, namedLabel } from "./label-reading.js";
import { distribution, mostPopular } from "./label-summary.js";
import { marked } from "./marked.js";
import { shown } from "./shown.js";
import { lampStyle } from "./styles/lamp.js";
import { oppuStyle } from "./styles/oppu.js";

const LABELS = NEWS_LABELS;
const INSTRUCTION = "Which category does this article relate to among the following categories?";
const ANSWER = "Just answer with the category name without further explanation.";
// Three official orders: that of the scorer's labels above, of LaMP's inputs, and of OPPU's template.
const LAMP_ORDER =
  "[women, religion, politics, style & beauty, entertainment, culture & arts, sports, science & technology, travel, business, crime, education, healthy living, parents, food & drink]";
const OPPU_ORDER =
  "[travel, education, parents, style & beauty, entertainment, food & drink, science & technology, business, sports, healthy living, women, politics, crime, culture & arts, religion]";

export const lamp2n: Task = {
  name: "lamp2n",
  title: "LaMP-2N: personalized news categorization",
  source: "Salemi et al. 2023, LaMP-2 of 2023 (official until commit 3fe9efb); OPPU's LaMP_2N",
  official: "LaMP_2N",
  aliases: ["LaMP-2N", "LaMP-2-old", "news_categorize"],
  fields: ["text", "title", "category"],
  kind: "label",
  labels: LABELS,
  answerNoun: "category",
  itemNoun: "article",
  maxAnswerTokens: 64,
  metrics: labelMetrics(LABELS),
  ...marked({
    instruction: `${INSTRUCTION} ${ANSWER} categories: ${LAMP_ORDER} article:`,
    marker: "article:",
    content: ({ text = "" }) => text,
    document: ({ title = "", text = "" }) => `${title} ${text}`,
    label: ({ category }) => category,
  }),
  show: shown("article", "category"),
  strict: exactLabel(LABELS),
  lenient: namedLabel(LABELS),
  summary: {
    instruction:
      "Below are articles that one journalist has written, each with its category. Find the category this journalist writes in most often. Reply in this form only: most popular category: <category>",
    exact: mostPopular("category", LABELS),
    counts: distribution("category", "article", LABELS),
  },
  styles: {
    lamp: lampStyle({ item: ({ label }, text) => `the category for the article: "${text}" is "${label}" ` }),
    oppu: oppuStyle({
      marker: "] article: ",
      history: (text, category) => `article: ${text} category: ${category}`,
      query: (text) => `${INSTRUCTION} arcicle: ${text}`, // spelled so in OPPU
      prompt: (text) => `${INSTRUCTION} ${ANSWER} categories: ${OPPU_ORDER}\n article: ${text} category:`,
      profile: (items) =>
        `Look at the following past articles this journalist has written and determine the most popular category they write in. Answer in the following form: most popular category: <category>. User History: ${items} Answer:`,
    }),
  },
};
