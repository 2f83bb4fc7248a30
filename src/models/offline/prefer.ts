import { softmax } from "./softmax.js";
import { termCounts, terms } from "./words.js";

/** How likely a person prefers each option: lines that name it speak for it, refusals against it. */
export function prefer(options: readonly string[], query: string, shown: string): Map<string, number> {
  const asked = termCounts(query);
  const lines = shown.split("\n").map((line) => ({
    text: line.toLowerCase(),
    weight: (REFUSED.test(line) ? -1 : 1) * (1 + 0.1 * new Set(terms(line).filter((term) => asked.has(term))).size),
  }));
  return softmax(options, (option) =>
    lines.reduce((sum, { text, weight }) => sum + (text.includes(option.toLowerCase()) ? weight : 0), 0),
  );
}

const REFUSED = /\b(?:no|not|never|stop|without|don't|too)\b/i;
