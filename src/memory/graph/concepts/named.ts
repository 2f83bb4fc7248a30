import { englishStopWords } from "../../../text/stop-words.js";
import type { ConceptReader } from "./concept-reader.js";
import { released } from "./released.js";

/** The rules of `released`, without function words: "The", "It" or "Nobody" at the head of a sentence name nothing. */
export const named: ConceptReader = {
  name: "named",
  summary: "capitalized words but function words, and topic words of eight domains",
  source: "papers/001, code; METHODS 8.1; stop words of scikit-learn",
  async open() {
    const read = await released.open();
    return (text) => read(text).filter(({ key }) => !englishStopWords.has(key.toLowerCase()));
  },
};
