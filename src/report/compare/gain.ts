import type { Metric } from "../../types.js";

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
