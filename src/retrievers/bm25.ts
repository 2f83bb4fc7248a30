import { UsageError } from "../errors.js";
import type { Retriever, Search } from "../types/index.js";
import { numpyTop, topKNumpyTies } from "./numpy-argsort.js";
import { type Postings, sparseIndex, type TermTable, type WeightingScheme } from "./sparse-index.js";

/**
 * rank_bm25 0.2.2 `BM25Okapi` with its defaults, in its own order of floating-point operations.
 * A negative idf is replaced by epsilon times the average idf; the average is over the raw idfs of all distinct terms,
 * so in a tiny corpus it is negative too and matching documents rank last, as they do there.
 */
const bm25Okapi: WeightingScheme = (table) => {
  const [k1, b, epsilon] = [1.5, 0.75, 0.25];
  const saturated = saturation(table, k1, b);
  let epsilonIdf: number | undefined; // needed for words of more than half the documents only
  return (term, postings) => {
    const idf = okapiIdf(table.size, table.frequency(term));
    if (idf < 0) epsilonIdf ??= epsilon * averageIdf(table);
    return saturated(idf < 0 ? (epsilonIdf ?? 0) : idf, postings);
  };
};

/** Lucene's BM25: idf = ln(1 + (N - n + .5) / (n + .5)), never negative. With k1 = 1.2 it is wink's formula. */
export const bm25Lucene: WeightingScheme = (table) => {
  const saturated = saturation(table, 1.2, 0.75);
  return (term, postings) => {
    const n = table.frequency(term);
    return saturated(Math.log((table.size - n + 0.5) / (n + 0.5) + 1), postings);
  };
};

/** Raw idf of a term in n of N documents: ln(N - n + .5) - ln(n + .5). */
const okapiIdf = (size: number, n: number): number => logOfHalf(size - n) - logOfHalf(n);

/** ln(i + .5) by i, each worked out once: they are slow, and a corpus that grows asks for the same ones again. */
const halfLogs = new Map<number, number>();

function logOfHalf(i: number): number {
  const known = halfLogs.get(i) ?? exactLog(i + 0.5);
  halfLogs.set(i, known);
  return known;
}

/** Summed over the terms in order of first occurrence, as rank_bm25 sums. */
function averageIdf(table: TermTable): number {
  const { size, terms } = table;
  const byFrequency = new Float64Array(size + 1).fill(Number.NaN);
  let sum = 0;
  for (let term = 0; term < terms.size; term++) {
    const frequency = table.frequency(term);
    if (Number.isNaN(byFrequency[frequency])) byFrequency[frequency] = okapiIdf(size, frequency);
    sum += byFrequency[frequency]!;
  }
  return sum / terms.size;
}

/** Weights by idf and postings: idf * (f (k1 + 1) / (f + k1 (1 - b + b length / average length))), evaluated in that order. */
function saturation(table: TermTable, k1: number, b: number) {
  const averageLength = table.tokens / table.size;
  return (idf: number, { documents, counts }: Postings): Float64Array => {
    const weights = new Float64Array(documents.length);
    for (let i = 0; i < documents.length; i++) {
      const frequency = counts[i]!;
      const norm = k1 * (1 - b + (b * table.lengthOf(documents[i]!)) / averageLength);
      weights[i] = idf * ((frequency * (k1 + 1)) / (frequency + norm));
    }
    return weights;
  };
}

/**
 * Returns the natural logarithm, correctly rounded: the double nearest to ln(x) for x > 0, finite and normal.
 * V8's Math.log is off by one unit in the last place on some 3 % of arguments, glibc's (under Python) is not, and
 * BM25 must match bit for bit.
 */
export function exactLog(x: number): number {
  const exponent = Math.round(Math.log2(x));
  // x = mantissa * 2^exponent with the mantissa in about [0.7, 1.42], here as a whole number of 2^-53.
  const mantissa = BigInt((x / 2 ** exponent) * 2 ** 53);
  const ratio = ((mantissa - ONE_53) << BITS) / (mantissa + ONE_53);
  return Number(2n * atanh(ratio) + BigInt(exponent) * LN_2) / 2 ** Number(BITS);
}

/** Fractional bits of the fixed-point numbers below. */
const BITS = 160n;
const ONE_53 = 2n ** 53n;
/** ln 2 = 2 atanh(1/3). */
const LN_2 = 2n * atanh((1n << BITS) / 3n);

/** atanh(s) = s + s^3/3 + s^5/5 + ..., in fixed point. */
function atanh(s: bigint): bigint {
  const square = (s * s) >> BITS;
  let sum = 0n;
  let power = s;
  for (let n = 1n; power !== 0n && power !== -1n; n += 2n) {
    sum += power / n;
    power = (power * square) >> BITS;
  }
  return sum;
}

/** LaMP's default retriever, bit for bit: scores of rank_bm25, ties in numpy's order, the benchmark's own tokens. */
export const bm25: Retriever = {
  name: "bm25",
  summary: "BM25 exactly as the benchmark ranks: rank_bm25 scores, numpy tie order, case-sensitive whitespace tokens",
  source: "LaMP rank_profiles.py; rank_bm25 0.2.2 BM25Okapi; numpy 1.24 argsort",
  async index(documents, { tokenize }) {
    const index = sparseIndex(
      documents.map(({ text }) => tokenize(text)),
      bm25Okapi,
    );
    const search: Search = async (query, k) => topKNumpyTies(index.scores(tokenize(query)), k);
    search.add = async ({ text }) => index.add(tokenize(text));
    return search;
  },
};

/**
 * Returns the ranking of a whole corpus as rank_bm25 gives it: scores by document, document numbers best first.
 * Throws UsageError where rank_bm25 divides by zero: no documents, or none with a token.
 */
export function rankBm25(
  documents: readonly (readonly string[])[],
  query: readonly string[],
): { readonly scores: Float64Array; readonly order: Int32Array } {
  if (documents.every((tokens) => tokens.length === 0))
    throw new UsageError(
      "bm25: none of the documents has a token, on which rank_bm25 divides by zero; give it some text",
    );
  const scores = sparseIndex(documents, bm25Okapi).scores(query);
  return { scores, order: numpyTop(scores, scores.length) };
}
