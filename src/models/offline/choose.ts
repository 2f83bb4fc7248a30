import type { Evidence } from "./evidence/index.js";
import { likenessTo } from "./likeness.js";
import { profileVotes } from "./profile-votes.js";
import { softmax } from "./softmax.js";
import { topicTerms } from "./vocabulary/topics.js";
import { weights } from "./weights.js";
import { termCounts, terms } from "./words.js";

/** How likely each option is for the query: what the evidence says of this user, times what words say in general. */
export function choose(options: readonly string[], query: string, evidence: Evidence): Map<string, number> {
  const personal = personalShares(options, query, evidence);
  const general = knowledge(options, query);
  return softmax(
    options,
    (option) => Math.log(personal.get(option) ?? 1) + weights.knowledge * (general.get(option) ?? 0),
  );
}

/** Votes of shown examples (the more alike, the more they count), stated counts and rules, over a little doubt. */
function personalShares(options: readonly string[], query: string, evidence: Evidence): Map<string, number> {
  const votes = new Map(options.map((option) => [option, weights.doubt / options.length]));
  const add = (option: string, count: number): void => {
    votes.set(option, (votes.get(option) ?? 0) + count);
  };
  const alike = likenessTo(
    query,
    evidence.examples.map(({ text }) => text),
  );
  evidence.examples.forEach(({ label }, i) => {
    const { words, topics } = alike[i] ?? { words: 0, topics: 0 };
    add(label, 1 + weights.similarity * (words + weights.topicLikeness * topics));
  });
  const nearest = Math.max(0, ...alike.map(({ words }) => words));
  for (const [option, count] of profileVotes(evidence, weights.stated, nearest)) add(option, count);
  const asked = termCounts(query);
  for (const { label, words } of evidence.rules) {
    const matches = words.flatMap(terms).filter((term) => asked.has(term)).length;
    add(label, weights.rule * matches);
  }
  return votes;
}

/** Log-odds of each option from general word knowledge alone. */
function knowledge(options: readonly string[], query: string): Map<string, number> {
  const asked = termCounts(query);
  return new Map(
    options.map((option) => {
      const topic = topicTerms(option);
      let odds = 0;
      for (const term of asked.keys()) if (topic.has(term)) odds += weights.topicWord / topicsHolding(options, term);
      for (const term of new Set(terms(option))) if (asked.has(term)) odds += weights.ownWord;
      return [option, odds];
    }),
  );
}

/** A word of many topics says little about each. */
function topicsHolding(options: readonly string[], term: string): number {
  return options.filter((option) => topicTerms(option).has(term)).length;
}
