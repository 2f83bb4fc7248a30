import { MOVIE_LABELS } from "../metrics/official-labels.js";
import type { Task } from "../types/index.js";
import { distribution, labelMetrics, mostPopular, mostPopularForms } from "./label-summary.js";
import { marked, shown } from "./marked.js";
import { exactLabel, namedLabel } from "./reply-reading.js";
import { lampStyle } from "./styles/lamp.js";
import * as lampStrings from "./styles/lamp-strings.js";
import { oppuStyle } from "./styles/oppu.js";
import * as oppuStrings from "./styles/oppu-strings.js";

const LABELS = MOVIE_LABELS;
const INSTRUCTION = `Which tag does this movie relate to among the following tags? Just answer with the tag name without further explanation. tags: [${LABELS.join(", ")}] description:`;

export const lamp2m: Task = {
  name: "lamp2m",
  title: "LaMP-2M: personalized movie tagging",
  benchmark: "LaMP",
  source: "Salemi et al. 2024, LaMP-2; LaMP-Benchmark/LaMP @38c9d4d",
  official: "LaMP_2",
  aliases: ["LaMP-2M", "LaMP2", "LaMP_8", "movie_tagging"], // LaMP_8: the code inside OPPU's released files
  fields: ["description", "tag"],
  kind: "label",
  labels: LABELS,
  answerNoun: "tag",
  itemNoun: "movie",
  maxAnswerTokens: 64,
  metrics: labelMetrics(LABELS),
  ...marked({
    instruction: INSTRUCTION,
    marker: "description:",
    content: ({ description = "" }) => description,
    document: ({ description = "" }) => description,
    label: ({ tag }) => tag,
  }),
  show: shown("movie", "tag"),
  strict: exactLabel(LABELS),
  lenient: namedLabel(LABELS),
  summary: {
    instruction:
      "Below are movies that one user has watched, each with the tag the user gave it. Find the tag this user gives most often. Reply in this form only: most popular tag: <tag>",
    exact: mostPopular("tag", LABELS),
    exactForms: mostPopularForms("tag", LABELS),
    counts: distribution("tag", "movie", LABELS),
    fields: ["tags", "themes", "liked", "avoided"],
  },
  styles: { lamp: lampStyle(lampStrings.movieTagging), oppu: oppuStyle(oppuStrings.movieTagging) },
};
