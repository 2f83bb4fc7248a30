import type { Metric } from "../types/index.js";
import { meanMetric } from "./mean.js";
import { labelIndex } from "./official-labels.js";

/** Share of pairs with equal label index. As officially: a gold and an answer that are both no label count as correct. */
export const accuracy = (labels: readonly string[]): Metric =>
  meanMetric(
    { name: "accuracy", title: "Accuracy", source: "LaMP eval/evaluation.py @38c9d4d" },
    ({ prediction, gold }) => labelIndex(labels, prediction) === labelIndex(labels, gold),
  );
