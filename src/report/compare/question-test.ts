import { mcNemar } from "../../statistics/mcnemar.js";
import { meanOf } from "../../statistics/quantile.js";
import { signedRank } from "../../statistics/wilcoxon.js";
import type { Metric } from "../../types/index.js";

/** A test over questions, which it takes as independent. */
export interface QuestionTest {
  readonly name: "mcnemar" | "wilcoxon";
  readonly p: number;
  /** McNemar: Cohen's h. Wilcoxon: rank-biserial correlation of B - A. */
  readonly effect: number;
  /** McNemar: questions that only A, or only B, has right. */
  readonly discordant?: { readonly onlyA: number; readonly onlyB: number };
}

/** McNemar where every question is right or wrong in both arms, the signed-rank test elsewhere. Values: one per question. */
export function testQuestions(a: readonly number[], b: readonly number[]): QuestionTest {
  return [...a, ...b].every((value) => value === 0 || value === 1) ? testAnswers(a, b) : testValues(a, b);
}

function testAnswers(a: readonly number[], b: readonly number[]): QuestionTest {
  const onlyA = a.filter((value, i) => value > b[i]!).length;
  const onlyB = a.filter((value, i) => value < b[i]!).length;
  return {
    name: "mcnemar",
    p: mcNemar(onlyA, onlyB),
    effect: cohenH(meanOf(a), meanOf(b)),
    discordant: { onlyA, onlyB },
  };
}

function testValues(a: readonly number[], b: readonly number[]): QuestionTest {
  const { p, effect } = signedRank(b.map((value, i) => value - a[i]!));
  return { name: "wilcoxon", p, effect };
}

/** Cohen's h of two shares, positive when `b` is larger: .2 is small, .5 medium, .8 large. Source: Cohen, Statistical Power Analysis, 1988, ch. 6. */
export function cohenH(a: number, b: number): number {
  return 2 * Math.asin(Math.sqrt(b)) - 2 * Math.asin(Math.sqrt(a));
}

/** Differences up to this come from the order of additions. */
export const ROUNDING = 1e-12;

type Direction = Pick<Metric, "better">;

/** A difference of scores, counted upwards: positive is better, also where lower scores are. */
export const upwards = ({ better }: Direction, difference: number): number =>
  better === "higher" ? difference : 0 - difference;

/** How much better `to` is than `from`. */
export const gainOf = (metric: Direction, from: number, to: number): number => upwards(metric, to - from);

/** 1 for a gain, -1 for a loss, 0 for a difference by rounding at most. */
export const signOf = (gain: number): -1 | 0 | 1 => (Math.abs(gain) <= ROUNDING ? 0 : gain > 0 ? 1 : -1);

export interface Tally {
  readonly wins: number;
  readonly ties: number;
  readonly losses: number;
}

/** How many gains are wins, ties, losses. */
export function tally(gains: readonly number[]): Tally {
  const count = (sign: number) => gains.filter((gain) => signOf(gain) === sign).length;
  return { wins: count(1), ties: count(0), losses: count(-1) };
}
