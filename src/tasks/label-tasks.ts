import { accuracy } from "../metrics/accuracy.js";
import { macroF1, macroPrecision, macroRecall } from "../metrics/macro.js";
import { pyStrip } from "../text/python.js";
import type { Event, Metric, Task } from "../types/index.js";
import { eventFormatter } from "./format.js";
import { exactLabel, namedLabel } from "./reply-reading.js";

/** Counts the labels of a history, most frequent first, ties in the official order of labels. */
export function labelCounts(history: readonly Event[], labels: readonly string[]): { label: string; count: number }[] {
  const counts = new Map(labels.map((label) => [label, 0]));
  for (const { label: spelt } of history) {
    if (spelt === undefined) continue;
    const label = normalizeLabel(spelt, labels);
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return [...counts]
    .map(([label, count]) => ({ label, count }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count); // stable: ties keep the official order
}

/** Builds the computed summaries of a history of labels; they are empty where nothing is labelled. */
export function labelSummaries(answerNoun: string, itemNoun: string, labels: readonly string[]) {
  return {
    /** `most popular tag: comedy`, for each of the most frequent labels. Source of the form: OPPU prompt_profile.json. */
    modeSentences: (history: readonly Event[]): readonly string[] => {
      const counts = labelCounts(history, labels);
      const tied = counts.filter(({ count }) => count === counts[0]?.count);
      return tied.map(({ label }) => `most popular ${answerNoun}: ${label}`);
    },
    /** `tag counts over 36 movies: comedy 12, action 7` */
    counts: (history: readonly Event[]): string => {
      const counts = labelCounts(history, labels);
      const total = counts.reduce((sum, { count }) => sum + count, 0);
      if (total === 0) return "";
      const items = total === 1 ? itemNoun : `${itemNoun}s`;
      return `${answerNoun} counts over ${total} ${items}: ${counts.map(({ label, count }) => `${label} ${count}`).join(", ")}`;
    },
  };
}

/** Maps a label as spelled in the data to the task's label: outer blanks are ignored, `5.0` is the rating `5`. Unknown: the text, stripped. */
export function normalizeLabel(label: string, labels: readonly string[]): string {
  if (labels.includes(label)) return label;
  const text = pyStrip(label);
  if (text === "" || labels.includes(text)) return text;
  const number = String(Number(text));
  return labels.includes(number) ? number : text;
}

/** Returns the metrics of label tasks: the official two, then the two that papers on LaMP-2N plot beside them. */
const labelMetrics = (labels: readonly string[]): readonly Metric[] => [
  accuracy(labels),
  macroF1(labels),
  macroPrecision(labels),
  macroRecall(labels),
];

/** Builds the parts that tasks with a fixed set of labels share. */
export const labelTask = (answerNoun: string, itemNoun: string, labels: readonly string[]) =>
  ({
    kind: "label",
    labels,
    answerNoun,
    itemNoun,
    maxAnswerTokens: 64,
    metrics: labelMetrics(labels),
    formatEvent: eventFormatter(itemNoun, answerNoun),
    strict: exactLabel(labels),
    lenient: namedLabel(labels),
  }) as const satisfies Partial<Task>;
