import { countsOf } from "../../../text/count.js";
import { escapeRegExp } from "../../../text/words.js";
import { type Asked, likenessTo, type Prompt, sharedTerms, softmax, sumOf, terms, words } from "./reading.js";

/** Returns the possible answers to a prompt's question, with how likely each is. */
export function answersTo({ asked, shown, turn, system }: Prompt): Map<string, number> {
  if (asked === undefined) return replies(turn, system);
  if (asked.kind === "choice" || asked.kind === "rating") return choose(asked, shown);
  if (asked.kind === "reference") return refer(asked, shown);
  if (asked.kind === "title") return entitle(asked.query, shown);
  return new Map([[asked.kind === "rewrite" ? bounded([asked.query]) : compose(asked.query, shown), 1]]);
}

/** Numbers of votes; few and round on purpose. */
const VOTES = {
  doubt: 0.5, // "any option is possible", spread over all of them
  similarity: 12, // factor by which the most alike record counts more than an unrelated one
  mention: 0.3, // of a record that names an option somewhere in its text
  stated: 4, // of a stated distribution
  own: 1.3, // log-odds of an option whose own words stand in the query
  neighbour: 0.25, // share of a rating's votes that its neighbours get
};

/** Votes of all records that name an option, the more alike the more, and of stated counts. */
function choose({ kind, options, query }: Asked, shown: string): Map<string, number> {
  const { voteOf, shares } = labelsOf(options, kind === "choice");
  const votes = new Map(options.map((option) => [option.toLowerCase(), VOTES.doubt / options.length]));
  const add = ({ label, count }: Vote, factor: number) => votes.set(label, votes.get(label)! + count * factor);
  const records = recordsOf(shown, (text) => voteOf(text)?.count === 1).filter((text) => voteOf(text));
  const alike = likenessTo(query, records);
  for (const [at, record] of records.entries()) add(voteOf(record)!, 1 + VOTES.similarity * alike[at]!);
  for (const share of shares(shown)) add(share, VOTES.stated);
  const given = options.map((option) => Math.max(0.001, votes.get(option.toLowerCase())!));
  const asked = new Set(terms(query));
  return softmax(options, (option, at) => {
    const isOwn = terms(option).every((term) => asked.has(term));
    if (kind === "choice") return Math.log(given[at]!) + (isOwn ? VOTES.own : 0);
    const usual = at === Math.round((options.length - 1) * 0.75) ? 0.1 : 0; // people rate above the middle
    return Math.log(given[at]! + usual + VOTES.neighbour * ((given[at - 1] ?? 0) + (given[at + 1] ?? 0)));
  });
}

