import type { Task } from "../types/index.js";
import { eventFormatter, markerInput, textTask } from "./format.js";
import { benchmarkStyles } from "./styles/oppu.js";

export const lamp5: Task = {
  name: "lamp5",
  title: "LaMP-5: personalized scholarly title generation",
  benchmark: "LaMP",
  source: "Salemi et al. 2024, LaMP-5; LaMP-Benchmark/LaMP @38c9d4d",
  official: "LaMP_5",
  aliases: ["LaMP-5", "scholarly_title"],
  requiredFields: ["title", "abstract"],
  ...textTask("title", "paper"),
  ...markerInput({
    instruction: "Generate a title for the following abstract of a paper:",
    marker: "paper:",
    content: ({ abstract = "" }) => abstract,
    document: ({ title = "", abstract = "" }) => `${title} ${abstract}`,
    label: ({ title }) => title,
  }),
  formatEvent: eventFormatter("abstract", "title"),
  summary: {
    instruction:
      "Below are abstracts of papers by one author with their titles. Describe a template of this author's titles, from which the title of another paper could be predicted given its abstract. Reply with the description of the template only.",
    profileFields: ["wording", "style", "length", "topics"],
  },
  styles: benchmarkStyles("scholarlyTitleGeneration"),
};
