import { type ConceptReader, isFunctionWord } from "./concept-reader.js";
import { released } from "./released.js";

/** The rules of `released`, without function words: "The", "It", "Does" or "Don't" at the head of a sentence name nothing. */
export const named: ConceptReader = {
  name: "named",
  summary: "capitalized words but function words, and topic words of eight domains",
  source: "PersonaAgent with GraphRAG, code; METHODS 8.1; stop words of scikit-learn, and some that its list lacks",
  async open() {
    const read = await released.open();
    return (text) => read(text.replaceAll(CONTRACTED, " ")).filter(({ key }) => !isFunctionWord(key.toLowerCase()));
  },
};

/** "Don't" and "Won’t", whose first letters would else be the names Don and Won. */
const CONTRACTED = /(?<![\p{L}\p{N}_])[A-Z][a-z]*n['’]t(?![\p{L}\p{N}_])/gu;
