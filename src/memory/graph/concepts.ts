import { registry } from "../../registry/registry.js";
import { trimSigns } from "../../text/scan.js";
import { englishStopWords, naturalTerms } from "../../text/tokens.js";

/** A named entity or keyword of a text. */
export interface Concept {
  /** Identity: mentions with one key are one concept. */
  readonly key: string;
  /** The form for prompts. */
  readonly label: string;
}

/** Reads the concepts of a text, each once, in order of first mention. */
export type ReadConcepts = (text: string) => readonly Concept[];

/** A way of finding concepts. What it needs is loaded inside `open`. */
export interface ConceptReader {
  readonly name: string;
  readonly summary: string;
  readonly source: string;
  open(): Promise<ReadConcepts>;
}

/** Keeps the first mention of each concept. */
function eachOnce(mentions: Iterable<Concept>): Concept[] {
  const found = new Map<string, Concept>();
  for (const mention of mentions) if (!found.has(mention.key)) found.set(mention.key, mention);
  return [...found.values()];
}

/** Returns whether a lower-case word is a function word: a stop word of scikit-learn, or one of `FURTHER`, weekdays and months among them. */
const isFunctionWord = (word: string): boolean => englishStopWords.has(word) || FURTHER.has(word);

const FURTHER = new Set(
  "monday tuesday wednesday thursday friday saturday sunday january february april june july august september october november december amid amidst anybody despite did does doing everybody gets goes got having just let lets made makes oh ought said say says shall somebody takes theirs till unless unlike versus wants whilst yes".split(
    " ",
  ),
);

/**
 * Pattern and domain rules as the release of PersonaAgent with GraphRAG has them (METHODS 8.1): every capitalized word (`[A-Z][a-z]+`, the
 * first word of a sentence too) and every topic word of eight domains. The release's word lists are not published with
 * the paper; these are ours for the same domains.
 */
const released: ConceptReader = {
  name: "released",
  summary: "capitalized words, and topic words of eight domains",
  source: "PersonaAgent with GraphRAG, code; METHODS 8.1",
  async open() {
    return (text) => {
      const names = text.match(CAPITALIZED) ?? [];
      const lower = text.toLowerCase();
      const topics = DOMAINS.flatMap((pattern) => lower.match(pattern) ?? []);
      return eachOnce([...names, ...topics].map((word) => ({ key: word, label: word })));
    };
  },
};

/** Python's `\b[A-Z][a-z]+\b`, whose word boundaries know all scripts. */
const CAPITALIZED = /(?<![\p{L}\p{N}_])[A-Z][a-z]+(?![\p{L}\p{N}_])/gu;

const DOMAINS = [
  "music film movie album song concert actor director cinema television theater",
  "football basketball baseball soccer tennis olympics team championship league coach athlete",
  "politics election president senate congress government policy vote campaign democrat republican",
  "technology software internet computer digital app startup data robot science smartphone",
  "travel flight hotel vacation tourism airport destination trip cruise",
  "fashion style beauty makeup designer clothing dress runway jewelry",
  "food recipe restaurant cooking chef wine dinner kitchen dessert",
  "health medical doctor disease fitness hospital diet exercise therapy wellness",
].map((words) => new RegExp(`(?<![\\p{L}\\p{N}_])(?:${words.replaceAll(" ", "|")})(?![\\p{L}\\p{N}_])`, "gu"));

/**
 * The rules of `released`, without function words ("The", "Don't"), without words whose capital is only that of a sentence's beginning
 * or of a headline in Title Case, and in one case: "President" and "president" are one concept.
 */
