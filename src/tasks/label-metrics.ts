import { accuracy } from "../metrics/accuracy.js";
import { macroF1 } from "../metrics/macro-f1.js";
import { macroPrecision } from "../metrics/macro-precision.js";
import { macroRecall } from "../metrics/macro-recall.js";
import type { Metric } from "../types.js";

/** What label tasks are scored with: the official two, then the two that papers on LaMP-2N plot beside them. */
export const labelMetrics = (labels: readonly string[]): readonly Metric[] => [
  accuracy(labels),
  macroF1(labels),
  macroPrecision(labels),
  macroRecall(labels),
];
