import { armLabel } from "../../results/arms.js";
import type { ArmInput, Gains } from "../../results/compare.js";
import type { MetricSummary, Summary } from "../../results/summary.js";
import type { SweepFacts } from "../../types/index.js";
import { headingMark, simulatedText } from "../tables/format.js";
import { shortTitle, summariesOfTask, type TaskFacts } from "../tables/results.js";
import type { Picture } from "./svg.js";

export interface Chart {
  /** File name without its ending. Unique in a run. */
  readonly name: string;
  readonly title: string;
  /** Says what to see, of how many cases, and the SIMULATED mark. */
  readonly note: string;
  readonly simulated: boolean;
  readonly task: string;
  readonly dataset: string;
  readonly picture: Picture;
  /** The same for a phone. */
  readonly narrow?: Picture;
}

/** The personas of one arm at the end of their alignment, as a map shows them. */
export interface PersonaSet {
  readonly arm: Summary;
  readonly names: readonly string[];
  /** The final personas. */
  readonly texts: readonly string[];
  /** One vector a persona, then that of what all first personas have in common. */
  readonly vectors: readonly Float32Array[];
  readonly encoder: string;
}

/** Plain data of one run that charts are drawn from. */
export interface ChartInput extends ArmInput {
  readonly facts: readonly TaskFacts[];
  readonly gains: Gains;
  readonly personas: () => Promise<readonly PersonaSet[]>;
  readonly sweep?: SweepFacts | undefined;
  readonly seed: number;
}

/** Draws one kind of chart: none, or one a task. Input without a value gives no chart. */
export type ChartKind = (input: ChartInput) => Chart[] | Promise<Chart[]>;

export interface ScoredArm {
  readonly label: string;
  readonly summary: Summary;
  readonly score: number;
  readonly metric: MetricSummary;
}

interface TaskArms {
  readonly fact: TaskFacts;
  readonly arms: readonly ScoredArm[];
  /** Adds the task to a chart's name, and the SIMULATED mark to its note. */
  complete(chart: Pick<Chart, "name" | "title" | "note" | "picture" | "narrow">): Chart;
}

/** Returns the arms that have a score, by task and data set. Tasks without any are left out. */
export function armsByTask({ facts, summaries }: Pick<ChartInput, "facts" | "summaries">): TaskArms[] {
  return facts.flatMap((fact) => {
    const ofTask = summariesOfTask(fact, summaries);
    const arms = ofTask.flatMap((summary): ScoredArm[] => {
      const [metric] = summary.metrics;
      return metric?.strict === undefined ? [] : [{ label: armLabel(summary), summary, score: metric.strict, metric }];
    });
    const isOnly = facts.filter(({ task }) => task === fact.task).length === 1;
    const key = isOnly ? fact.task : `${fact.task}-${fileSafe(fact.dataset)}`;
    const complete: TaskArms["complete"] = ({ name, title, note, ...pictures }) => ({
      ...marked(note, ofTask),
      name: name.replace("TASK", key),
      title: `${title}: ${shortTitle(fact.title)}`,
      ...{ task: fact.task, dataset: fact.dataset, ...pictures },
    });
    return arms.length === 0 ? [] : [{ fact, arms, complete }];
  });
}

/** A note, with the mark where any of these arms is SIMULATED. */
export function marked(note: string, arms: readonly Summary[]): Pick<Chart, "note" | "simulated"> {
  const simulated = headingMark(arms) !== "";
  return { note: simulated ? `${note} ${simulatedText}.` : note, simulated };
}

export const fileSafe = (name: string): string =>
  name
    .replace(/[^\w.]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .toLowerCase();

/** `80 scored answers of 24 users.`; a span where arms differ. */
export function sampleText(arms: readonly ScoredArm[]): string {
  const span = (values: readonly number[]): string =>
    [...new Set([Math.min(...values), Math.max(...values)])].join(" to ");
  const answers = span(arms.map(({ summary }) => summary.counts.scored));
  return `${answers} scored answers of ${span(arms.map(({ summary }) => summary.users))} users.`;
}

export const metricTitle = ({ name, better }: MetricSummary): string => `${name} (${better} is better)`;

/** Returns the cost of a question, preparation included: dollars for 1,000 where all arms have a price, else tokens. */
export function costsOf(arms: readonly ScoredArm[]) {
  const usdOf = ({ summary: { usd, counts } }: ScoredArm) =>
    usd === undefined ? undefined : (1000 * usd) / counts.questions;
  const isPriced = arms.every((arm) => (usdOf(arm) ?? 0) > 0);
  return {
    title: isPriced ? "US dollars for 1,000 questions" : "tokens a question",
    of: isPriced ? usdOf : ({ summary }: ScoredArm) => summary.tokens,
  };
}
