import type { Task } from "../types/index.js";
import { markerInput, textTask } from "./format.js";
import { benchmarkStyles } from "./styles/oppu.js";

export const lamp4: Task = {
  name: "lamp4",
  title: "LaMP-4: personalized news headline generation",
  benchmark: "LaMP",
  source: "Salemi et al. 2024, LaMP-4; LaMP-Benchmark/LaMP @38c9d4d",
  official: "LaMP_4",
  aliases: ["LaMP-4", "news_headline"],
  requiredFields: ["text", "title"],
  ...textTask("headline", "article", "(?:headline|title)"),
  ...markerInput({
    instruction: "Generate a headline for the following article:",
    marker: "article:",
    content: ({ text = "" }) => text,
    document: ({ title = "", text = "" }) => `${title} ${text}`,
    label: ({ title }) => title,
  }),
  summary: {
    instruction:
      "Below are articles by one author with their headlines. Describe a template of this author's headlines, specific enough in wording and style that the headline of another article could be predicted from it. Leave out anything that is true of all headlines.",
    profileFields: ["wording", "style", "length", "topics"],
  },
  styles: benchmarkStyles("newsHeadlineGeneration"),
};
