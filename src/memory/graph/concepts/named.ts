import { type ConceptReader, eachOnce, isFunctionWord } from "./concept-reader.js";
import { released } from "./released.js";

/**
 * The rules of `released`, without function words ("The", "Don't"), without words whose capital is only that of a sentence's beginning
 * or of a headline in Title Case, and in one case: "President" and "president" are one concept.
 */
export const named: ConceptReader = {
  name: "named",
  summary:
    "capitalized words but function words and those of sentence beginnings and headlines, and topic words of eight domains",
  source: "PersonaAgent with GraphRAG, code; METHODS 8.1; stop words of scikit-learn, and some that its list lacks",
  async open() {
    const read = await released.open();
    return (text) => {
      const plain = text
        .replaceAll(CONTRACTED, " ")
        .replaceAll(TITLE_CASE, (headline) => headline.toLowerCase())
        .replaceAll(BEGINNING, (_, before: string, word: string) => `${before}${word.toLowerCase()}`);
      const concepts = read(plain).map(({ key, label }) => ({ key: key.toLowerCase(), label }));
      return eachOnce(concepts.filter(({ key }) => !isFunctionWord(key)));
    };
  },
};

/** Five capitalized words or more in a row, with small words between them. Ours: names are shorter. */
const TITLE_CASE =
  /(?<![\p{L}\p{N}_])(?:\p{Lu}[^\s.!?]*[\s]+(?:(?:a|an|and|as|at|by|for|from|in|is|of|on|or|the|to|with)\s+){0,3}){4,}\p{Lu}[^\s.!?]*/gu;

/** "Don't" and "Won’t", whose first letters would else be the names Don and Won. */
const CONTRACTED = /(?<![\p{L}\p{N}_])[A-Z][a-z]*n['’]t(?![\p{L}\p{N}_])/gu;

/** The capitalized word that a text or a sentence begins with. */
const BEGINNING = /(^\W*|[.!?]["'”’)]*\s+["'“‘(]*)([A-Z][a-z]+)(?![\p{L}\p{N}_])/gu;
