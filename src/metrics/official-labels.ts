import { pyStrip, pythonStr } from "../text/python.js";

/** Label lists of the official scorers, in their order. Source: LaMP @38c9d4d, OPPU @9fb3f46, eval/evaluation.py. */
export const CITATION_LABELS = ["[1]", "[2]"] as const;

export const MOVIE_LABELS = [
  "sci-fi",
  "based on a book",
  "comedy",
  "action",
  "twist ending",
  "dystopia",
  "dark comedy",
  "classic",
  "psychology",
  "fantasy",
  "romance",
  "thought-provoking",
  "social commentary",
  "violence",
  "true story",
] as const;

export const NEWS_LABELS = [
  "food & drink",
  "sports",
  "education",
  "parents",
  "religion",
  "travel",
  "business",
  "crime",
  "science & technology",
  "culture & arts",
  "entertainment",
  "politics",
  "women",
  "style & beauty",
  "healthy living",
] as const;

/** Returns index of `str(answer).strip()` in the label list, exact and case-sensitive; -1 where it is no label. */
export function labelIndex(labels: readonly string[], answer: unknown): number {
  return labels.indexOf(pyStrip(pythonStr(answer)));
}
