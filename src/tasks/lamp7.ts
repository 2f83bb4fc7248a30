import type { Task } from "../types/index.js";
import { line, markerInput, textTask } from "./format.js";
import { benchmarkStyles } from "./styles/oppu.js";

/** The history holds tweets only, never what they paraphrase: such an event cannot be posed as a question. */
export const lamp7: Task = {
  name: "lamp7",
  title: "LaMP-7: personalized tweet paraphrasing",
  benchmark: "LaMP",
  source: "Salemi et al. 2024, LaMP-7; LaMP-Benchmark/LaMP @38c9d4d",
  official: "LaMP_7",
  aliases: ["LaMP-7", "tweet_paraphrase"],
  requiredFields: ["text"],
  ...textTask("tweet", "tweet", "(?:tweet|paraphrase)"),
  ...markerInput({
    instruction: "Paraphrase the following tweet without any explanation before or after it:",
    marker: ":",
    content: ({ text = "" }) => text,
    document: ({ text = "" }) => text,
    label: ({ text }) => text,
  }),
  pose: () => undefined,
  formatEvent: ({ date, content }) => line([date, `tweet: ${content}`]),
  summary: {
    instruction:
      "Below are tweets by one person. Describe a template of this person's tweets (style, punctuation, capitalization, wording, tone), from which a plain sentence could be rewritten as one of them. Reply with the description of the template only.",
    profileFields: ["wording", "style", "punctuation", "tone"],
  },
  styles: benchmarkStyles("tweetParaphrasing"),
};
