import { type ConceptReader, isFunctionWord } from "./concept-reader.js";
import { released } from "./released.js";

/** The rules of `released`, without function words ("The", "Don't"), and without words whose capital is only that of a sentence's beginning. */
export const named: ConceptReader = {
  name: "named",
  summary:
    "capitalized words but function words and those that merely begin a sentence, and topic words of eight domains",
  source: "PersonaAgent with GraphRAG, code; METHODS 8.1; stop words of scikit-learn, and some that its list lacks",
  async open() {
    const read = await released.open();
    return (text) => {
      const whole = text.replaceAll(CONTRACTED, " ");
      return read(
        whole.replaceAll(BEGINNING, (_, before: string, word: string) => `${before}${word.toLowerCase()}`),
      ).filter(({ key }) => !isFunctionWord(key.toLowerCase()));
    };
  },
};

/** "Don't" and "Won’t", whose first letters would else be the names Don and Won. */
const CONTRACTED = /(?<![\p{L}\p{N}_])[A-Z][a-z]*n['’]t(?![\p{L}\p{N}_])/gu;

/** The capitalized word that a text or a sentence begins with. */
const BEGINNING = /(^\W*|[.!?]["'”’)]*\s+["'“‘(]*)([A-Z][a-z]+)(?![\p{L}\p{N}_])/gu;
