import { isSignificant } from "../../statistics/holm.js";
import type { Interval } from "../../statistics/interval.js";
import { tasks } from "../../tasks/index.js";
import type { Metric } from "../../types/index.js";
import { compareIfAny } from "../compare/compare.js";
import { gainOf } from "../compare/question-test.js";
import type { OwnArm } from "../papers/paper.js";
import { formatP, formatScore } from "../tables/format.js";

/** How much better one own arm is than another, on the questions that both answered. Positive: better. */
export interface Lead {
  /** `.513 against .470: better by .043 [-.011, .097], p .110`. */
  readonly text: string;
  readonly lead: number;
  /** Over users. */
  readonly interval: Interval;
  readonly significant: boolean;
}

/** Undefined where the arms share no scored question, or too few users for an interval. */
export function leadOf(one: OwnArm, other: OwnArm, metricName: string): Lead | undefined {
  const metric = metricOf(one.cell.task, metricName);
  if (metric === undefined) return undefined;
  const comparison = compareIfAny({ a: other.rows, b: one.rows, metrics: [metric], seed: one.cell.seed });
  const found = comparison?.metrics[0];
  if (found === undefined) return undefined;
  const lead = gainOf(metric, found.a, found.b);
  if (found.overUsers === undefined) return undefined;
  const interval = leadInterval(metric, found.overUsers.interval);
  const { p } = found.overUsers;
  const spread = `${formatScore(interval.low)}, ${formatScore(interval.high)}`;
  const verdict = lead === 0 ? "equal" : `${lead < 0 ? "worse" : "better"} by ${formatScore(Math.abs(lead))}`;
  return {
    text: `${formatScore(found.b)} against ${formatScore(found.a)}: ${verdict} [${spread}], p ${formatP(p)}`,
    lead,
    interval,
    significant: lead > 0 && isSignificant(p),
  };
}

/** The value of an own arm by a metric's name. */
export const ownValue = (arm: OwnArm, metric: string): number | undefined =>
  arm.summary.metrics.find(({ name }) => name === metric)?.strict;

const metricOf = (task: string, name: string): Metric | undefined =>
  tasks.get(task).metrics.find((metric) => metric.name === name);

const leadInterval = ({ better }: Metric, { low, high }: Interval): Interval =>
  better === "higher" ? { low, high } : { low: -high, high: -low };
