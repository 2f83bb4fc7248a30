import { UsageError } from "../errors.js";
import { choices } from "../registry/registry.js";
import { armLabel } from "./arms.js";
import type { MetricSummary } from "./metric-summary.js";
import type { Summary } from "./summary.js";

/** Which arm is meant. Absent: any. */
export type SummaryChoice = Partial<Pick<Summary, "task" | "method" | "model" | "variant">>;

/**
 * The one summary of these that is so: `summaryOf(summaries, { method: "rag" })`. Throws UsageError where there is none, and
 * where several are, naming them.
 */
export function summaryOf(summaries: readonly Summary[], wanted: SummaryChoice = {}): Summary {
  const keys = Object.entries(wanted).filter(([, value]) => value !== undefined) as [keyof SummaryChoice, string][];
  const found = summaries.filter((summary) => keys.every(([key, value]) => summary[key] === value));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const asked = keys.map(([key, value]) => `${key} ${value}`).join(", ") || "one arm";
  const all = (only === undefined ? summaries : found).map((one) => `${one.task} ${armLabel(one)} ${one.model}`);
  throw new UsageError(`${asked}: ${only === undefined ? "no such arm" : "several arms"}; arms: ${all.join("; ")}`);
}

/** A metric of a summary by its name; without one the headline. Throws UsageError where the task is not scored by it. */
export function metricOf({ task, metrics }: Summary, name?: string): MetricSummary {
  const found = name === undefined ? metrics[0] : metrics.find((metric) => metric.name === name);
  if (found !== undefined) return found;
  const known = metrics.map((metric) => metric.name);
  throw new UsageError(`metric ${name}: not of ${task}${choices(name ?? "", known, "metrics")}`);
}
