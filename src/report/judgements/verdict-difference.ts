import { clusterSums } from "../../statistics/cluster-sums.js";
import { type DifferenceRequest, type PairedDifference, pairedDifference } from "../../statistics/paired-difference.js";
import { groupBy } from "../grouped.js";
import { meanVerdict, verdictPair } from "./score-metric.js";

/** Two arms' verdicts on one question. */
interface VerdictPair {
  readonly user: string;
  readonly a: number;
  readonly b: number;
}

/** The difference of two judged arms, b - a, over users (dialogues). Undefined below 10. */
export const differenceOfVerdicts = (pairs: readonly VerdictPair[], seed: number): PairedDifference | undefined =>
  pairedDifference({ ...verdictSums(pairs), seed });

/** What is compared. */
export function verdictSums(pairs: readonly VerdictPair[]): Omit<DifferenceRequest, "seed"> {
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
