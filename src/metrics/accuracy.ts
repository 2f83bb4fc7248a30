import type { Metric } from "../types/index.js";
import { labelIndex } from "./official-labels.js";

/** Share of pairs with equal label index. As officially: a gold and an answer that are both no label count as correct. */
export function accuracy(labels: readonly string[]): Metric {
  return {
    name: "accuracy",
    title: "Accuracy",
    better: "higher",
    source: "LaMP eval/evaluation.py @38c9d4d",
    sumCount: 1,
    maxPerPair: 1,
    add({ prediction, gold }, sums, offset = 0) {
      if (labelIndex(labels, prediction) === labelIndex(labels, gold)) sums[offset]! += 1;
    },
    value: (sums, count) => sums[0]! / count,
  };
}
