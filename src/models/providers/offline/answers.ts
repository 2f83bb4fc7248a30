import { countsOf } from "../../../text/count.js";
import { between } from "../../../text/scan.js";
import { replies, sharedTerms } from "./demands.js";
import { anyLabel, type Evidence, oneOf, readEvidence } from "./evidence.js";
import { cosine, likenessTo, profileOf, rarity, softmax, sumOf } from "./likeness.js";
import type { Asked, Prompt } from "./prompt.js";
import { entitle } from "./title.js";
import { sentiment, topicTerms } from "./vocabulary.js";
import { termCounts, terms, words } from "./words.js";

/** Returns the possible answers to a prompt's question, with how likely each is. */
export function answersTo({ asked, shown }: Prompt): Map<string, number> {
  return asked === undefined ? new Map() : answerers[asked.kind](asked, shown);
}

const answerers: Readonly<Record<Asked["kind"], (asked: Asked, shown: string) => Map<string, number>>> = {
  text: compose,
  choice: (asked, shown) => choose(asked, readEvidence(shown, oneOf(asked.options))),
  open: ({ query }, shown) =>
    replies(
      query,
      shown.split("\n").filter((line) => /^[^:\n]{1,40}: \S/.test(line)),
    ),
  preference: prefer,
  rating: (asked, shown) => rate(asked, readEvidence(shown, oneOf(asked.options))),
  reference: refer,
  title: ({ query }, shown) => entitle(query, readEvidence(shown, anyLabel)),
  rewrite: ({ query }) => new Map([[query, 1]]),
};

/** Numbers of choices. All numbers here are few and round on purpose: on the histories they were tried on, wide ranges scored alike. */
const CHOICE = {
  /** Votes that stand for "any option is possible", spread over all options. */
  doubt: 0.5,
  /** Factor by which the most similar example counts more than an unrelated one, and the share of topic likeness in it. */
  similarity: 12,
  topicLikeness: 0.7,
  /** Votes that a fully stated label distribution is worth, and votes per matching word of a stated rule. */
  stated: 6,
  rule: 1.5,
  /** Trust in general word knowledge beside personal evidence. */
  knowledge: 0.8,
  /** Log-odds per vocabulary word, and per own word of an option, found in the query. */
  topicWord: 1.1,
  ownWord: 1.6,
} as const;

/** Votes for options. */
class Votes extends Map<string, number> {
  add(option: string, count: number): void {
    this.set(option, (this.get(option) ?? 0) + count);
  }
}

/** Returns the likelihood of each option for the query: what the evidence says of this user, times what words say in general. */
function choose(asked: Asked, evidence: Evidence): Map<string, number> {
  const personal = personalVotes(asked, evidence);
  const general = knowledge(asked);
  return softmax(asked.options, (option) => Math.log(personal.get(option)!) + CHOICE.knowledge * general(option));
}

/** Votes of shown examples (the more alike, the more they count), stated counts and rules, over a little doubt. */
function personalVotes({ options, query }: Asked, evidence: Evidence): Votes {
  const votes = new Votes(options.map((option) => [option, CHOICE.doubt / options.length]));
  const alike = likenessTo(
    query,
    evidence.examples.map(({ text }) => text),
  );
  for (const [i, { words, topics }] of alike.entries())
    votes.add(evidence.examples[i]!.label, 1 + CHOICE.similarity * (words + CHOICE.topicLikeness * topics));
  const nearest = Math.max(0, ...alike.map(({ words }) => words));
  for (const [option, count] of profileVotes(evidence, CHOICE.stated, nearest)) votes.add(option, count);
  const asked = termCounts(query);
  for (const rule of evidence.rules)
    votes.add(rule.label, CHOICE.rule * rule.words.flatMap(terms).filter((term) => asked.has(term)).length);
  return votes;
}

/** Returns the log-odds of an option from general word knowledge alone; a word of many topics says little about each. */
function knowledge({ options, query }: Asked): (option: string) => number {
  const asked = termCounts(query);
  const holding = countsOf(options.flatMap((option) => [...topicTerms(option)]));
  return (option) => {
    const topic = topicTerms(option);
    let odds = 0;
    for (const term of asked.keys()) if (topic.has(term)) odds += CHOICE.topicWord / holding.get(term)!;
    for (const term of new Set(terms(option))) if (asked.has(term)) odds += CHOICE.ownWord;
    return odds;
  };
}

/** The same for ratings, which are ordered. */
const RATING = {
  /** Votes for the text's own leaning; `population`: for what people usually rate, once any rating is shown. */
  general: 0.3,
  population: 1.5,
  /** Distance (in leaning, -1..1) within which an example counts, and how much more the most similar one counts. */
  width: 0.5,
  similarity: 4,
  /** Votes that a fully stated distribution is worth. */
  stated: 10,
  /** Position on the scale (0 lowest, 1 highest) of a text that does not lean, and how far leaning moves it. */
  neutral: 0.55,
  slope: 0.45,
  /** Leaning below which a text counts as negative. */
  blame: -0.2,
} as const;

/**
 * How likely each rating is: the user's ratings of texts that lean alike, drawn towards the ratings people usually give
 * while few are shown, and stated counts. Without any of them the text's own leaning is read literally. People rate high: every step
 * down the scale is about half as frequent.
 */
