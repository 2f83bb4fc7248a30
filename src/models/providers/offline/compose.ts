import { likenessTo } from "./likeness.js";
import { words } from "./words.js";

/**
 * A long text as this user would write it: sentences that come back in what is shown, then those nearest to what is asked, in the order
 * in which they stand there. Where nothing is shown, the question's own words.
 */
export function compose(query: string, shown: string): Map<string, number> {
  const sentences = shown
    .split(/(?<=[.!?])["'”]?\s+|\n+/)
    .flatMap((part) => part.split(/.*["“|:]\s*(?=[A-Z])/).slice(-1))
    .map((part) => part.trim())
    .filter((part) => /[.!?]$/.test(part) && words(part).length >= FEWEST_WORDS);
  const times = new Map<string, number>();
  for (const sentence of sentences) times.set(sentence, (times.get(sentence) ?? 0) + 1);
  const known = [...times];
  const likeness = likenessTo(
    query,
    known.map(([sentence]) => sentence),
  );
  const ranked = known
    .map(([sentence, count], at) => ({ sentence, at, score: count - 1 + (likeness[at]?.words ?? 0) }))
    .sort((a, b) => b.score - a.score || a.at - b.at);
  let left = USUAL_WORDS;
  const taken = ranked.filter(({ sentence }) => {
    const length = words(sentence).length;
    if (length > left) return false;
    left -= length;
    return true;
  });
  const text = taken
    .sort((a, b) => a.at - b.at)
    .map(({ sentence }) => sentence)
    .join(" ");
  return new Map([[text === "" ? query : text, 1]]);
}

const FEWEST_WORDS = 3;
const USUAL_WORDS = 90;
