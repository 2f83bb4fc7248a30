import { scoreAll } from "../metrics/score-all.js";
import type { Metric, Pair, Row } from "../types/index.js";
import { meanOf } from "./quantile.js";

/** A row that counts in a score: it was answered, readably or not, and its gold is known. */
export type ScoredRow = Row & { readonly gold: string };

export const isScored = (row: Row): row is ScoredRow => row.gold !== undefined && row.outcome.kind !== "failed";

/** What intervals and tests draw as one: the row's cluster where its data name one, else its user. */
export const drawnWhole = ({ cluster, user }: Pick<Row, "cluster" | "user">): string => cluster ?? user;

/** What a metric sees of a scored row. */
export const pairOf = (row: ScoredRow): Pair => ({ prediction: strictText(row), gold: row.gold });

/** The same by the forgiving reading. */
export const lenientPairOf = (row: ScoredRow): Pair => ({ prediction: lenientText(row), gold: row.gold });

/**
 * What the official metric sees. An unreadable reply is handed over as the empty text, which scores as unreadable under
 * the official rules too; so a reply like `nan`, on which the official script crashes, counts as unreadable here.
 */
export const strictText = ({ outcome }: Row): string => (outcome.kind === "answered" ? outcome.reply : "");

const lenientText = ({ outcome }: Row): string => (outcome.kind === "failed" ? "" : (outcome.lenient ?? ""));

/** The metric with a memory: tables, charts and intervals ask for the same pairs again. Its numbers are the same. */
export function memoized(metric: Metric): Metric {
  if (metric.sumCount !== 1) return metric;
  const known = new Map<string, number>();
  return {
    ...metric,
    value: (sums, count) => metric.value(sums, count),
    add(pair, sums, offset = 0) {
      const key = `${pair.gold}\0${pair.prediction}`;
      let value = known.get(key);
      if (value === undefined) {
        const ofPair = new Float64Array(1);
        metric.add(pair, ofPair);
        value = ofPair[0]!; // one number wide
        if (known.size < MOST_KNOWN) known.set(key, value);
      }
      sums[offset]! += value;
    },
  };
}

const MOST_KNOWN = 1 << 16;

/** The cells of these rows, one a repeat, in order of appearance: the places of a repeat's pairs. */
export const repeatsOf = (rows: readonly Row[]): string[] => [...new Set(rows.map(({ cell }) => cell))];

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

/** The score of an arm: the mean of its repeats' scores. Undefined where nothing was scored. */
export const meanOfRepeats = (metric: Metric, repeats: readonly (readonly Pair[])[]): number | undefined =>
  mean(scoresOfRepeats(metric, repeats));

/** Undefined of no scores. */
export const mean = (scores: readonly number[]): number | undefined =>
  scores.length === 0 ? undefined : meanOf(scores);
