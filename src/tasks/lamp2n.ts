import { NEWS_LABELS } from "../metrics/official-labels.js";
import type { Task } from "../types/index.js";
import { markerInput } from "./format.js";
import { labelSummaries, labelTask } from "./label-tasks.js";
import { benchmarkStyles } from "./styles/oppu.js";

export const lamp2n: Task = {
  name: "lamp2n",
  title: "LaMP-2N: personalized news categorization",
  benchmark: "LaMP",
  source: "Salemi et al. 2023, LaMP-2 of 2023 (official until commit 3fe9efb); OPPU's LaMP_2N",
  official: "LaMP_2N",
  aliases: ["LaMP-2N", "LaMP-2-old", "news_categorize"],
  requiredFields: ["text", "title", "category"],
  ...labelTask("category", "article", NEWS_LABELS),
  // The categories in the order of LaMP's inputs, which is not that of the scorer's labels.
  ...markerInput({
    instruction:
      "Which category does this article relate to among the following categories? Just answer with the category name without further explanation. categories: [women, religion, politics, style & beauty, entertainment, culture & arts, sports, science & technology, travel, business, crime, education, healthy living, parents, food & drink] article:",
    marker: "article:",
    content: ({ text = "" }) => text,
    document: ({ title = "", text = "" }) => `${title} ${text}`,
    label: ({ category }) => category,
  }),
  summary: {
    instruction:
      "Below are articles that one journalist has written, each with its category. Find the category this journalist writes in most often. Reply in this form only: most popular category: <category>",
    ...labelSummaries("category", "article", NEWS_LABELS),
    profileFields: ["categories", "beats"],
  },
  styles: benchmarkStyles("newsCategorization"),
};
