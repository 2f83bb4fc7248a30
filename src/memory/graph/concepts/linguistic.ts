import { trimSigns } from "../../../text/scan.js";
import { naturalTerms } from "../../../text/tokens.js";
import { type Concept, type ConceptReader, eachOnce, isFunctionWord } from "./concept-reader.js";

/**
 * Words and pairs of neighbouring words that look like nouns and names: runs of content words between function words and
 * punctuation (as RAKE: Rose et al. 2010), told apart by their stems. No tagger, so a verb may slip in; those that hardly
 * ever return are dropped with the rare concepts.
 */
export const linguistic: ConceptReader = {
  name: "linguistic",
  summary: "stemmed content words and pairs of them, by natural's tokenizer and stemmer",
  source: "after Rose et al. 2010 (RAKE), stems by Porter; METHODS 8.3",
  async open() {
    const termsOf = await naturalTerms();
    const wordOf = (surface: string): Concept | undefined => {
      const key = termsOf(surface).join(" ");
      return key === "" || !looksLikeNoun(surface) ? undefined : { key, label: surface.toLowerCase() };
    };
    return (text) => eachOnce(text.split(PUNCTUATION).flatMap((clause) => phrases(clause, wordOf)));
  },
};

const PUNCTUATION = /[^\p{L}\p{M}\p{N}\s'’-]+|\s-+\s/u;

/** Function words, numbers, very short words and adverbs are none. */
function looksLikeNoun(surface: string): boolean {
  const word = surface.toLowerCase();
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
