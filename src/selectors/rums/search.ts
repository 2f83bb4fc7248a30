/** Utility of a subset of items, given by their indexes in rising order; undefined where it could not be measured. */
export type Utility = (subset: readonly number[]) => Promise<number | undefined>;

interface Scored {
  readonly items: readonly number[];
  readonly utility: number;
}

/** All that was scored, in order, and the best of it. */
export interface Searched {
  readonly scored: readonly Scored[];
  /** Undefined where there was nothing to score. */
  readonly best: Scored | undefined;
}

interface SearchLimits {
  readonly items: number;
}

/**
 * Forward search (METHODS 9.3): all single items, then the item that adds most, until nothing adds or the subset is full. Of
 * equal utilities the earlier item stays.
 */
export async function greedy(count: number, utility: Utility, { items }: SearchLimits): Promise<Searched> {
  const scored: Scored[] = [];
  let best: Scored | undefined;
  while (items > (best?.items.length ?? 0)) {
    const held: readonly number[] = best?.items ?? [];
    const grown = indexes(count)
      .filter((index) => !held.includes(index))
      .map((index) => [...held, index].sort((a, b) => a - b));
    const next = await score(grown, utility);
    scored.push(...next);
    const found = bestOf(next);
    if (found === undefined || found.utility <= (best?.utility ?? 0)) {
      best ??= found; // nothing helps: what helps most is still told
      break;
    }
    best = found;
  }
  return { scored, best };
}

/** Each item by itself; the best one. */
export async function singletons(count: number, utility: Utility): Promise<Searched> {
  return among(
    indexes(count).map((index) => [index]),
    utility,
  );
}

/** Every subset of up to so many items. */
export async function exhaustive(count: number, utility: Utility, { items }: SearchLimits): Promise<Searched> {
  return among(subsetsOf(count, items), utility);
}

/** These subsets; the best one, the smaller and earlier of equals. */
export async function among(subsets: readonly (readonly number[])[], utility: Utility): Promise<Searched> {
  const scored = await score(subsets, utility);
  return { scored, best: bestOf(scored) };
}

/** Subsets of one item or more, the smaller first. */
function subsetsOf(count: number, most: number): number[][] {
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

/** How many subsets of one item or more there are of `count`, of at most `most`. */
export function subsetCount(count: number, most: number): number {
  let [sum, ways] = [0, 1];
  for (let size = 1; size <= Math.min(most, count); size++) {
    ways = (ways * (count - size + 1)) / size;
    sum += ways;
  }
  return Math.round(sum);
}

const indexes = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Those that could be measured. */
async function score(subsets: readonly (readonly number[])[], utility: Utility): Promise<Scored[]> {
  const utilities = await Promise.all(subsets.map(utility));
  return subsets.flatMap((items, at) => {
    const value = utilities[at];
    return value === undefined ? [] : [{ items, utility: value }];
  });
}

const bestOf = (scored: readonly Scored[]): Scored | undefined =>
  scored.reduce<Scored | undefined>(
    (best, one) => (best === undefined || one.utility > best.utility ? one : best),
    undefined,
  );
