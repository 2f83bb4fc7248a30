import { stem, terms } from "../words.js";
import { movies } from "./movies.js";
import { news } from "./news.js";

/** Terms that general knowledge ties to an option name; the option's own words are not among them. */
export function topicTerms(option: string): ReadonlySet<string> {
  return topics.get(option.toLowerCase()) ?? none;
}

/** How many vocabulary words of each topic a text has: its vector in topic space, for likeness of texts that share no word. */
export function topicVector(counts: ReadonlyMap<string, number>): Map<string, number> {
  const vector = new Map<string, number>();
  for (const term of counts.keys())
    for (const topic of topicsOf.get(term) ?? []) vector.set(topic, (vector.get(topic) ?? 0) + 1);
  return vector;
}

const none: ReadonlySet<string> = new Set();
const topics = new Map<string, ReadonlySet<string>>();
const topicsOf = new Map<string, string[]>();
for (const [name, list] of [...Object.entries(news), ...Object.entries(movies)]) {
  const words = new Set(list.split(/\s+/).map(stem));
  for (const term of terms(name)) words.delete(term);
  topics.set(name, words);
  for (const term of words) topicsOf.set(term, [...(topicsOf.get(term) ?? []), name]);
}
