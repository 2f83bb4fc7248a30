import { plainWords } from "../text/plain-words.js";

/** Texts that others are compared with. */
export interface NearTwins {
  /** Indexes of the texts that this one is a near twin of, ascending. */
  of(text: string): readonly number[];
}

/** Least similarity of near twins, 0..1, where nothing else is said. */
export const NEAR = 0.8;

/**
 * Finds near twins: texts that differ in few words, and texts of which one holds most of the other. Two texts are near twins where
 * - the edits (words put in, taken out or exchanged) that turn one into the other are at most a share 1 - `near` of the longer, or
 * - the shorter has ten words or more, and a share `near` of its runs of three words stands in the longer.
 * Words are compared as `plainWords` has them; texts of fewer than five words have no near twins but those with the very same words.
 *
 * The search is exact. Candidates come from an inverted index over runs of words, by the count filter of Jokinen and Ukkonen 1991:
 * an edit destroys at most k runs of k words, so twins share all but k for each edit allowed; then every candidate is measured.
 */
export function nearTwins(texts: readonly string[], near = NEAR): NearTwins {
  const ids = new Map<string, number>();
  const known = texts.map((text) => readNew(text, ids));
  if (known.length === 1) return twinsOfOne(known[0]!, ids, near);
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
      if (words.length < LEAST_WORDS || postings.size === 0 || !hasKnownRun(words)) return same;
      const other = readWords(words);
      const shared = countShared(other, lengths, postings);
      const found = new Set(same);
      for (const [index, count] of shared)
        if (!found.has(index) && isTwin(known[index]!, other, count, near)) found.add(index);
      return [...found].sort((a, b) => a - b);
    },
  };
}

// --- internal ---

/** The same search where there is one text: it is the only candidate. */
function twinsOfOne(only: Read & { readonly key: string }, ids: ReadonlyMap<string, number>, near: number): NearTwins {
  const runs = new Set(only.runs);
  return {
    of(text) {
      const plain = plainWords(text);
      if (only.words.length > 0 && plain.length === only.words.length && plain.join(" ") === only.key) return ONLY;
      const words = plain.map((word) => ids.get(word) ?? 0);
      if (words.length < LEAST_WORDS || runs.size === 0 || !hasKnownRun(words)) return NONE;
      const other = readWords(words);
      let shared = 0;
      for (const run of only.length === other.length ? other.runs : runsOf(words, only.length))
        if (runs.has(run)) shared += 1;
      return shared > 0 && isTwin(only, other, shared, near) ? ONLY : NONE;
    },
  };
}

const ONLY: readonly number[] = [0];
const NONE: readonly number[] = [];

const LEAST_WORDS = 5;
/** From so many words on, runs have three words, and one text may be a part of the other. */
const LONG = 10;

interface Read {
  /** Numbers of words, alike for equal words; 0 for words that no text of the index has. */
  readonly words: readonly number[];
  /** Length of its runs. */
  readonly length: number;
  /** Distinct runs, by number. */
  readonly runs: readonly number[];
}

function readWords(words: readonly number[]): Read {
  const length = words.length < LONG ? 2 : 3;
  return { words, length, runs: runsOf(words, length) };
}

/** The same of a text of the index, whose new words get numbers. `key`: equal for equal words. */
function readNew(text: string, ids: Map<string, number>): Read & { readonly key: string } {
  const plain = plainWords(text);
  const words = plain.map((word) => {
    const id = ids.get(word) ?? ids.size + 1;
    ids.set(word, id);
    return id;
  });
  return { ...readWords(words), key: plain.join(" ") };
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

function isTwin(one: Read, other: Read, shared: number, near: number): boolean {
  const short = Math.min(one.words.length, other.words.length);
  const long = Math.max(one.words.length, other.words.length);
  if (short < LEAST_WORDS) return false;
  const edits = Math.floor((1 - near) * long + 1e-9);
  if (
    long - short <= edits &&
    shared >= one.runs.length - one.length * edits &&
    isWithin(one.words, other.words, edits)
  )
    return true;
  return short >= LONG && shared >= near * (one.words.length <= other.words.length ? one : other).runs.length;
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

function push<K>(map: Map<K, number[]>, key: K, index: number): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [index]);
  else if (list.at(-1) !== index) list.push(index);
}
