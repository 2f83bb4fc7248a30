import { topicVector } from "./vocabulary.js";
import { termCounts } from "./words.js";

/** A text as its terms and its vector in topic space. */
interface Profile {
  readonly terms: ReadonlyMap<string, number>;
  readonly topics: ReadonlyMap<string, number>;
}

export function profileOf(text: string): Profile {
  const terms = termCounts(text);
  return { terms, topics: topicVector(terms) };
}

/** Rarity of terms among the given texts. */
export function rarity(profiles: readonly Profile[]): (term: string) => number {
  const holders = new Map<string, number>();
  for (const { terms } of profiles) for (const term of terms.keys()) holders.set(term, (holders.get(term) ?? 0) + 1);
  return (term) => Math.log(1 + (profiles.length + 1) / ((holders.get(term) ?? 0) + 0.5));
}

/** Cosine of the weighted terms of two texts, 0..1. */
export function wordLikeness(a: Profile, b: Profile, weigh: (term: string) => number): number {
  return cosine(a.terms, b.terms, weigh);
}

/** Cosine of two texts' vectors in topic space, 0..1: likeness without a shared word. */
function topicLikeness(a: Profile, b: Profile): number {
  return cosine(a.topics, b.topics, () => 1);
}

/** Word and topic likeness of a query to each text, rarity of terms counted among all of them. */
export function likenessTo(query: string, texts: readonly string[]): { words: number; topics: number }[] {
  const asked = profileOf(query);
  const profiles = texts.map(profileOf);
  const weigh = rarity([...profiles, asked]);
  return profiles.map((profile) => ({
    words: wordLikeness(asked, profile, weigh),
    topics: topicLikeness(asked, profile),
  }));
}

function cosine(
  a: ReadonlyMap<string, number>,
  b: ReadonlyMap<string, number>,
  weigh: (key: string) => number,
): number {
  let dot = 0;
  let normA = 0;
  let normB = 0;
  for (const [key, count] of a) {
    const value = (1 + Math.log(count)) * weigh(key);
    normA += value * value;
    const other = b.get(key);
    if (other !== undefined) dot += value * (1 + Math.log(other)) * weigh(key);
  }
  for (const [key, count] of b) normB += ((1 + Math.log(count)) * weigh(key)) ** 2;
  return dot === 0 ? 0 : dot / Math.sqrt(normA * normB);
}

/** Probabilities from log-scores, in the order of `options`. Sums to one. */
export function softmax(options: readonly string[], score: (option: string) => number): Map<string, number> {
  const scores = options.map(score);
  const top = Math.max(...scores);
  const odds = scores.map((value) => Math.exp(value - top));
  const total = odds.reduce((sum, value) => sum + value, 0);
  return new Map(options.map((option, i) => [option, (odds[i] ?? 0) / total]));
}
