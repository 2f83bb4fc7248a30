import { meanMetric } from "./mean.js";

/** Share of answers that are the gold, letter by letter but for case and outer blanks. */
export const match = meanMetric(
  { name: "match", title: "Exact match", source: "own: equal texts, case and outer blanks apart" },
  ({ prediction, gold }) => prediction.trim().toLowerCase() === gold.trim().toLowerCase(),
);
