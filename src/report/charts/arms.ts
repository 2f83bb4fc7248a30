import { armLabel } from "../../results/arms.js";
import { rowsByArm } from "../../results/gains.js";
import type { MetricSummary } from "../../results/metric-summary.js";
import type { Summary } from "../../results/summary.js";
import type { Row, Spend, UnitRecord } from "../../types/index.js";
import { noteMark } from "../simulated.js";
import type { TaskFacts } from "../tables/results.js";
import type { ChartMaterial } from "./chart.js";

/** One arm with all that a chart shows of it. */
export interface Arm {
  readonly label: string;
  readonly summary: Summary;
  /** The task's first metric and its score. */
  readonly headline: MetricSummary & { readonly strict: number };
  readonly rows: readonly Row[];
}

/** A task with its scored arms, in the order of the tables. */
interface TaskArms {
  readonly fact: TaskFacts;
  /** Part of a chart's name: the task, and the data set where one task has several. */
  readonly key: string;
  readonly arms: readonly Arm[];
}

/** The arms that have a score, by task and data set. Tasks without any are left out. */
export function armsByTask({ facts, summaries, rows }: ChartMaterial): TaskArms[] {
  const rowsOf = rowsByArm(rows);
  const armOf = (summary: Summary): Arm[] => {
    const headline = summary.metrics[0];
    if (headline?.strict === undefined) return [];
    const shown = { ...headline, strict: headline.strict };
    return [{ label: armLabel(summary), summary, headline: shown, rows: rowsOf(summary) }];
  };
  return facts
    .map((fact) => ({
      fact,
      key:
        facts.filter(({ task }) => task === fact.task).length === 1
          ? fact.task
          : `${fact.task}-${fileSafe(fact.dataset)}`,
      arms: summaries.filter(({ task, dataset }) => task === fact.task && dataset === fact.dataset).flatMap(armOf),
    }))
    .filter(({ arms }) => arms.length > 0);
}

/** Letters, digits, points and hyphens only. */
export const fileSafe = (name: string): string =>
  name
    .replace(/[^\w.]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .toLowerCase();

/** The mark of everything that comes from the embedded model; empty where nothing does. */
export const simulatedMark = (arms: readonly Pick<Arm, "summary">[]): string =>
  noteMark(arms.map(({ summary }) => summary));

/** `n = 80 answers of 24 users`; a span where arms differ. */
export function sampleText(arms: readonly Arm[]): string {
  const span = (values: readonly number[]): string => {
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return low === high ? String(low) : `${low} to ${high}`;
  };
  return `n = ${span(arms.map(({ summary }) => summary.counts.scored))} scored answers of ${span(arms.map(({ summary }) => summary.users))} users.`;
}

/** `accuracy, higher is better`. */
export const metricTitle = ({ name, better }: MetricSummary): string => `${name} (${better} is better)`;

/** What one question costs in an arm, preparation of users and shared work spread over the questions. */
interface Cost {
  readonly tokens: number;
  /** US dollars by list price; undefined where no price is known. */
  readonly usd: number | undefined;
}

/** Undefined where no question was asked, or what a question cost is not known. */
export function costPerQuestion({ summary, rows }: Arm, units: readonly UnitRecord[]): Cost | undefined {
  if (rows.length === 0 || summary.tokensPerQuery === undefined) return undefined;
  const prepared = units.filter(({ cell }) => summary.cells.includes(cell));
  const tokens = [...rows, ...prepared].reduce((sum, { spend }: Row | UnitRecord) => sum + tokensOf(spend), 0);
  return { tokens: tokens / rows.length, usd: summary.usd === undefined ? undefined : summary.usd / rows.length };
}

const tokensOf = (spend: Spend): number => Object.values(spend).reduce((sum, phase) => sum + phase.in + phase.out, 0);
