import { armLabel, armsOf, ofArm, variantOf } from "../../results/arms.js";
import { groupBy } from "../../results/grouped.js";
import {
  combined,
  type Inference,
  type Interval,
  inferenceOf,
  scoreInterval,
  type Theta,
  thetaOf,
} from "../../results/inference.js";
import { mean } from "../../results/pairs.js";
import type { Cell, Metric } from "../../types/index.js";
import type { Judgement } from "./judgement.js";

/** What a judge says of one arm. */
interface ArmScore {
  readonly task: string;
  readonly arm: string;
  /** Undefined: nothing of it was judged. */
  readonly mean: number | undefined;
  /** Over users (dialogues); undefined for fewer than ten. */
  readonly interval: Interval | undefined;
  readonly users: number;
  readonly judged: number;
  readonly unjudged: number;
  readonly failed: number;
  /** Against the first arm of the task, over the questions that have a verdict in both, the mean of their repeats. */
  readonly difference?: Inference & { readonly value: number; readonly questions: number };
}

export type OnParseFail = "exclude" | "zero";

interface ScoreRule {
  readonly onParseFail: OnParseFail;
  /** Least and most of the judge's verdicts. */
  readonly range: readonly [number, number];
}

/** The scale of what is counted: with `zero` it begins at 0 or below. */
const countedRange = (
  [least, most]: readonly [number, number],
  onParseFail: OnParseFail,
): readonly [number, number] => [onParseFail === "zero" ? Math.min(0, least) : least, most];

/**
 * Means over the verdicts of each arm, all repeats together. An unjudged reply is in no mean; with `zero` it counts as 0, as
 * The assistant paper has it, and is still told.
 */
export function scoresOf(
  judgements: readonly Judgement[],
  cells: readonly Cell[],
  { onParseFail, range }: ScoreRule,
): ArmScore[] {
  const arms = armsOf(cells.filter(({ id }) => judgements.some(({ cell }) => cell === id)));
  const firstOf = new Map<string, readonly Judgement[]>();
  return arms.map((arm) => {
    const ofOne = ofArm(judgements, arm);
    const [cell] = arm;
    const task = cell!.task; // no arm is empty
    const verdicts = countedVerdicts(ofOne, onParseFail);
    const count = (kind: Judgement["judged"]["kind"]) => ofOne.filter(({ judged }) => judged.kind === kind).length;
    const first = firstOf.get(task);
    if (first === undefined) firstOf.set(task, ofOne);
    const difference = first === undefined ? undefined : differenceOf(first, ofOne, onParseFail);
    return {
      task,
      arm: armLabel({ method: cell!.method, variant: variantOf(cell!, cells) }),
      mean: mean(verdicts.map(({ value }) => value)),
      interval: verdictInterval(verdicts, countedRange(range, onParseFail)),
      users: new Set(verdicts.map(({ user }) => user)).size,
      judged: count("judged"),
      unjudged: count("unjudged"),
      failed: count("failed"),
      ...(difference === undefined ? {} : { difference }),
    };
  });
}

/** The number that a judgement counts as; undefined where it counts as none. */
export function countedAs({ judged }: Judgement, onParseFail: OnParseFail): number | undefined {
  if (judged.kind === "judged") return judged.value;
  return judged.kind === "unjudged" && onParseFail === "zero" ? 0 : undefined;
}

/** The judgements that are in a mean, with the number that each counts as. */
function countedVerdicts(all: readonly Judgement[], onParseFail: OnParseFail): CountedVerdict[] {
  return all.flatMap((judgement) => {
    const value = countedAs(judgement, onParseFail);
    return value === undefined ? [] : [{ user: judgement.user, question: judgement.question, value }];
  });
}

function differenceOf(
  first: readonly Judgement[],
  other: readonly Judgement[],
  onParseFail: OnParseFail,
): ArmScore["difference"] {
  const byQuestion = (all: readonly Judgement[]) =>
    groupBy(countedVerdicts(all, onParseFail), ({ question }) => question);
  const [ofFirst, ofOther] = [byQuestion(first), byQuestion(other)];
  const both = [...ofOther.keys()].filter((question) => ofFirst.has(question));
  if (both.length === 0) return undefined;
  const user = (question: string): string => ofOther.get(question)?.[0]?.user ?? "";
  const means = (of: ReadonlyMap<string, readonly CountedVerdict[]>) =>
    both.map((question) => ({
      ...{ question, user: user(question) },
      value: mean((of.get(question) ?? []).map(({ value }) => value)) ?? Number.NaN, // all have some
    }));
  const theta = combined([
    [1, verdictTheta(means(ofOther))],
    [-1, verdictTheta(means(ofFirst))],
  ]);
  const found = inferenceOf(theta);
  return found && { ...found, value: theta.value, questions: both.length };
}

/** A verdict that is in a mean. */
export interface CountedVerdict {
  readonly user: string;
  readonly question: string;
  readonly value: number;
}

/** Returns the 95 % interval of the mean of verdicts over users (dialogues), on the judge's scale. */
export const verdictInterval = (
  verdicts: readonly CountedVerdict[],
  range: readonly [number, number],
): Interval | undefined => scoreInterval(verdictTheta(verdicts), range);

const verdictTheta = (verdicts: readonly CountedVerdict[]): Theta =>
  thetaOf(
    meanVerdict,
    [...groupBy(verdicts, ({ user }) => user).values()].map((own) => ({
      questions: new Set(own.map(({ question }) => question)).size,
      repeats: [own.map(({ value }) => ({ prediction: String(value), gold: "" }))],
    })),
  );

/** The mean of verdicts as a metric. */
const meanVerdict: Metric = {
  name: "verdict",
  title: "Mean verdict",
  better: "higher",
  source: "mean of a judge's numbers",
  width: 1,
  add({ prediction }, sums, offset = 0) {
    sums[offset]! += Number(prediction);
  },
  value: (sums, count) => sums[0]! / count,
};
