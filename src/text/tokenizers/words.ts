import type { Tokenizer } from "../../types/index.js";
import { pySplit, pyStrip } from "../python.js";

/**
 * A token is a whitespace word with the whitespace before it; one more token ends the sequence.
 * A stand-in for a model's own tokenizer: English text has some 1.3 model tokens per word.
 */
export const words: Tokenizer & { readonly name: string; readonly summary: string } = {
  name: "words",
  summary: "whitespace words (some 1.3 model tokens each in English)",
  count: (text) => pySplit(text).length + 1,
  cut: (text, max) => {
    if (max < 0) throw new RangeError(`cannot cut a text to ${max} tokens`);
    return pyStrip(
      tokens(text)
        .slice(0, Math.max(max - 1, 0))
        .join(""),
    );
  },
};

function tokens(text: string): string[] {
  let end = 0;
  return pySplit(text).map((word) => {
    const start = end;
    end = text.indexOf(word, start) + word.length;
    return text.slice(start, end);
  });
}
