import { countsOf } from "../../src/text/count.js";

/** Returns the lower-cased words of a text. */
const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? [];

/** Returns the stems of the content words of a text, in order. */
const terms = (text: string): string[] => words(text).flatMap((word) => (stopWords.has(word) ? [] : stem(word)));

/** Cuts one common English ending; crude, but the same on both sides of every comparison. */
function stem(word: string): string {
  const plain = word.replace(/['’]s?$/, "");
  if (plain.length <= 3) return plain;
  const ending = endings.find((one) => plain.endsWith(one) && plain.length - one.length >= 3);
  return ending === undefined ? plain : plain.slice(0, -ending.length);
}

const endings = "ization ational fulness ingly edly ness ment ing ies ied ed es ly s y".split(" ");

const stopWords = new Set(
  `a an the of to in on for and or nor is are was were be been being it its it's this that these those with as at by
  from into onto about than then so if but not no yes he she they them him his her hers their you your i me my we our us
  who whom whose which what when where why how all any each every more most some such only own same too very can will
  just do does did doing done has have had having one two also may might would should could there here between after
  before over under again further once out up down off while because until during both few other another even still`.split(
    /\s+/,
  ),
);

/** Returns entries with the largest counts first; equal counts in alphabetical order. */
const ranked = (counts: ReadonlyMap<string, number>): [string, number][] =>
  [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));

const mostFrequent = (counts: ReadonlyMap<string, number>, limit: number): string[] =>
  ranked(counts)
    .slice(0, limit)
    .map(([word]) => word);

/** Returns the words that set one group of texts apart from the others, as they are spelled there. */
export function typicalWords(group: readonly string[], all: readonly string[], limit: number): string[] {
  const [inGroup, inAll] = [holders(group), holders(all)];
  const rest = all.length - group.length;
  const scores = new Map<string, number>();
  for (const [term, count] of inGroup) {
    if (count < Math.min(2, group.length) || /^\d/.test(term)) continue;
    const outside = inAll.get(term)! - count;
    const lift = rest === 0 ? count : count * Math.log((count / group.length + 0.01) / (outside / rest + 0.01));
    if (lift > 0) scores.set(term, lift);
  }
  const spelling = new Map<string, string>();
  for (const word of group.flatMap(words)) if (!spelling.has(stem(word))) spelling.set(stem(word), word);
  return mostFrequent(scores, limit).map((term) => spelling.get(term)!);
}

/** Counts in how many texts each term stands. */
const holders = (texts: readonly string[]): Map<string, number> =>
  countsOf(texts.flatMap((text) => [...new Set(terms(text))]));
