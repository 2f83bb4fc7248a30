/** The lower-cased words of each text: runs of letters, digits and apostrophes (METHODS 7.7). */
export const wordSetsOf = (texts: readonly string[]): Set<string>[] =>
  texts.map((text) => new Set(text.toLowerCase().match(/[a-z0-9']+/g) ?? []));

/** |A n B| / |A u B|; 1 for two without a word. Source: METHODS 7.7, PersonaAgent Fig. 5. */
export function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((word) => b.has(word)).length;
  const union = a.size + b.size - shared;
  return union === 0 ? 1 : shared / union;
}

/** The middle value, or the mean of the two middle ones; NaN of none. */
export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2;
}
