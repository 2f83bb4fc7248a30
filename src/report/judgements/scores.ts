import { clusterSums } from "../../statistics/cluster-sums.js";
import { type Interval, meanInterval } from "../../statistics/interval.js";
import { type PairedDifference, pairedDifference } from "../../statistics/paired-difference.js";
import type { Cell } from "../../types.js";
import { armLabel, armsOf, ofArm, variantOf } from "../arms.js";
import { groupBy } from "../grouped.js";
import type { Judgement } from "./judgement.js";
import { meanVerdict, verdictPair } from "./score-metric.js";

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
  /** Against the first arm of the task, over the questions that have a verdict in both. */
  readonly difference?: PairedDifference & { readonly value: number; readonly questions: number };
}

export type OnParseFail = "exclude" | "zero";

/**
 * Means over the verdicts of each arm, all repeats together. An unjudged reply is in no mean; with `zero` it counts as 0, as
 * papers/004 has it, and is still told.
 */
export function scoresOf(
  judgements: readonly Judgement[],
  cells: readonly Cell[],
  onParseFail: OnParseFail,
  seed: number,
): ArmScore[] {
  const arms = armsOf(cells.filter(({ id }) => judgements.some(({ cell }) => cell === id)));
  const firstOf = new Map<string, readonly Judgement[]>();
  return arms.map((arm) => {
    const ofOne = ofArm(judgements, arm);
    const [cell] = arm;
    const task = cell!.task; // no arm is empty
    const scored = valuesByUser(ofOne, onParseFail);
    const values = [...scored.values()].flat();
    const count = (kind: Judgement["judged"]["kind"]) => ofOne.filter(({ judged }) => judged.kind === kind).length;
    const first = firstOf.get(task);
    if (first === undefined) firstOf.set(task, ofOne);
    const difference = first === undefined ? undefined : differenceOf(first, ofOne, onParseFail, seed);
    return {
      task,
      arm: armLabel({ method: cell!.method, variant: variantOf(cell!, cells) }),
      mean: meanOf(values),
      interval: meanInterval(
        clusterSums(
          meanVerdict,
          [...scored.values()].map((of) => of.map(verdictPair)),
        ),
      ),
      users: scored.size,
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

// --- internal ---

const meanOf = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;

function valuesByUser(all: readonly Judgement[], onParseFail: OnParseFail): Map<string, number[]> {
  const users = groupBy(all, ({ user }) => user);
  const values = [...users].map(([user, judgements]): [string, number[]] => [
    user,
    judgements.flatMap((judgement) => countedAs(judgement, onParseFail) ?? []),
  ]);
  return new Map(values.filter(([, of]) => of.length > 0));
}

function differenceOf(
  first: readonly Judgement[],
  other: readonly Judgement[],
  onParseFail: OnParseFail,
  seed: number,
): ArmScore["difference"] {
  const valuesFirst = new Map(first.map((judgement) => [judgement.question, countedAs(judgement, onParseFail)]));
  const pairs = other.flatMap((judgement) => {
    const [a, b] = [valuesFirst.get(judgement.question), countedAs(judgement, onParseFail)];
    return a === undefined || b === undefined ? [] : [{ user: judgement.user, a, b }];
  });
  if (pairs.length === 0) return undefined;
  const users = [...groupBy(pairs, ({ user }) => user).values()];
  const side = (arm: "a" | "b") =>
    clusterSums(
      meanVerdict,
      users.map((of) => of.map((pair) => verdictPair(pair[arm]))),
    );
  const once = { sd: 0, count: 1 };
  const tested = pairedDifference({
    a: side("a"),
    b: side("b"),
    questions: pairs.length,
    repeats: { a: once, b: once },
    userGains: users.map((of) => of.reduce((sum, { a, b }) => sum + b - a, 0)),
    seed,
  });
  const value = pairs.reduce((sum, { a, b }) => sum + b - a, 0) / pairs.length;
  return tested === undefined ? undefined : { ...tested, value, questions: pairs.length };
}
