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

/** Returns the possible answers to a prompt's question, with how likely each is. Empty where nothing is asked. */
export function answersTo({ asked, shown }: Prompt): Map<string, number> {
  return asked === undefined ? new Map() : answerers[asked.kind](asked, shown);
}

const answerers: Readonly<Record<Asked["kind"], (asked: Asked, shown: string) => Map<string, number>>> = {
  text: ({ query }, shown) => compose(query, shown),
  choice: (asked, shown) => choose(asked, readEvidence(shown, oneOf(asked.options))),
  open: ({ query }, shown) => {
    const known = shown.split("\n").filter((line) => /^[^:\n]{1,40}: \S/.test(line));
    return replies(query, known);
  },
  preference: prefer,
  rating: (asked, shown) => rate(asked, readEvidence(shown, oneOf(asked.options))),
  reference: refer,
  title: ({ query }, shown) => entitle(query, readEvidence(shown, anyLabel)),
  rewrite: ({ query }) => new Map([[query, 1]]),
};

/** Votes for options. */
class Votes extends Map<string, number> {
  add(option: string, count: number): void {
    this.set(option, (this.get(option) ?? 0) + count);
  }
}

/** How likely each option is for the query: what the evidence says of this user, times what words say in general. */
function choose(asked: Asked, evidence: Evidence): Map<string, number> {
  const personal = personalVotes(asked, evidence);
  const general = knowledge(asked);
  return softmax(
    asked.options,
    (option) => Math.log(personal.get(option) ?? 1) + weights.knowledge * (general.get(option) ?? 0),
  );
}

/** Votes of shown examples (the more alike, the more they count), stated counts and rules, over a little doubt. */
function personalVotes({ options, query }: Asked, evidence: Evidence): Votes {
  const votes = new Votes(options.map((option) => [option, weights.doubt / options.length]));
  const alike = likenessTo(query, textsOf(evidence));
  for (const [i, { words, topics }] of alike.entries())
    votes.add(evidence.examples[i]!.label, 1 + weights.similarity * (words + weights.topicLikeness * topics));
  const nearest = Math.max(0, ...alike.map(({ words }) => words));
  for (const [option, count] of profileVotes(evidence, weights.stated, nearest)) votes.add(option, count);
  const asked = termCounts(query);
  for (const { label, words } of evidence.rules)
    votes.add(label, weights.rule * words.flatMap(terms).filter((term) => asked.has(term)).length);
  return votes;
}

const textsOf = ({ examples }: Evidence): string[] => examples.map(({ text }) => text);

/** Log-odds of each option from general word knowledge alone; a word of many topics says little about each. */
function knowledge({ options, query }: Asked): Map<string, number> {
  const asked = termCounts(query);
  const holding = (term: string): number => options.filter((option) => topicTerms(option).has(term)).length;
  return new Map(
    options.map((option) => {
      const topic = topicTerms(option);
      let odds = 0;
      for (const term of asked.keys()) if (topic.has(term)) odds += weights.topicWord / holding(term);
      for (const term of new Set(terms(option))) if (asked.has(term)) odds += weights.ownWord;
      return [option, odds];
    }),
  );
}

/**
 * How likely each rating is: the user's ratings of texts that lean alike, drawn towards the ratings people usually give
 * while few are shown, and stated counts. Without any of them the text's own leaning is read literally. People rate high: every step
 * down the scale is about half as frequent.
 */
function rate({ options, query }: Asked, evidence: Evidence): Map<string, number> {
  const { examples } = evidence;
  const leaning = sentiment(query);
  const general = inGeneral(options, leaning);
  const votes = new Votes(options.map((option) => [option, rating.general * (general.get(option) ?? 0)]));
  const alike = likenessTo(query, textsOf(evidence)).map(({ words }) => words);
  for (const [i, { label, text }] of examples.entries()) {
    const distance = leaning - sentiment(text);
    votes.add(label, Math.exp(-((distance / rating.width) ** 2)) * (1 + rating.similarity * alike[i]!));
  }
  if (examples.length > 0)
    for (const [i, option] of options.entries())
      votes.add(option, rating.population * (2 ** i / (2 ** options.length - 1)));
  // `most common negative score` says nothing about a text that praises
  const other = leaning < rating.blame ? "positive" : "negative";
  const speaking = { ...evidence, usual: evidence.usual.filter(({ of }) => !of.includes(other)) };
  for (const [option, count] of profileVotes(speaking, rating.stated, Math.max(0, ...alike))) votes.add(option, count);
  return softmax(options, (option) => Math.log(votes.get(option) ?? 0));
}

/** How likely each rating is by what a leaning alone points to, with a spread. */
function inGeneral(options: readonly string[], leaning: number): Map<string, number> {
  const values = options.map(Number);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const expected = low + (high - low) * Math.min(1, Math.max(0, rating.neutral + rating.slope * leaning));
  return softmax(options, (option) => -(((Number(option) - expected) / rating.spread) ** 2));
}

/**
 * Votes of a stated profile; at most `most`, where it holds one label only. A flat profile has fewer, since it tells little
 * about the next item, and so has one beside an example that is nearly the item itself.
 */
function profileVotes({ counts, usual }: Evidence, most: number, nearest: number): Map<string, number> {
  const loudness = most / (1 + nearest / profileWeights.near);
  if (counts.size === 0) return new Map(usual.map(({ label }) => [label, loudness * profileWeights.modeOnly]));
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const shares = [...counts].map(([label, count]): [string, number] => [label, count / total]);
  const concentration = shares.reduce((sum, [, share]) => sum + share ** 2, 0);
  return new Map(shares.map(([label, share]) => [label, loudness * concentration * share]));
}

/** How likely a person prefers each option: lines that name it speak for it, refusals against it. */
function prefer({ options, query }: Asked, shown: string): Map<string, number> {
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
  const { sharpness, nearest, usual } = referenceWeights;
  const papers = [...asked.inserted, ...shown.split("\n").map(chosenOnly)].filter((text) => text.trim() !== "");
  const title = profileOf(asked.query);
  const known = papers.map(profileOf);
  const options = asked.optionTexts.map(profileOf);
  const weigh = rarity([title, ...known, ...options]);
  return softmax(asked.options, (option) => {
    const profile = options[asked.options.indexOf(option)] ?? title;
    const likeness = known.map((paper) => wordLikeness(profile, paper, weigh));
    const mean = likeness.reduce((sum, value) => sum + value, 0) / Math.max(1, likeness.length);
    const sameTopic = wordLikeness(profile, title, weigh);
    return sharpness * (sameTopic + nearest * Math.max(0, ...likeness) + usual * mean);
  });
}

/** Of a past question, only the paper that was cited speaks for the author: `... options: [1] "A" [2] "B" | reference: [1]`. */
function chosenOnly(line: string): string {
  const past = between(line, [/\[1\]:?\s*"/g, /"\s*\[2\]:?\s*"/g, /".{0,40}?\[[12]\]/g]);
  if (past === undefined) return line;
  return `${line.slice(0, past.start)} ${past.parts[line[past.end - 2] === "1" ? 0 : 1]}`;
}
