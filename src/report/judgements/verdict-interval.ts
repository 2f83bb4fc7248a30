import { clusterSums } from "../../statistics/cluster-sums.js";
import { type Interval, scoreInterval } from "../../statistics/interval.js";
import { groupBy } from "../grouped.js";
import { meanVerdict, verdictPair } from "./score-metric.js";

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
