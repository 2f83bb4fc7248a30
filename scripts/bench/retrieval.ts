/**
 * BM25 over one user's history: this package, wink-bm25-text-search and minisearch on the same texts and tokens.
 * Every answer of ours is checked against a plain port of rank_bm25. Exits with 1 when a target is missed.
 */
import MiniSearch from "minisearch";
import wink from "wink-bm25-text-search";
import { seeded } from "../../src/random/seeded.js";
import { bm25 } from "../../src/retrievers/bm25.js";
import { numpyArgsort } from "../../src/retrievers/numpy-argsort.js";
import { pySplit } from "../../src/text/python.js";
import type { Embedder, Random } from "../../src/types/index.js";

const SIZES = [50, 100, 200, 400, 800, 1500];
const QUERIES = 100;
const TOP = 4;
/** For every engine alike, so that a busy machine disturbs the ratios less. */
const ROUNDS = 3;
const TARGETS = { wink: 10, minisearch: 50 };

export async function main(_args: string[]): Promise<void> {
  const random = seeded("retrieval bench");
  const word = zipfWords(random, 20_000);
  const texts = (count: number, shortest: number, longest: number) =>
    Array.from({ length: count }, () =>
      Array.from({ length: shortest + random.below(longest - shortest + 1) }, word).join(" "),
    );
  for (const engine of engines) await measure(engine, texts(300, 20, 300), texts(200, 20, 150)); // warm-up

  console.log(
    `top ${TOP} of ${QUERIES} queries of 20-150 words; items of 20-300 words, Zipf 1.07; microseconds per query, best of ${ROUNDS} rounds`,
  );
  console.log(row(["items", ...engines.flatMap(({ name }) => [`${name} index ms`, `${name} query us`]), "same order"]));
  const totals = new Map(engines.map(({ name }) => [name, 0]));
  let wrong = 0;
  for (const size of SIZES) {
    const [documents, queries] = [texts(size, 20, 300), texts(QUERIES, 20, 150)];
    const cells: string[] = [];
    let answers: number[][] = [];
    for (const engine of engines) {
      const measured = await measure(engine, documents, queries);
      if (engine === ours) answers = measured.answers;
      totals.set(engine.name, totals.get(engine.name)! + measured.queryMs);
      cells.push(measured.indexMs.toFixed(1), ((measured.queryMs * 1000) / QUERIES).toFixed(1));
    }
    const expected = naiveRanking(documents, queries);
    const different = answers.filter((answer, i) => answer.join() !== expected[i]!.join()).length;
    wrong += different;
    console.log(row([String(size), ...cells, `${QUERIES - different}/${QUERIES}`]));
  }
  report(totals, wrong);
}

interface Engine {
  readonly name: string;
  /** Indexes the documents and gives the search for the best few, best first. */
  index(documents: readonly string[]): Promise<(query: string) => Promise<number[]>>;
}

const noEmbedder: Embedder = {
  id: "none",
  dimensions: 0,
  embed: async () => {
    throw new Error("BM25 embeds nothing");
  },
};

const ours: Engine = {
  name: "ours",
  async index(documents) {
    const kit = { tokenize: pySplit, embedder: noEmbedder, random: seeded("unused") };
    const search = await bm25.index(
      documents.map((text) => ({ text })),
      kit,
    );
    return async (query) => (await search(query, TOP)).map(({ index }) => index);
  },
};

const winkEngine: Engine = {
  name: "wink",
  async index(documents) {
    const engine = wink();
    engine.defineConfig({ fldWeights: { text: 1 } });
    engine.definePrepTasks([pySplit]);
    for (const [id, text] of documents.entries()) engine.addDoc({ text }, String(id));
    engine.consolidate(9);
    return async (query) => engine.search(query, TOP).map(([id]) => Number(id));
  },
};

const miniSearchEngine: Engine = {
  name: "minisearch",
  async index(documents) {
    const engine = new MiniSearch<{ id: number; text: string }>({
      fields: ["text"],
      tokenize: pySplit,
      processTerm: (term) => term,
    });
    engine.addAll(documents.map((text, id) => ({ id, text })));
    return async (query) =>
      engine
        .search(query)
        .slice(0, TOP)
        .map(({ id }) => Number(id));
  },
};

const engines = [ours, winkEngine, miniSearchEngine];

/** Indexing and the whole list of queries, in milliseconds: of several rounds over the same queries the fastest. */
async function measure(engine: Engine, documents: readonly string[], queries: readonly string[]) {
  const start = performance.now();
  const search = await engine.index(documents);
  const indexMs = performance.now() - start;
  let answers: number[][] = [];
  let queryMs = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const roundStart = performance.now();
    answers = [];
    for (const query of queries) answers.push(await search(query));
    queryMs = Math.min(queryMs, performance.now() - roundStart);
  }
  return { answers, indexMs, queryMs };
}

function report(totals: ReadonlyMap<string, number>, wrong: number): void {
  const own = totals.get(ours.name)!;
  for (const [name, target] of Object.entries(TARGETS)) {
    const ratio = totals.get(name)! / own;
    verdict(ratio >= target, `${ratio.toFixed(1)}x faster per query than ${name} (target ${target}x)`);
  }
  verdict(wrong === 0, `${wrong} answers in another order than rank_bm25 with numpy 1.24`);
}

function verdict(ok: boolean, text: string): void {
  console.log(`${ok ? "ok    " : "MISSED"} ${text}`);
  if (!ok) process.exitCode = 1;
}

/** rank_bm25's BM25Okapi, written the way its source reads: dictionaries, every document visited for every word. */
function naiveRanking(documents: readonly string[], queries: readonly string[]): number[][] {
  const frequencies = documents.map((text) => countWords(pySplit(text)));
  const lengths = documents.map((text) => pySplit(text).length);
  const averageLength = lengths.reduce((sum, length) => sum + length, 0) / documents.length;
  const documentFrequency = countWords(frequencies.flatMap((words) => [...words.keys()]));
  const raw = [...documentFrequency].map(
    ([word, n]) => [word, Math.log(documents.length - n + 0.5) - Math.log(n + 0.5)] as const,
  );
  const floor = (0.25 * raw.reduce((sum, [, idf]) => sum + idf, 0)) / raw.length;
  const idf = new Map(raw.map(([word, value]) => [word, value < 0 ? floor : value]));
  return queries.map((query) => {
    const scores = documents.map(() => 0);
    for (const word of pySplit(query))
      frequencies.forEach((words, d) => {
        const f = words.get(word) ?? 0;
        scores[d]! += (idf.get(word) ?? 0) * ((f * 2.5) / (f + 1.5 * (0.25 + (0.75 * lengths[d]!) / averageLength)));
      });
    return [...numpyArgsort(scores)].reverse().slice(0, TOP);
  });
}

function countWords(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Draws words whose frequency falls as rank^-1.07. */
function zipfWords(random: Random, vocabulary: number): () => string {
  const cumulative = new Float64Array(vocabulary);
  let sum = 0;
  for (let rank = 0; rank < vocabulary; rank++) cumulative[rank] = sum += (rank + 1) ** -1.07;
  return () => {
    const drawn = random.next() * sum;
    let [low, high] = [0, vocabulary - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (cumulative[middle]! < drawn) low = middle + 1;
      else high = middle;
    }
    return `w${low}`;
  };
}

const row = (cells: readonly string[]): string => cells.map((cell) => cell.padStart(19)).join("");
