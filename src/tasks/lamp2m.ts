import { MOVIE_LABELS } from "../metrics/official-labels.js";
import type { Task } from "../types/index.js";
import { markerInput } from "./format.js";
import { labelSummaries, labelTask } from "./label-tasks.js";
import { benchmarkStyles } from "./styles/oppu.js";

export const lamp2m: Task = {
  name: "lamp2m",
  title: "LaMP-2M: personalized movie tagging",
  benchmark: "LaMP",
  source: "Salemi et al. 2024, LaMP-2; LaMP-Benchmark/LaMP @38c9d4d",
  official: "LaMP_2",
  aliases: ["LaMP-2M", "LaMP2", "LaMP_8", "movie_tagging"], // LaMP_8: the code inside OPPU's released files
  requiredFields: ["description", "tag"],
  ...labelTask("tag", "movie", MOVIE_LABELS),
  ...markerInput({
    instruction: `Which tag does this movie relate to among the following tags? Just answer with the tag name without further explanation. tags: [${MOVIE_LABELS.join(", ")}] description:`,
    marker: "description:",
    content: ({ description = "" }) => description,
    document: ({ description = "" }) => description,
    label: ({ tag }) => tag,
  }),
  summary: {
    instruction:
      "Below are movies that one user has watched, each with the tag the user gave it. Find the tag this user gives most often. Reply in this form only: most popular tag: <tag>",
    ...labelSummaries("tag", "movie", MOVIE_LABELS),
    profileFields: ["tags", "themes", "liked", "avoided"],
  },
  styles: benchmarkStyles("movieTagging"),
};
