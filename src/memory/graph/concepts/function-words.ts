import { englishStopWords } from "../../../text/stop-words.js";

/** Whether a word, in small letters, names nothing: stop words of scikit-learn, and some that its list lacks. */
export const isFunctionWord = (word: string): boolean => englishStopWords.has(word) || FURTHER.has(word);

const FURTHER = new Set(
  "amid amidst anybody despite did does doing everybody having just let lets oh ought shall somebody theirs till unless unlike versus whilst yes".split(
    " ",
  ),
);