type Vote = { readonly label: string; readonly count: number };
const DENIED = /\b(?:no|not|never|stop|without|don't|too)\b/i;

/**
 * Reads options (in lower case) out of texts: of a record the one with which it ends or begins, where `isNamed` also the last one in it,
 * against it where the record denies; and shares of a stated distribution, options with numbers behind them.
 */
function labelsOf(options: readonly string[], isNamed: boolean) {
  const longestFirst = options.toSorted((a, b) => b.length - a.length);
  const any = `(${longestFirst.map(escapeRegExp).join("|")})`;
  const ending = new RegExp(`(?:^|(?<!\\d)[\\s"'“:(>|])${any}(?:\\.0)?["'”.)\\]\\s]*$`, "i");
  const beginning = new RegExp(`^["'“]?${any}["'”]? (?=[a-z])`, "i");
  const inside = new RegExp(`(?<![\\p{L}\\p{N}-])${any}(?![\\p{L}\\p{N}-])`, "giu");
  const counted = new RegExp(`(?<![\\p{L}\\p{N}-])${any}["”]?:? (\\d+(?:\\.\\d+)?)(?=[,.;\\s]|$)`, "giu");
  const room = longestFirst[0]!.length + 10;
  return {
    voteOf(record: string): Vote | undefined {
      const label = (ending.exec(record.slice(-room)) ?? beginning.exec(record.slice(0, room)))?.[1];
      if (label !== undefined) return { label: label.toLowerCase(), count: 1 };
      const last = isNamed ? record.match(inside)?.at(-1)?.toLowerCase() : undefined;
      return last === undefined ? last : { label: last, count: DENIED.test(record) ? -VOTES.mention : VOTES.mention };
    },
    shares(text: string): Vote[] {
      const found = [...text.matchAll(counted)];
      const total = sumOf(found.map(([, , count]) => Number(count)));
      return found.map(([, label = "", count]) => ({ label: label.toLowerCase(), count: Number(count) / total }));
    },
  };
}

/** Between records: line breaks, "and" or a full stop behind a quoted item, and the commas of a printed list. */
const BREAK = /\n|(?<=")\s?(?:, and|\.)\s|(?<=['"]), (?=['"])/;
const SHORT = 20; // characters; a shorter line that is a label belongs to the line before it

/** Splits what is shown into records; lists of options are no evidence. */
function recordsOf(shown: string, isLabel = (_text: string) => false): string[] {
  const records: string[] = [];
  for (const part of shown.replace(/\[[^[\]\n:]+,[^[\]\n:]+\]/g, " ").split(BREAK)) {
    const text = part.trim();
    if (text.length < SHORT && records.length > 0 && isLabel(text)) records.push(`${records.pop()} ${text}`);
    else if (text !== "") records.push(text);
  }
  return records;
}

const SHARPNESS = 8; // of likeness where no votes are counted

/** Weighs options by their meanings: the one closer to the question and to what is shown. */
function refer({ options, meanings, query }: Asked, shown: string): Map<string, number> {
  const known = recordsOf(shown);
  return softmax(options, (_, at) => {
    const [own = 0, ...others] = likenessTo(meanings[at]!, [query, ...known]);
    return SHARPNESS * (own + Math.max(0, ...others) + sumOf(others) / Math.max(1, others.length));
  });
}

const sentencesIn = (text: string): string[] =>
  text
    .split(/(?<=[.!?])["'”]?\s+|\n+/)
    .map((part) => part.trim())
    .filter((part) => words(part).length > 2);

const TITLE_WORDS = 10;

/** Returns titles: a text's first sentences, cut to their rarest words in order; those that share more with what is shown are likelier. */
function entitle(query: string, shown: string): Map<string, number> {
  const counts = countsOf(terms(query));
  const commonness = (word: string): number => counts.get(terms(word)[0] ?? "") ?? Number.POSITIVE_INFINITY;
  const first = sentencesIn(query).slice(0, 5);
  const titles = (first.length === 0 ? [query] : first).map((sentence) => {
    const parts = sentence.replace(/["“”]|[.!?,;:]+(?=\s|$)/g, "").split(/\s+/);
    const kept = parts.toSorted((a, b) => commonness(a) - commonness(b)).slice(0, TITLE_WORDS);
    const title = parts.filter((part) => kept.includes(part)).join(" ");
    return title.charAt(0).toUpperCase() + title.slice(1);
  });
  return softmax([...new Set(titles)], (title, at) => sharedTerms(title, shown) / 5 - at / 2);
}

const MOST_WORDS = 90;
const bounded = (sentences: readonly string[]): string =>
  sentences.join(" ").split(/\s+/).slice(0, MOST_WORDS).join(" ");

/** Writes a long text: the sentences shown that come back or are most like the question; its own words where none is shown. */
function compose(query: string, shown: string): string {
  const known = [...countsOf(sentencesIn(shown).filter((sentence) => /^[^"]*[.!?]$/.test(sentence)))];
  const sentences = known.map(([sentence]) => sentence);
  const alike = likenessTo(query, sentences);
  const score = new Map(known.map(([sentence, count], at) => [sentence, count + alike[at]!]));
  return bounded(known.length === 0 ? [query] : sentences.sort((a, b) => score.get(b)! - score.get(a)!));
}

/** Said where nothing is known: each begins with another word. */
const GENERAL =
  "It depends on many things.|People differ here.|Ask somebody nearby.|There are several ways.|" +
  "One could begin anywhere.|Look it up first.|Try what comes to mind.|Most would say so.";
const UNLIKELY = 3; // known things that do not speak to the question are hardly said

/**
 * Returns how likely each reply to a turn's last paragraph is: what stands below the headings of other paragraphs, by how much it
 * speaks to it, and replies that fit anybody. The more one known thing speaks to it, the surer the reply.
 */
function replies(turn: string, system: string): Map<string, number> {
  const [line = "", ...above] = turn.split("\n\n").toReversed();
  const known = [system.split("\n\n"), above].flat().flatMap((paragraph) => paragraph.split("\n").slice(1));
  const alike = likenessTo(line, known);
  const scores = new Map(GENERAL.split("|").map((text) => [text, 0]));
  for (const [at, fact] of known.entries())
    scores.set(`Since ${fact.replace(/^- /, "")}`, 2 * SHARPNESS * alike[at]! - UNLIKELY);
  return softmax([...scores.keys()], (text) => scores.get(text)!);
}
