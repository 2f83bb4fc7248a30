import { answersIn, isScored, usersOf } from "../../results/answers.js";
import { type Interval, type Theta, thetaOf } from "../../results/inference.js";
import { mean } from "../../results/samples.js";
import type { Choice } from "../../results/selections.js";
import type { Summary } from "../../results/summary.js";
import { tasks } from "../../tasks/index.js";
import type { ArmSpec, Judgement, Row } from "../../types/index.js";
import { type ArmPick, matches } from "./schema.js";

/** One arm of an own run, all repeats together. */
export interface OwnArm {
  /** The run as typed. */
  readonly run: string;
  readonly finished: boolean;
  readonly spec: ArmSpec;
  readonly summary: Summary;
  readonly rows: readonly Row[];
  readonly data: { readonly name: string; readonly files: readonly string[] };
  /** Mean score of the first judge of its replies, and its verdicts by the turn of the dialogue. */
  readonly judged?:
    | {
        readonly mean: number;
        readonly interval: Interval | undefined;
        readonly verdicts: readonly { readonly turn: number | undefined; readonly value: number }[];
      }
    | undefined;
  /** Its choices for questions that people labelled. */
  readonly choices?: readonly Choice[] | undefined;
  /** Verdicts on its answers against other arms'. */
  readonly verdicts?: readonly { readonly against: ArmSpec; readonly verdicts: readonly Judgement[] }[];
  /** First and last persona of every user; empty where the method keeps none. */
  readonly personas: readonly { readonly text: string; readonly initial: string }[];
}

export const isArm = ({ method, options = {} }: ArmPick, arm: ArmSpec): boolean =>
  (method === undefined || arm.method === method) &&
  Object.entries(options).every(([name, value]) => matches(value, arm.options[name]));

/** Returns an arm's score with its interval: of a judge, its seconds, or of a metric. */
export function scoreOf(
  arm: OwnArm | undefined,
  metric: string,
  turn: number | undefined,
): { readonly value: number | undefined; readonly interval?: Interval | undefined } {
  if (metric === "judge" && arm?.judged !== undefined) {
    const { mean: value, interval, verdicts } = arm.judged;
    if (turn === undefined) return { value, interval };
    return { value: mean(verdicts.filter((one) => one.turn === turn).map((one) => one.value)) };
  }
  if (metric === "seconds") return { value: arm?.summary.secondsPerQuery };
  const found = arm?.summary.metrics.find(({ name }) => name === metric);
  return { value: found?.strict, interval: found?.interval };
}

/** Undefined for a mean over labels, whose value depends on the size of the set, and where the metric is none of the task's. */
export function thetaOfArm({ spec, rows }: OwnArm, name: string): Theta | undefined {
  const metric = tasks.get(spec.task).metrics.find((one) => one.name === name);
  if (metric === undefined || metric.labels !== undefined) return undefined;
  return thetaOf(metric, usersOf(answersIn(rows.filter(isScored))));
}
