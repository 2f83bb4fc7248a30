import type { Evidence } from "./evidence/index.js";
import { profile as weights } from "./weights.js";

/**
 * Votes of a stated profile; at most `most`, where it holds one label only. A flat profile has fewer, since it tells little
 * about the next item, and so has one beside an example that is nearly the item itself.
 */
export function profileVotes(
  { counts, usual }: Evidence,
  most: number,
  nearest: number,
  speaks: (of: string) => boolean = () => true,
): Map<string, number> {
  const loudness = most / (1 + nearest / weights.near);
  if (counts.size === 0) {
    const labels = usual.filter(({ of }) => speaks(of)).map(({ label }) => label);
    return new Map(labels.map((label) => [label, loudness * weights.modeOnly]));
  }
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const shares = [...counts].map(([label, count]): [string, number] => [label, count / total]);
  const concentration = shares.reduce((sum, [, share]) => sum + share ** 2, 0);
  return new Map(shares.map(([label, share]) => [label, loudness * concentration * share]));
}
