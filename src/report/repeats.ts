import { scoreAll } from "../metrics/score-all.js";
import type { Metric, Pair } from "../types.js";
import { pairOf, type ScoredRow } from "./pairs.js";

/** The cells of these rows, one a repeat, in order of appearance: the places of a repeat's pairs. */
export const repeatsOf = (rows: readonly ScoredRow[]): string[] => [...new Set(rows.map(({ cell }) => cell))];

/** The pairs of each of these repeats; a repeat in which nothing was scored has none. */
export function pairsByRepeat(
  rows: readonly ScoredRow[],
  repeats: readonly string[],
  pair: (row: ScoredRow) => Pair = pairOf,
): Pair[][] {
  const repeatOf = new Map(repeats.map((cell, r) => [cell, r]));
  const pairs: Pair[][] = repeats.map(() => []);
  for (const row of rows) pairs[repeatOf.get(row.cell) ?? -1]?.push(pair(row));
  return pairs;
}

/** The score of each repeat that has pairs. */
export const scoresOfRepeats = (metric: Metric, repeats: readonly (readonly Pair[])[]): number[] =>
  repeats.filter((pairs) => pairs.length > 0).map((pairs) => scoreAll(metric, pairs));

/**
 * The score of an arm that ran several times, wherever one is printed or resampled: the mean of its repeats' scores. Undefined
 * where nothing was scored.
 */
export const meanOfRepeats = (metric: Metric, repeats: readonly (readonly Pair[])[]): number | undefined =>
  mean(scoresOfRepeats(metric, repeats));

/** Undefined of no scores. */
export const mean = (scores: readonly number[]): number | undefined =>
  scores.length === 0 ? undefined : scores.reduce((sum, score) => sum + score, 0) / scores.length;