const withoutFunctionWords: ConceptReader = {
  name: "named",
  summary:
    "capitalized words but function words and those of sentence beginnings and headlines, and topic words of eight domains",
  source: "PersonaAgent with GraphRAG, code; METHODS 8.1; stop words of scikit-learn, and some that its list lacks",
  async open() {
    const [read, isVerb] = [await released.open(), await readVerbs()];
    return (text) => {
      const plain = text
        .replaceAll(CONTRACTED, " ")
        .replaceAll(TITLE_CASE, (headline) => headline.toLowerCase())
        .replaceAll(BEGINNING, (_, before: string, word: string) => `${before}${word.toLowerCase()}`);
      const concepts = read(plain).map(({ key, label }) => ({ key: key.toLowerCase(), label }));
      return eachOnce(concepts.filter(({ key }) => !isFunctionWord(key) && !isVerb(key)));
    };
  },
};

/** Gives the test whether a lower-case word is mostly a verb or an adverb in English, by the word list of `natural`. */
async function readVerbs(): Promise<(word: string) => boolean> {
  const { tags } = await import("../../text/word-tags.js");
  return (word) => Object.hasOwn(tags, word) && /^(?:VB|RB|MD)/.test(tags[word]?.[0] ?? "");
}

/** Five capitalized words or more in a row, with small words between them. Ours: names are shorter. */
const TITLE_CASE =
  /(?<![\p{L}\p{N}_])(?:\p{Lu}[^\s.!?]*[\s]+(?:(?:a|an|and|as|at|by|for|from|in|is|of|on|or|the|to|with)\s+){0,3}){4,}\p{Lu}[^\s.!?]*/gu;

/** "Don't" and "Won’t", whose first letters would else be the names Don and Won. */
const CONTRACTED = /(?<![\p{L}\p{N}_])[A-Z][a-z]*n['’]t(?![\p{L}\p{N}_])/gu;

/** The capitalized word that a text or a sentence begins with. */
const BEGINNING = /(^\W*|[.!?]["'”’)]*\s+["'“‘(]*)([A-Z][a-z]+)(?![\p{L}\p{N}_])/gu;

/**
 * Words and pairs of neighbouring words that look like nouns and names: runs of content words between function words and
 * punctuation (as RAKE: Rose et al. 2010), told apart by their stems.
 */
export const linguistic: ConceptReader = {
  name: "linguistic",
  summary: "stemmed content words and pairs of them, by natural's tokenizer and stemmer",
  source: "after Rose et al. 2010 (RAKE), stems by Porter; METHODS 8.3",
  async open() {
    const termsOf = await naturalTerms();
    const isVerb = await readVerbs();
    const conceptOf = (word: string): Concept | undefined => {
      const key = termsOf(word).join(" ");
      return key === "" || !looksLikeNoun(word) || isVerb(word) ? undefined : { key, label: word };
    };
    const known = new Map<string, Concept | undefined>(); // stemming is slow, and the same texts are read for many dates
    const wordOf = (surface: string): Concept | undefined => {
      const word = surface.toLowerCase();
      if (!known.has(word)) known.set(word, conceptOf(word));
      return known.get(word);
    };
    return (text) => eachOnce(text.split(PUNCTUATION).flatMap((clause) => phrases(clause, wordOf)));
  },
};

const PUNCTUATION = /[^\p{L}\p{M}\p{N}\s'’-]+|\s-+\s/u;

/** Function words, numbers, very short words and adverbs are none. */
function looksLikeNoun(word: string): boolean {
  return word.length > 2 && !isFunctionWord(word.replaceAll(/['’]/g, "")) && !/^\d|ly$|['’]/u.test(word);
}

/** Each content word of a clause, and each pair of neighbours. */
function phrases(clause: string, wordOf: (surface: string) => Concept | undefined): Concept[] {
  const found: Concept[] = [];
  let before: Concept | undefined;
  for (const surface of clause.split(/\s+/u)) {
    const word = wordOf(trimSigns(surface.replace(/['’]s$/u, ""), "'’-"));
    if (word !== undefined) found.push(word);
    if (word !== undefined && before !== undefined)
      found.push({ key: `${before.key} ${word.key}`, label: `${before.label} ${word.label}` });
    before = word;
  }
  return found;
}

/** Every way of finding concepts, by the name typed behind `graph.concepts=`. */
export const conceptReaders = registry("concept reader", [linguistic, withoutFunctionWords, released]);
