import { registry } from "../registry/registry.js";
import { countsOf } from "../text/count.js";
import { englishStopWords } from "../text/tokens.js";
import type { Embedder } from "../types/index.js";
import { type EmbedderProvider, unitLength } from "./provider.js";

/**
 * The embedded default: words, word pairs and character n-grams, hashed with a sign into a fixed number of dimensions
 * (Weinberger et al. 2009, arXiv:0902.2206). Deterministic, without weights or state: a text has the same vector in
 * every run and on every machine, so every constant here is part of the name `hashed-1`.
 * Lexical: it sees shared words and shared parts of words, not synonyms. A text without a letter or digit gets the
 * zero vector, whose cosine with everything is 0.
 */
export const hashed1: Embedder = {
  id: "embedded/hashed-1",
  dimensions: 384,
  async embed(texts) {
    return texts.map(embedText);
  },
};

/** Weights of the three kinds of feature, chosen on nearest-neighbour label agreement of news histories. */
const WORD_WEIGHT = 0.5;
const PAIR_WEIGHT = 0.3;
const GRAM_WEIGHT = 1;
const GRAM_LENGTHS = [3, 4, 5] as const;

/** Seeds that keep a word, a pair and an n-gram of the same letters apart. */
const WORD_SEED = 1;
const PAIR_SEED = 2;
const GRAM_SEED = 3;

function embedText(text: string): Float32Array {
  const words =
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const vector = new Float64Array(hashed1.dimensions);
  const content = words.filter((word) => word.length > 1 && !englishStopWords.has(word));
  // A text of nothing but function words is still told apart by them.
  const counted = countsOf(content.length > 0 ? content : words);
  for (const [word, times] of counted) addWord(vector, word, dampened(times));
  for (const [pair, times] of countsOf(pairs(words)))
    add(vector, hash(pair, 0, pair.length, PAIR_SEED), PAIR_WEIGHT * dampened(times));
  return unitLength(vector);
}

/** Adds the word and its character n-grams: all n-grams of one length have the squared norm of a single one. */
function addWord(vector: Float64Array, word: string, times: number): void {
  add(vector, hash(word, 0, word.length, WORD_SEED), WORD_WEIGHT * times);
  const framed = `<${word}>`;
  for (const length of GRAM_LENGTHS) {
    const grams = framed.length - length + 1;
    const weight = (GRAM_WEIGHT * times) / Math.sqrt(Math.max(1, grams));
    for (let start = 0; start < grams; start++) add(vector, hash(framed, start, start + length, GRAM_SEED), weight);
  }
}

/** Neighbouring words of which neither is a function word. */
function pairs(words: readonly string[]): string[] {
  const found: string[] = [];
  for (let i = 1; i < words.length; i++) {
    const [first, second] = [words[i - 1]!, words[i]!];
    if (!englishStopWords.has(first) && !englishStopWords.has(second)) found.push(`${first} ${second}`);
  }
  return found;
}

/** Sublinear term frequency. */
const dampened = (times: number): number => 1 + Math.log(times);

/** The low bits of the hash choose the dimension, the top bit the sign. */
function add(vector: Float64Array, hashed: number, weight: number): void {
  vector[(hashed & 0x7fffffff) % vector.length]! += hashed < 0 ? -weight : weight;
}

/** 32-bit FNV-1a over UTF-16 units of text[start, end), finished as murmur3 does so that all bits are mixed. */
function hash(text: string, start: number, end: number, seed: number): number {
  let h = 0x811c9dc5 ^ seed;
  for (let i = start; i < end; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** Embedders that need no download, key or network. */
export const embedded: EmbedderProvider = {
  name: "embedded",
  summary: "computed in process from the words themselves: no download, no key (hashed-1)",
  costly: false,
  open: async (id) => versions.get(id, "embedder").embedder,
};

const versions = registry("embedded embedder", [{ name: "hashed-1", embedder: hashed1 }]);
