import { between } from "../../../text/scan.js";
import { compose } from "./compose.js";
import { replies } from "./converse.js";
import { anyLabel, type Evidence, oneOf, readEvidence } from "./evidence.js";
import { likenessTo, profileOf, rarity, softmax, wordLikeness } from "./likeness.js";
import type { Asked, Prompt } from "./read-prompt.js";
import { entitle } from "./title.js";
import { sentiment, topicTerms } from "./vocabulary.js";
import { profile as profileWeights, rating, reference as referenceWeights, weights } from "./weights.js";
import { termCounts, terms } from "./words.js";

/** The possible answers to a prompt's question, with how likely each is. Empty where nothing is asked. */
export function answersTo({ asked, shown }: Prompt): Map<string, number> {
  return asked === undefined ? new Map() : answerers[asked.kind](asked, shown);
}

const answerers: Readonly<Record<Asked["kind"], (asked: Asked, shown: string) => Map<string, number>>> = {
  text: (asked, shown) => compose(asked.query, shown),
  choice: (asked, shown) => choose(asked.options, asked.query, readEvidence(shown, oneOf(asked.options))),
  open: (asked, shown) =>
    replies(
      asked.query,
      shown.split("\n").filter((line) => /^[^:\n]{1,40}: \S/.test(line)),
    ),
  preference: (asked, shown) => prefer(asked.options, asked.query, shown),
  rating: (asked, shown) => rate(asked.options, asked.query, readEvidence(shown, oneOf(asked.options))),
  reference: refer,
  title: (asked, shown) => entitle(asked.query, readEvidence(shown, anyLabel)),
  rewrite: (asked) => new Map([[asked.query, 1]]),
};

/** How likely each option is for the query: what the evidence says of this user, times what words say in general. */
function choose(options: readonly string[], query: string, evidence: Evidence): Map<string, number> {
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

/**
 * How likely each rating is: the user's ratings of texts that lean alike, drawn towards the ratings people usually give
 * while few are shown, and stated counts. Without any of them the text's own leaning is read literally.
 */
function rate(options: readonly string[], query: string, evidence: Evidence): Map<string, number> {
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

/**
 * Votes of a stated profile; at most `most`, where it holds one label only. A flat profile has fewer, since it tells little
 * about the next item, and so has one beside an example that is nearly the item itself.
 */
function profileVotes(
  { counts, usual }: Evidence,
  most: number,
  nearest: number,
  speaks: (of: string) => boolean = () => true,
): Map<string, number> {
  const loudness = most / (1 + nearest / profileWeights.near);
  if (counts.size === 0) {
    const labels = usual.filter(({ of }) => speaks(of)).map(({ label }) => label);
    return new Map(labels.map((label) => [label, loudness * profileWeights.modeOnly]));
  }
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const shares = [...counts].map(([label, count]): [string, number] => [label, count / total]);
  const concentration = shares.reduce((sum, [, share]) => sum + share ** 2, 0);
  return new Map(shares.map(([label, share]) => [label, loudness * concentration * share]));
}

/** How likely a person prefers each option: lines that name it speak for it, refusals against it. */
function prefer(options: readonly string[], query: string, shown: string): Map<string, number> {
  const asked = termCounts(query);
  const lines = shown.split("\n").map((line) => ({
    text: line.toLowerCase(),
    weight: (REFUSED.test(line) ? -1 : 1) * (1 + 0.1 * new Set(terms(line).filter((term) => asked.has(term))).size),
  }));
  return softmax(options, (option) =>
    lines.reduce((sum, { text, weight }) => sum + (text.includes(option.toLowerCase()) ? weight : 0), 0),
  );
}

const REFUSED = /\b(?:no|not|never|stop|without|don't|too)\b/i;

/** Which of the listed papers the author cites: the one closer to the author's own words, in the question and beside it. */
function refer(asked: Asked, shown: string): Map<string, number> {
  const papers = [...asked.inserted, ...shown.split("\n").map(chosenOnly)].filter((text) => text.trim() !== "");
  const title = profileOf(asked.query);
  const known = papers.map(profileOf);
  const options = asked.optionTexts.map(profileOf);
  const weigh = rarity([title, ...known, ...options]);
  return softmax(asked.options, (option) => {
    const profile = options[asked.options.indexOf(option)] ?? title;
    const likeness = known.map((paper) => wordLikeness(profile, paper, weigh));
    const nearest = Math.max(0, ...likeness);
    const usual = likeness.reduce((sum, value) => sum + value, 0) / Math.max(1, likeness.length);
    const sameTopic = wordLikeness(profile, title, weigh);
    return (
      referenceWeights.sharpness * (sameTopic + referenceWeights.nearest * nearest + referenceWeights.usual * usual)
    );
  });
}

/** Of a past question, only the paper that was cited speaks for the author: `... options: [1] "A" [2] "B" | reference: [1]`. */
function chosenOnly(line: string): string {
  const past = between(line, [/\[1\]:?\s*"/g, /"\s*\[2\]:?\s*"/g, /".{0,40}?\[[12]\]/g]);
  if (past === undefined) return line;
  return `${line.slice(0, past.start)} ${past.parts[line[past.end - 2] === "1" ? 0 : 1]}`;
}
