import { mostFrequent, stem, terms, words } from "./words.js";

/** The words that set one group of texts apart from the others, as they are spelled there. */
export function typicalWords(group: readonly string[], all: readonly string[], limit: number): string[] {
  const inGroup = holders(group);
  const inAll = holders(all);
  const rest = all.length - group.length;
  const scores = new Map<string, number>();
  for (const [term, count] of inGroup) {
    if (count < Math.min(2, group.length) || /^\d/.test(term)) continue;
    const outside = (inAll.get(term) ?? count) - count;
    const lift = rest === 0 ? count : count * Math.log((count / group.length + 0.01) / (outside / rest + 0.01));
    if (lift > 0) scores.set(term, lift);
  }
  const spelling = new Map<string, string>();
  for (const word of group.flatMap(words)) if (!spelling.has(stem(word))) spelling.set(stem(word), word);
  return mostFrequent(scores, limit).map((term) => spelling.get(term) ?? term);
}

/** In how many texts each term stands. */
function holders(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) for (const term of new Set(terms(text))) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}
