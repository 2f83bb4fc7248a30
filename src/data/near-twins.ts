import { plainWords } from "../text/plain-words.js";
import { isShort, isTwin, type Measured, runLength } from "./twin-measure.js";
import { twinsOfOne } from "./twins-of-one.js";

/** Texts that others are compared with. */
interface NearTwins {
  /** Indexes of the texts that this one is a near twin of, ascending. */
  of(text: string): readonly number[];
}

/** Least similarity of near twins, 0..1, where nothing else is said. */
export const NEAR = 0.8;

/**
 * Finds near twins: texts that differ in few words, and texts of which one holds most of the other. Two texts are near twins where
 * - the edits (words put in, taken out or exchanged) that turn one into the other are at most a share 1 - `near` of the longer, or
 * - the shorter has ten words or more, and a share `near` of its runs of three words stands in the longer.
 * Words are compared as `plainWords` has them; short texts (`isShort`) have no near twins but those with the very same words.
 *
 * The search is exact. Candidates come from an inverted index over runs of words, by the count filter of Jokinen and Ukkonen 1991:
 * an edit destroys at most k runs of k words, so twins share all but k for each edit allowed; then every candidate is measured.
 */
export function nearTwins(texts: readonly string[], near = NEAR): NearTwins {
  if (texts.length === 1) {
    const isTwinOfOne = twinsOfOne(plainWords(texts[0]!), near);
    return { of: (text) => (isTwinOfOne(text) ? ONLY : NONE) };
  }
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
        if (!found.has(index) && isTwin(sizeOf(known[index]!), sizeOf(other), count, near)) found.add(index);
      return [...found].sort((a, b) => a - b);
    },
  };
}

const ONLY: readonly number[] = [0];
const NONE: readonly number[] = [];

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
