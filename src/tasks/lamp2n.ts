import { NEWS_LABELS } from "../metrics/official-labels.js";
import type { Task } from "../types/index.js";
import { distribution, labelMetrics, mostPopular, mostPopularForms } from "./label-summary.js";
import { marked, shown } from "./marked.js";
import { exactLabel, namedLabel } from "./reply-reading.js";
import { lampStyle } from "./styles/lamp.js";
import * as lampStrings from "./styles/lamp-strings.js";
import { oppuStyle } from "./styles/oppu.js";
import * as oppuStrings from "./styles/oppu-strings.js";

const LABELS = NEWS_LABELS;
// The categories in the order of LaMP's inputs, which is not that of the scorer's labels above.
const INSTRUCTION =
  "Which category does this article relate to among the following categories? Just answer with the category name without further explanation. categories: [women, religion, politics, style & beauty, entertainment, culture & arts, sports, science & technology, travel, business, crime, education, healthy living, parents, food & drink] article:";

export const lamp2n: Task = {
  name: "lamp2n",
  title: "LaMP-2N: personalized news categorization",
  benchmark: "LaMP",
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
    instruction: INSTRUCTION,
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
    exactForms: mostPopularForms("category", LABELS),
    counts: distribution("category", "article", LABELS),
    fields: ["categories", "beats"],
  },
  styles: { lamp: lampStyle(lampStrings.newsCategorization), oppu: oppuStyle(oppuStrings.newsCategorization) },
};
