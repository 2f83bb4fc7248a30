import type { Evidence } from "./evidence/index.js";
import { likenessTo } from "./likeness.js";
import { profileVotes } from "./profile-votes.js";
import { softmax } from "./softmax.js";
import { sentiment } from "./vocabulary/sentiment.js";
import { rating } from "./weights.js";

/**
 * How likely each rating is: the user's ratings of texts that lean alike, drawn towards the ratings people usually give
 * while few are shown, and stated counts. Without any of them the text's own leaning is read literally.
 */
export function rate(options: readonly string[], query: string, evidence: Evidence): Map<string, number> {
  const leaning = sentiment(query);
  const general = inGeneral(options, leaning);
  const votes = new Map(options.map((option) => [option, rating.general * (general.get(option) ?? 0)]));
  const alike = likenessTo(
    query,
    evidence.examples.map(({ text }) => text),
  ).map(({ words }) => words);
  const add = (option: string, count: number): void => {
    votes.set(option, (votes.get(option) ?? 0) + count);
  };
  evidence.examples.forEach((example, i) => {
    const distance = leaning - sentiment(example.text);
    add(example.label, Math.exp(-((distance / rating.width) ** 2)) * (1 + rating.similarity * (alike[i] ?? 0)));
  });
  if (evidence.examples.length > 0)
    for (const [i, option] of options.entries()) add(option, rating.population * usualShare(i, options.length));
  const nearest = Math.max(0, ...alike);
  const speaks = (of: string): boolean => speaksTo(of, leaning);
  for (const [option, count] of profileVotes(evidence, rating.stated, nearest, speaks)) add(option, count);
  return softmax(options, (option) => Math.log(votes.get(option) ?? 0));
}

/**
 * Whether a stated kind of score is about texts of this leaning: `most common negative score` says nothing about a text
 * that praises.
 */
function speaksTo(kind: string, leaning: number): boolean {
  const negative = leaning < rating.blame;
  return negative ? !kind.includes("positive") : !kind.includes("negative");
}

/** People rate high: every step down the scale is about half as frequent. */
function usualShare(position: number, steps: number): number {
  return 2 ** position / (2 ** steps - 1);
}

/** How likely each rating is by what a leaning alone points to, with a spread. */
function inGeneral(options: readonly string[], leaning: number): Map<string, number> {
  const values = options.map(Number);
  const low = Math.min(...values);
  const high = Math.max(...values);
  const expected = low + (high - low) * Math.min(1, Math.max(0, rating.neutral + rating.slope * leaning));
  return softmax(options, (option) => -(((Number(option) - expected) / rating.spread) ** 2));
}
