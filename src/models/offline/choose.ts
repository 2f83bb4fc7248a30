import type { Evidence } from "./evidence/index.js";
import { profileOf, rarity, topicLikeness, wordLikeness } from "./likeness.js";
import { softmax } from "./softmax.js";
import { topicTerms } from "./vocabulary/topics.js";
import { weights } from "./weights.js";
import { terms } from "./words.js";

/** How likely each option is for the query: what the evidence says of this user, times what words say in general. */
export function choose(options: readonly string[], query: string, evidence: Evidence): Map<string, number> {
  const personal = personalShares(options, query, evidence);
  const general = knowledge(options, query);
  return softmax(
    options,
    (option) => Math.log(personal.get(option) ?? 1) + weights.knowledge * (general.get(option) ?? 0),
  );
}

// --- internal ---

/** Votes of shown examples (the more alike, the more they count), stated counts and rules, over a little doubt. */
function personalShares(options: readonly string[], query: string, evidence: Evidence): Map<string, number> {
  const votes = new Map(options.map((option) => [option, weights.doubt / options.length]));
  const add = (option: string, count: number): void => {
    votes.set(option, (votes.get(option) ?? 0) + count);
  };
  const asked = profileOf(query);
  const shown = evidence.examples.map((example) => profileOf(example.text));
  const weigh = rarity([...shown, asked]);
  evidence.examples.forEach((example, i) => {
    const profile = shown[i] ?? asked;
    const alike = wordLikeness(asked, profile, weigh) + weights.topicLikeness * topicLikeness(asked, profile);
    add(example.label, 1 + weights.similarity * alike);
  });
  const total = [...evidence.counts.values()].reduce((sum, count) => sum + count, 0);
  for (const [option, count] of evidence.counts) add(option, (weights.stated * count) / total);
  if (total === 0) for (const { label } of evidence.usual) add(label, weights.stated / 2);
  for (const { label, words } of evidence.rules) {
    const matches = words.flatMap(terms).filter((term) => asked.terms.has(term)).length;
    add(label, weights.rule * matches);
  }
  return votes;
}

/** Log-odds of each option from general word knowledge alone. */
function knowledge(options: readonly string[], query: string): Map<string, number> {
  const asked = profileOf(query).terms;
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
