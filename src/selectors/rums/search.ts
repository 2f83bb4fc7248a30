/** Utility of a subset of items, given by their indexes in rising order; undefined where it could not be measured. */
export type Utility = (subset: readonly number[]) => Promise<number | undefined>;

interface Scored {
  readonly items: readonly number[];
  readonly utility: number;
}

/** Returns whether a set of this utility is chosen: at the threshold or above, and at 0 or less only where the threshold is negative. */
export const isWorth = (utility: number, threshold: number): boolean =>
  utility >= threshold && (utility > 0 || threshold < 0);

/** All that was scored, in order, and the best of it: the smaller and earlier of equals, undefined where nothing was. */
export interface Searched {
  readonly scored: readonly Scored[];
  readonly best: Scored | undefined;
}

/**
 * Forward search (METHODS 9.3): all single items, then the item that adds most, until nothing adds or `most` are held. Of
 * equal utilities the earlier item stays.
 */
export async function greedy(count: number, utility: Utility, most: number): Promise<Searched> {
  const scored: Scored[] = [];
  let best: Scored | undefined;
  while (most > (best?.items.length ?? 0)) {
    const held: readonly number[] = best?.items ?? [];
    const rest = indexes(count).filter((index) => !held.includes(index));
    const grown = rest.map((index) => [...held, index].sort((a, b) => a - b));
    const next = await scoreSubsets(grown, utility);
    scored.push(...next.scored);
    if (next.best === undefined || next.best.utility <= (best?.utility ?? 0)) {
      best ??= next.best; // nothing helps: the best is kept for the note
      break;
    }
    best = next.best;
  }
  return { scored, best };
}

/** Scores these subsets; those that could not be measured are left out. */
export async function scoreSubsets(subsets: readonly (readonly number[])[], utility: Utility): Promise<Searched> {
  const utilities = await Promise.all(subsets.map(utility));
  const scored: Scored[] = [];
  let best: Scored | undefined;
  for (const [at, value] of utilities.entries()) {
    if (value === undefined) continue;
    const one = { items: subsets[at]!, utility: value };
    scored.push(one);
    if (best === undefined || value > best.utility) best = one;
  }
  return { scored, best };
}

/** Returns the subsets of 1 to `most` items, the smaller first. */
export function subsetsOf(count: number, most: number): number[][] {
  let last: number[][] = [[]];
  const all: number[][] = [];
  for (let size = 1; size <= Math.min(most, count); size++) {
    last = last.flatMap((subset) =>
      indexes(count)
        .filter((index) => index > (subset.at(-1) ?? -1))
        .map((index) => [...subset, index]),
    );
    all.push(...last);
  }
  return all;
}

/** Counts these subsets. */
export function subsetCount(count: number, most: number): number {
  let [sum, ways] = [0, 1];
  for (let size = 1; size <= Math.min(most, count); size++) {
    ways = (ways * (count - size + 1)) / size;
    sum += ways;
  }
  return Math.round(sum);
}

const indexes = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
