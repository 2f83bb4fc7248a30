import { englishStopWords } from "../../../text/tokens.js";

/** A named entity or keyword of a text. */
export interface Concept {
  /** What makes two mentions the same concept. */
  readonly key: string;
  /** How it is shown. */
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
export function eachOnce(mentions: Iterable<Concept>): Concept[] {
  const found = new Map<string, Concept>();
  for (const mention of mentions) if (!found.has(mention.key)) found.set(mention.key, mention);
  return [...found.values()];
}

/** Whether a word, in small letters, names nothing: stop words of scikit-learn, and some that its list lacks. */
export const isFunctionWord = (word: string): boolean => englishStopWords.has(word) || FURTHER.has(word);

const FURTHER = new Set(
  "amid amidst anybody despite did does doing everybody gets goes got having just let lets made makes oh ought said say says shall somebody takes theirs till unless unlike versus wants whilst yes".split(
    " ",
  ),
);
