import { clusterSums } from "../../statistics/cluster-sums.js";
import { type Interval, scoreInterval } from "../../statistics/interval.js";
import { type DifferenceRequest, type PairedDifference, pairedDifference } from "../../statistics/paired-difference.js";
import type { Cell, Metric, Pair } from "../../types/index.js";
import { armLabel, armsOf, ofArm, variantOf } from "../arms.js";
import { groupBy } from "../grouped.js";
import { mean } from "../pairs.js";
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
  readonly difference?: PairedDifference & { readonly value: number; readonly questions: number };
}

export type OnParseFail = "exclude" | "zero";

interface ScoreRule {
  readonly onParseFail: OnParseFail;
  /** Least and most of the judge's verdicts. */
  readonly range: readonly [number, number];
  readonly seed: number;
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
  { onParseFail, range, seed }: ScoreRule,
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
    const difference = first === undefined ? undefined : differenceOf(first, ofOne, { onParseFail, range, seed });
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
  { onParseFail, seed }: ScoreRule,
): ArmScore["difference"] {
  const byQuestion = (all: readonly Judgement[]) =>
    groupBy(countedVerdicts(all, onParseFail), ({ question }) => question);
  const ofFirst = byQuestion(first);
  const pairs = [...byQuestion(other)].flatMap(([question, ofOther]) => {
    const [a, b] = [ofFirst.get(question) ?? [], ofOther].map((of) => mean(of.map(({ value }) => value)));
    return a === undefined || b === undefined ? [] : [{ user: ofOther[0]!.user, a, b }]; // no group is empty
  });
  if (pairs.length === 0) return undefined;
  const tested = differenceOfVerdicts(pairs, seed);
  const value = pairs.reduce((sum, { a, b }) => sum + b - a, 0) / pairs.length;
  return tested === undefined ? undefined : { ...tested, value, questions: pairs.length };
}

/** Two arms' verdicts on one question. */
interface VerdictPair {
  readonly user: string;
  readonly a: number;
  readonly b: number;
}

/** The difference of two judged arms, b - a, over users (dialogues). Undefined below 10. */
const differenceOfVerdicts = (pairs: readonly VerdictPair[], seed: number): PairedDifference | undefined =>
  pairedDifference({ ...verdictSums(pairs), seed });

/** What is compared. */
function verdictSums(pairs: readonly VerdictPair[]): Omit<DifferenceRequest, "seed"> {
  const users = [...groupBy(pairs, ({ user }) => user).values()];
  const side = (arm: "a" | "b") =>
    clusterSums(
      meanVerdict,
      users.map((of) => of.map((pair) => verdictPair(pair[arm]))),
    );
  const once = { sd: 0, count: 1 };
  return {
    a: side("a"),
    b: side("b"),
    questions: pairs.length,
    repeats: { a: once, b: once },
    userGains: users.map((of) => of.reduce((sum, { a, b }) => sum + b - a, 0)),
  };
}

/** A verdict that is in a mean. */
export interface CountedVerdict {
  readonly user: string;
  readonly question: string;
  readonly value: number;
}

/**
 * 95 % interval of the mean of verdicts, for users (dialogues) drawn like these: that of a score whose values go from one end of the
 * judge's scale to the other (`scoreInterval`). Undefined below 10 users.
 */
export function verdictInterval(
  verdicts: readonly CountedVerdict[],
  [least, most]: readonly [number, number],
): Interval | undefined {
  const users = [...groupBy(verdicts, ({ user }) => user).values()];
  const questions = [...groupBy(verdicts, ({ question }) => question).values()];
  const found = scoreInterval({
    sums: clusterSums(
      meanVerdict,
      users.map((ofUser) => ofUser.map(({ value }) => verdictPair(value - least))),
    ),
    range: most - least,
    repeats: { sd: 0, count: 1 },
    values: Float64Array.from(questions, (of) => of.reduce((sum, { value }) => sum + value - least, 0) / of.length),
    answers: false,
  });
  return found === undefined ? undefined : { low: least + found.low, high: least + found.high };
}

/**
 * The mean of verdicts, as a metric: so that intervals and tests are those of all tables. Wider than it need be: a mean that is one
 * sum counts as a share of 1 there, and verdicts go beyond that.
 */
const meanVerdict: Metric = {
  name: "verdict",
  title: "Mean verdict",
  better: "higher",
  source: "mean of a judge's numbers",
  width: 2,
  add({ prediction }, sums, offset = 0) {
    sums[offset]! += Number(prediction);
  },
  value: (sums, count) => sums[0]! / count,
};

/** A verdict as that metric takes it. */
const verdictPair = (value: number): Pair => ({ prediction: String(value), gold: "" });
