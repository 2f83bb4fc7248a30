/** Texts of fewer words have no near twins but those with the very same words. */
export const LEAST_WORDS = 5;

/**
 * Whether a text of these `plainWords` has too few words for near twins. Of scripts without blanks `plainWords` has signs, of which one
 * can turn the sense: about two of Chinese and Japanese stand for a word, four of Thai, Lao, Khmer and Burmese.
 */
export function isShort(plain: readonly string[]): boolean {
  if (plain.length < LEAST_WORDS || plain.length >= LEAST_WORDS * SIGNS) return plain.length < LEAST_WORDS;
  return plain.reduce((sum, word) => sum + shareOfWord(word), 0) < LEAST_WORDS;
}

function shareOfWord(word: string): number {
  if (word < FIRST_UNSPACED) return 1;
  return TWO.test(word) ? 1 / 2 : FOUR.test(word) ? 1 / SIGNS : 1;
}

const FIRST_UNSPACED = "\u0e00"; // Thai begins here; the others stand behind it
const TWO = /^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]$/u;
const FOUR = /^[\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]$/u;
const SIGNS = 4;

/** From so many words on, runs have three words, and one text may be a part of the other. */
const LONG = 10;

/** How many words a run of a text of so many words has. */
export const runLength = (words: number): number => (words < LONG ? 2 : 3);

/** A text as its words by number: alike for equal words; 0 for words that no text of the index has. */
export interface Measured {
  readonly words: ArrayLike<number>;
  /** How many distinct runs it has. */
  readonly runs: number;
}

/** Whether two texts that are not short are near twins. `shared`: how many of `one`'s distinct runs stand in the other. */
export function isTwin(one: Measured, other: Measured, shared: number, near: number): boolean {
  const short = Math.min(one.words.length, other.words.length);
  const long = Math.max(one.words.length, other.words.length);
  const edits = Math.floor((1 - near) * long + 1e-9);
  if (
    long - short <= edits &&
    shared >= one.runs - runLength(one.words.length) * edits &&
    isWithin(one.words, other.words, edits)
  )
    return true;
  return short >= LONG && shared >= near * (one.words.length <= other.words.length ? one : other).runs;
}

/** Whether at most so many edits turn one into the other: the band of the edit table that such few can reach (Ukkonen 1985). */
function isWithin(a: ArrayLike<number>, b: ArrayLike<number>, most: number): boolean {
  if (exchanged(a, b) <= most) return true;
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = new Array<number>(b.length + 1).fill(most + 1);
    if (i <= most) next[0] = i;
    let least = next[0]!;
    for (let j = Math.max(1, i - most); j <= Math.min(b.length, i + most); j++) {
      const isSame = a[i - 1] === b[j - 1] && a[i - 1] !== 0; // two words that are unknown are not known to be equal
      next[j] = Math.min(row[j - 1]! + (isSame ? 0 : 1), row[j]! + 1, next[j - 1]! + 1);
      least = Math.min(least, next[j]!);
    }
    if (least > most) return false;
    row = next;
  }
  return row[b.length]! <= most;
}

/** How many words have to be exchanged, or put in at the end; the least number of edits may be smaller. */
function exchanged(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let edits = Math.abs(a.length - b.length);
  for (let at = Math.min(a.length, b.length) - 1; at >= 0; at--) if (a[at] !== b[at] || a[at] === 0) edits += 1;
  return edits;
}
