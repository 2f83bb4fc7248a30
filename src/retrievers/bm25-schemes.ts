import { exactLog } from "./exact-log.js";
import type { Scheme } from "./sparse-index.js";
import type { TermCounts } from "./term-counts.js";

/**
 * rank_bm25 0.2.2 `BM25Okapi` with its defaults, in its own order of floating-point operations.
 * A negative idf is replaced by epsilon times the average idf; the average is over the raw idfs of all distinct terms,
 * so in a tiny corpus it is negative too and matching documents rank last, as they do there.
 */
export const bm25Okapi: Scheme = {
  weigh(counts) {
    const [k1, b, epsilon] = [1.5, 0.75, 0.25];
    const idf = okapiIdf(counts);
    const floor = epsilon * average(idf);
    for (let term = 0; term < idf.length; term++) if (idf[term]! < 0) idf[term] = floor;
    return saturate(counts, idf, k1, b);
  },
};

/** Lucene's BM25: idf = ln(1 + (N - n + .5) / (n + .5)), never negative. With k1 = 1.2 it is wink's formula. */
export const bm25Lucene: Scheme = {
  weigh(counts) {
    const { size, documentFrequency } = counts;
    const idf = Float64Array.from(documentFrequency, (n) => Math.log((size - n + 0.5) / (n + 0.5) + 1));
    return saturate(counts, idf, 1.2, 0.75);
  },
};

/** Raw idf by term: ln(N - n + .5) - ln(n + .5). */
function okapiIdf({ size, documentFrequency }: TermCounts): Float64Array {
  const byFrequency = new Map<number, number>();
  return Float64Array.from(documentFrequency, (n) => {
    let idf = byFrequency.get(n);
    if (idf === undefined) {
      idf = exactLog(size - n + 0.5) - exactLog(n + 0.5);
      byFrequency.set(n, idf);
    }
    return idf;
  });
}

// --- internal ---

/** Weight of each entry: idf * (f (k1 + 1) / (f + k1 (1 - b + b length / average length))), evaluated in that order. */
function saturate(counts: TermCounts, idf: Float64Array, k1: number, b: number): Float64Array {
  const averageLength = average(counts.lengths);
  const weights = new Float64Array(counts.entryTerm.length);
  for (let document = 0; document < counts.size; document++) {
    const norm = k1 * (1 - b + (b * counts.lengths[document]!) / averageLength);
    for (let entry = counts.starts[document]!; entry < counts.starts[document + 1]!; entry++) {
      const frequency = counts.entryCount[entry]!;
      weights[entry] = idf[counts.entryTerm[entry]!]! * ((frequency * (k1 + 1)) / (frequency + norm));
    }
  }
  return weights;
}

function average(values: Int32Array | Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}