function rate({ options, query }: Asked, evidence: Evidence): Map<string, number> {
  const { examples } = evidence;
  const leaning = sentiment(query);
  const general = inGeneral(options, leaning);
  const votes = new Votes(options.map((option) => [option, RATING.general * general.get(option)!]));
  const alike = likenessTo(
    query,
    examples.map(({ text }) => text),
  ).map(({ words }) => words);
  for (const [i, { label, text }] of examples.entries()) {
    const distance = leaning - sentiment(text);
    votes.add(label, Math.exp(-((distance / RATING.width) ** 2)) * (1 + RATING.similarity * alike[i]!));
  }
  if (examples.length > 0)
    for (const [i, option] of options.entries())
      votes.add(option, RATING.population * (2 ** i / (2 ** options.length - 1)));
  // `most common negative score` says nothing about a text that praises
  const other = leaning < RATING.blame ? "positive" : "negative";
  const speaking = { ...evidence, usual: evidence.usual.filter(({ of }) => !of.includes(other)) };
  for (const [option, count] of profileVotes(speaking, RATING.stated, Math.max(0, ...alike))) votes.add(option, count);
  return softmax(options, (option) => Math.log(votes.get(option)!));
}

/** Returns the likelihood of each rating by the leaning alone, spread over one step of the scale. */
function inGeneral(options: readonly string[], leaning: number): Map<string, number> {
  const values = options.map(Number);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const expected = low + (high - low) * Math.min(1, Math.max(0, RATING.neutral + RATING.slope * leaning));
  return softmax(options, (option) => -((Number(option) - expected) ** 2));
}

/** Likeness of the nearest example at which a stated profile counts half. */
const NEAR = 0.1;
/** Share of its votes where only the most usual label is stated. */
const MODE_ONLY = 0.4;

/**
 * Votes of a stated profile; at most `most`, where it holds one label only. A flat profile has fewer, since it tells little
 * about the next item, and so has one beside an example that is nearly the item itself.
 */
function profileVotes({ counts, usual }: Evidence, most: number, nearest: number): Map<string, number> {
  const loudness = most / (1 + nearest / NEAR);
  if (counts.size === 0) return new Map(usual.map(({ label }) => [label, loudness * MODE_ONLY]));
  const total = sumOf([...counts.values()]);
  const shares = [...counts].map(([label, count]): [string, number] => [label, count / total]);
  const concentration = sumOf(shares.map(([, share]) => share ** 2));
  return new Map(shares.map(([label, share]) => [label, loudness * concentration * share]));
}

/** Returns the likelihood that a person prefers each option: lines that name it speak for it, refusals against it. */
function prefer({ options, query }: Asked, shown: string): Map<string, number> {
  const asked = termCounts(query);
  const lines = shown.split("\n").map((line) => ({
    text: line.toLowerCase(),
    weight: (REFUSED.test(line) ? -1 : 1) * (1 + 0.1 * sharedTerms(line, asked)),
  }));
  return softmax(options, (option) =>
    sumOf(lines.map(({ text, weight }) => (text.includes(option.toLowerCase()) ? weight : 0))),
  );
}

const REFUSED = /\b(?:no|not|never|stop|without|don't|too)\b/i;

/** Scale of all scores in the softmax, and the weight of the nearest known paper relative to the title asked about. */
const SHARPNESS = 8;
const NEAREST = 0.7;

/** Weighs the listed papers: the author cites the one closer to the author's own words, in the question and beside it. */
function refer(asked: Asked, shown: string): Map<string, number> {
  const papers = [...asked.inserted, ...shown.split("\n").map(chosenOnly)].filter((text) => text.trim() !== "");
  const title = profileOf(asked.query);
  const known = papers.map(profileOf);
  const options = asked.optionTexts.map(profileOf);
  const weigh = rarity([title, ...known, ...options]);
  return softmax(asked.options, (option) => {
    const { terms: wanted } = options[asked.options.indexOf(option)]!;
    const likeness = known.map((paper) => cosine(wanted, paper.terms, weigh));
    const mean = sumOf(likeness) / Math.max(1, likeness.length);
    return SHARPNESS * (cosine(wanted, title.terms, weigh) + NEAREST * Math.max(0, ...likeness) + mean);
  });
}

/** Of a past question, only the paper that was cited speaks for the author: `... options: [1] "A" [2] "B" | reference: [1]`. */
function chosenOnly(line: string): string {
  const past = between(line, [/\[1\]:?\s*"/g, /"\s*\[2\]:?\s*"/g, /".{0,40}?\[[12]\]/g]);
  if (past === undefined) return line;
  return `${line.slice(0, past.start)} ${past.parts[line[past.end - 2] === "1" ? 0 : 1]}`;
}

const FEWEST_WORDS = 3;
const USUAL_WORDS = 90;

/**
 * A long text as this user would write it: sentences that come back in what is shown, then those nearest to what is asked, in the order
 * in which they stand there. Where nothing is shown, the question's own words.
 */
function compose({ query }: Asked, shown: string): Map<string, number> {
  const sentences = shown
    .split(/(?<=[.!?])["'”]?\s+|\n+/)
    .flatMap((part) => part.split(/.*["“|:]\s*(?=[A-Z])/).slice(-1))
    .map((part) => part.trim())
    .filter((part) => /[.!?]$/.test(part) && words(part).length >= FEWEST_WORDS);
  const known = [...countsOf(sentences)];
  const likeness = likenessTo(
    query,
    known.map(([sentence]) => sentence),
  );
  let left = USUAL_WORDS;
  const taken = known
    .map(([sentence, count], at) => ({ sentence, at, score: count - 1 + likeness[at]!.words }))
    .sort((a, b) => b.score - a.score)
    .filter(({ sentence }) => {
      const { length } = words(sentence);
      if (length > left) return false;
      left -= length;
      return true;
    })
    .sort((a, b) => a.at - b.at);
  return new Map([[taken.map(({ sentence }) => sentence).join(" ") || query, 1]]);
}
