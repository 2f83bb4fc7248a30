import type { Interval } from "../statistics/bootstrap.js";
import { tasks } from "../tasks/index.js";
import type { Metric } from "../types.js";
import { align } from "./aligned.js";
import { compareArms } from "./compare.js";
import { formatP } from "./format-p.js";
import type { OwnArm } from "./paper-tables.js";
import { dash, formatScore } from "./table.js";

/** How much better one own arm is than another, on the questions that both answered. Positive: better. */
export interface Lead {
  /** `.513 against .470: better by .043 [-.011, .097], p .110`. */
  readonly text: string;
  readonly lead: number;
  /** Interval of the lead and p of no lead, bootstrap over users; undefined below 10 users. */
  readonly interval: Interval | undefined;
  readonly significant: boolean;
}

/** Undefined where the arms share no scored question. */
export function leadOf(one: OwnArm, other: OwnArm, metricName: string): Lead | undefined {
  const metric = metricOf(one.cell.task, metricName);
  if (metric === undefined || align(other.rows, one.rows).questions.length === 0) return undefined;
  const comparison = compareArms({ a: other.rows, b: one.rows, metrics: [metric], seed: one.cell.seed });
  const found = comparison.metrics[0]!; // one metric was asked for
  const sign = metric.better === "higher" ? 1 : -1;
  const lead = sign * found.difference;
  const interval = found.overUsers === undefined ? undefined : signedInterval(found.overUsers.interval, sign);
  const p = found.overUsers?.p;
  const spread = interval === undefined ? dash : `${formatScore(interval.low)}, ${formatScore(interval.high)}`;
  return {
    text: `${formatScore(found.b)} against ${formatScore(found.a)}: ${lead < 0 ? "worse" : "better"} by ${formatScore(Math.abs(lead))} [${spread}], p ${formatP(p)}`,
    lead,
    interval,
    significant: lead > 0 && p !== undefined && p <= 0.05,
  };
}

/** The value of an own arm by a metric's name. */
export const ownValue = (arm: OwnArm, metric: string): number | undefined =>
  arm.summary.metrics.find(({ name }) => name === metric)?.strict;

// --- internal ---

const metricOf = (task: string, name: string): Metric | undefined =>
  tasks.get(task).metrics.find((metric) => metric.name === name);

const signedInterval = ({ low, high }: Interval, sign: number): Interval =>
  sign === 1 ? { low, high } : { low: -high, high: -low };
