import { countsOf } from "../../../text/count.js";
import { topicVector } from "./vocabulary.js";
import { termCounts } from "./words.js";

/** A text as its terms and its vector in topic space. */
interface Profile {
  readonly terms: ReadonlyMap<string, number>;
  readonly topics: ReadonlyMap<string, number>;
}

export function profileOf(text: string): Profile {
  const counts = termCounts(text);
  return { terms: counts, topics: topicVector(counts) };
}

/** Returns the rarity of terms among the given texts. */
export function rarity(profiles: readonly Profile[]): (term: string) => number {
  const holders = countsOf(profiles.flatMap((profile) => [...profile.terms.keys()]));
  return (term) => Math.log(1 + (profiles.length + 1) / ((holders.get(term) ?? 0) + 0.5));
}

/** Returns the likeness of a query to each text, by words (the rare ones count more) and by topics, each 0..1. */
export function likenessTo(query: string, texts: readonly string[]): { words: number; topics: number }[] {
  const asked = profileOf(query);
  const profiles = texts.map(profileOf);
  const weigh = rarity([...profiles, asked]);
  return profiles.map((profile) => ({
    words: cosine(asked.terms, profile.terms, weigh),
    topics: cosine(asked.topics, profile.topics, () => 1),
  }));
}

/** Returns the cosine of two weighted counts, 0..1. */
export function cosine(
  a: ReadonlyMap<string, number>,
  b: ReadonlyMap<string, number>,
  weigh: (key: string) => number,
): number {
  let [dot, normA, normB] = [0, 0, 0];
  for (const [key, count] of a) {
    const value = (1 + Math.log(count)) * weigh(key);
    normA += value * value;
    const other = b.get(key);
    if (other !== undefined) dot += value * (1 + Math.log(other)) * weigh(key);
  }
  for (const [key, count] of b) normB += ((1 + Math.log(count)) * weigh(key)) ** 2;
  return dot === 0 ? 0 : dot / Math.sqrt(normA * normB);
}

/** Returns probabilities from log-scores, in the order of `options`. */
export function softmax(options: readonly string[], score: (option: string) => number): Map<string, number> {
  const scores = options.map(score);
  const top = Math.max(...scores);
  const odds = scores.map((value) => Math.exp(value - top));
  const total = sumOf(odds);
  return new Map(options.map((option, i) => [option, odds[i]! / total]));
}

export const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
