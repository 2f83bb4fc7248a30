/** Items by key, keys in order of first appearance. */
export function groupBy<T>(items: Iterable<T>, key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const own = key(item);
    const group = groups.get(own);
    if (group === undefined) groups.set(own, [item]);
    else group.push(item);
  }
  return groups;
}
