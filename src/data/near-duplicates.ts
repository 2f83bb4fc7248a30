import { plainWords } from "../text/plain-words.js";

/** Texts that others are compared with. */
interface NearDuplicates {
  /** Indexes of the texts that this one nearly is, ascending. */
  of(text: string): readonly number[];
}

/** Least similarity of near-duplicates, 0 to 1, where nothing else is said. */
export const NEAR = 0.8;

/**
 * Finds near-duplicates: texts that differ in few words, and texts of which one holds most of the other. Two texts are near-duplicates where
 * - the edits (words put in, taken out or exchanged) that turn one into the other are at most a share 1 - `near` of the longer, or
 * - the shorter has ten words or more, and a share `near` of its runs of three words stands in the longer.
 * Words are compared as `plainWords` has them; short texts (`isShort`) have no near-duplicates but those with the very same words.
 *
 * The search is exact. Candidates come from an inverted index over runs of words, by the count filter of Jokinen and Ukkonen 1991:
 * an edit destroys at most k runs of k words, so near-duplicates share all but k for each edit allowed; then every candidate is measured.
 */
export function nearDuplicates(texts: readonly string[], near = NEAR): NearDuplicates {
  const ids = new Map<string, number>();
  const known = texts.map((text) => readNew(text, ids));
  const postings = new Map<number, number[]>();
  const bySame = new Map<string, number[]>();
  for (const [index, { words, runs, key }] of known.entries()) {
    if (words.length === 0) continue;
    push(bySame, key, index);
    for (const run of runs) push(postings, run, index);
  }
  const lengths = new Set(known.map(({ length }) => length));
  return {
    of(text) {
      const plain = plainWords(text);
      const words = plain.map((word) => ids.get(word) ?? 0);
      const same = words.includes(0) ? [] : (bySame.get(plain.join(" ")) ?? []);
      if (isShort(plain) || postings.size === 0 || !hasKnownRun(words)) return same;
      const other = readWords(words);
      const shared = countShared(other, lengths, postings);
      const found = new Set(same);
      for (const [index, count] of shared)
        if (!found.has(index) && isNear(sizeOf(known[index]!), sizeOf(other), count, near)) found.add(index);
      return [...found].sort((a, b) => a - b);
    },
  };
}

interface Read {
  /** Numbers of words, alike for equal words; 0 for words that no text of the index has. */
  readonly words: readonly number[];
  /** Length of its runs. */
  readonly length: number;
  /** Distinct runs, by number. */
  readonly runs: readonly number[];
}

function readWords(words: readonly number[]): Read {
  const length = runLength(words.length);
  return { words, length, runs: runsOf(words, length) };
}

const sizeOf = ({ words, runs }: Read): Measured => ({ words, runs: runs.length });

/** The same of a text of the index, whose new words get numbers; of a short one no runs. `key`: equal for equal words. */
function readNew(text: string, ids: Map<string, number>): Read & { readonly key: string } {
  const plain = plainWords(text);
  const words = plain.map((word) => {
    const id = ids.get(word) ?? ids.size + 1;
    ids.set(word, id);
    return id;
  });
  const read = readWords(words);
  return { ...(isShort(plain) ? { ...read, runs: [] } : read), key: plain.join(" ") };
}

/** Whether two words of the index stand side by side: else no run of the text is one of the index. */
function hasKnownRun(words: readonly number[]): boolean {
  for (let at = 1; at < words.length; at++) if (words[at] !== 0 && words[at - 1] !== 0) return true;
  return false;
}

/** Two runs may have one number by chance: a candidate more, which is then measured. */
function runsOf(words: readonly number[], length: number): readonly number[] {
  const runs: number[] = [];
  const known = words.length > FEW_WORDS ? new Set<number>() : undefined; // of few it takes longer than to look
  for (let end = length; end <= words.length; end++) {
    let run = length;
    for (let at = end - length; at < end; at++) run = (run * MULTIPLIER + words[at]!) % MODULUS;
    if (known === undefined ? runs.includes(run) : known.has(run)) continue;
    runs.push(run);
    known?.add(run);
  }
  return runs;
}

const MULTIPLIER = 1_048_583;
const MODULUS = 2 ** 32 - 5; // products stay below 2^53
const FEW_WORDS = 64;

/** By indexed text, how many of its runs stand in the other. Runs of the indexed text's own length are counted. */
function countShared(
  other: Read,
  lengths: ReadonlySet<number>,
  postings: ReadonlyMap<number, readonly number[]>,
): Map<number, number> {
  const shared = new Map<number, number>();
  for (const length of lengths)
    for (const run of length === other.length ? other.runs : runsOf(other.words, length))
      for (const index of postings.get(run) ?? []) shared.set(index, (shared.get(index) ?? 0) + 1);
  return shared;
}

function push<K>(map: Map<K, number[]>, key: K, index: number): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [index]);
  else if (list.at(-1) !== index) list.push(index);
}

/** Texts of fewer words have no near-duplicates but those with the very same words. */
const LEAST_WORDS = 5;

/**
 * Whether a text of these `plainWords` has too few words for near-duplicates. Of scripts without blanks `plainWords` has signs, of which one
 * can turn the sense: about two of Chinese and Japanese stand for a word, four of Thai, Lao, Khmer and Burmese.
 */
function isShort(plain: readonly string[]): boolean {
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
const runLength = (words: number): number => (words < LONG ? 2 : 3);

/** A text as its words by number: alike for equal words; 0 for words that no text of the index has. */
interface Measured {
  readonly words: readonly number[];
  /** How many distinct runs it has. */
  readonly runs: number;
}

/** Whether two texts that are not short are near-duplicates. `shared`: how many of `one`'s distinct runs stand in the other. */
function isNear(one: Measured, other: Measured, shared: number, near: number): boolean {
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
function isWithin(a: readonly number[], b: readonly number[], most: number): boolean {
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
function exchanged(a: readonly number[], b: readonly number[]): number {
  let edits = Math.abs(a.length - b.length);
  for (let at = Math.min(a.length, b.length) - 1; at >= 0; at--) if (a[at] !== b[at] || a[at] === 0) edits += 1;
  return edits;
}
