export interface LabelShare {
  readonly label: string;
  /** 0..1, of the labelled ones. */
  readonly share: number;
}

/** The most frequent labels and their shares, equal ones by name. */
export function labelShares(labels: readonly (string | undefined)[], limit: number): LabelShare[] {
  const counts = new Map<string, number>();
  for (const label of labels) if (label !== undefined) counts.set(label, (counts.get(label) ?? 0) + 1);
  return topShares(counts, limit);
}

/** The same from counts. */
export function topShares(counts: ReadonlyMap<string, number>, limit: number): LabelShare[] {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return [...counts]
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, limit)
    .map(([label, count]) => ({ label, share: count / total }));
}
