import { mae } from "../metrics/mae.js";
import { rmse } from "../metrics/rmse.js";
import type { Event, Task } from "../types/index.js";
import { markerInput } from "./format.js";
import { labelCounts, labelSummaries, labelTask } from "./label-tasks.js";
import { namedNumber, numberAnswer } from "./reply-reading.js";
import { benchmarkStyles } from "./styles/oppu.js";

const LABELS = ["1", "2", "3", "4", "5"];

export const lamp3: Task = {
  name: "lamp3",
  title: "LaMP-3: personalized product rating",
  benchmark: "LaMP",
  source: "Salemi et al. 2024, LaMP-3; LaMP-Benchmark/LaMP @38c9d4d",
  official: "LaMP_3",
  aliases: ["LaMP-3", "product_rating"],
  requiredFields: ["text", "score"],
  ...labelTask("score", "review", LABELS),
  kind: "rating",
  metrics: [mae, rmse],
  ...markerInput({
    instruction:
      "What is the score of the following review on a scale of 1 to 5? just answer with 1, 2, 3, 4, or 5 without further explanation. review:",
    marker: "review:",
    content: ({ text = "" }) => text,
    document: ({ text = "" }) => text,
    label: ({ score }) => score,
  }),
  strict: numberAnswer,
  lenient: namedNumber(LABELS),
  summary: {
    instruction:
      "Below are reviews by one user, each with the score the user gave. Find which score this user gives most often in positive reviews, and which most often in negative ones. Reply in this form only: most common positive score: <score>, most common negative score: <score>",
    ...labelSummaries("score", "review", LABELS),
    modeSentences: commonScores,
    profileFields: ["mean score", "praised", "blamed", "kinds of products"],
  },
  styles: benchmarkStyles("productRating"),
};

/**
 * Computes the summary in OPPU's form: 4 and 5 are positive, 1 and 2 negative, 3 is neither; `none` where a side is empty. One text for each choice
 * among equally frequent scores of a side.
 */
function commonScores(history: readonly Event[]): string[] {
  const counts = labelCounts(history, LABELS);
  if (counts.length === 0) return [];
  const most = (scores: readonly string[]): string[] => {
    const side = counts.filter(({ label }) => scores.includes(label));
    return side.length === 0
      ? ["none"]
      : side.filter(({ count }) => count === side[0]?.count).map(({ label }) => label);
  };
  return most(["4", "5"]).flatMap((positive) =>
    most(["1", "2"]).map(
      (negative) => `most common positive score: ${positive}, most common negative score: ${negative}`,
    ),
  );
}
