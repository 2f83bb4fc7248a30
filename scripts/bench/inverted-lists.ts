/**
 * Inverted lists beside exact search, on sentences of one's own: recall@10, the share of vectors that a search compares with and the
 * speed-up, at the release's settings of papers/004 (100 lists, 20 looked through) and at more of them.
 * `npm run bench -- inverted-lists FOLDER [sentences] [queries] [embedder]`: sentences of the past items of every users.json below it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openEmbedder } from "../../src/embedders/index.js";
import { seeded } from "../../src/random/seeded.js";
import { invertedLists, topOf } from "../../src/retrievers/inverted-lists.js";
import { dot } from "../../src/retrievers/k-means.js";

const LISTS = 100;
const ITERATIONS = 25;
const K = 10;
const PROBES = [1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 100];
const GOAL = 0.95;

export async function main([
  folder,
  sentences = "10000",
  queries = "500",
  embedder = "embedded/hashed-1",
]: string[]): Promise<void> {
  if (folder === undefined)
    throw new Error("name a folder: npm run bench -- inverted-lists FOLDER [sentences] [queries] [embedder]");
  const [count, asked] = [Number(sentences), Number(queries)];
  const texts = seeded("inverted lists").sample(sentencesIn(folder), count + asked);
  const encoder = await openEmbedder(embedder, { env: process.env });
  const vectors = await encoder.embed(texts);
  const [held, questions] = [vectors.slice(0, -asked), vectors.slice(-asked)];
  const exactly = timed(() =>
    questions.map((query) =>
      topOf(
        held.map((vector, index) => ({ index, score: dot(vector, query) })),
        K,
      ),
    ),
  );
  console.log(
    `${held.length} sentences, ${questions.length} queries, ${encoder.id} (${encoder.dimensions}-d), ${LISTS} lists, top ${K}; exact search ${perQuery(exactly.ms)} us a query`,
  );
  console.log("nprobe  recall@10  scanned share  us a query  speed-up");
  const built = timed(() =>
    invertedLists(held, { lists: LISTS, probes: LISTS, iterations: ITERATIONS }, seeded("inverted lists")),
  );
  let enough: number | undefined;
  for (const probes of PROBES) {
    const lists = built.value.withProbes(probes);
    const found = timed(() => questions.map((query) => lists.search(query, K)));
    const recall = mean(found.value.map((hits, q) => shared(hits, exactly.value[q]!) / K));
    const scanned = mean(questions.map((query) => lists.scanned(query) / held.length));
    if (recall >= GOAL) enough ??= probes;
    const line = [
      String(probes).padStart(6),
      recall.toFixed(3).padStart(9),
      scanned.toFixed(3).padStart(13),
      perQuery(found.ms).padStart(10),
      (exactly.ms / found.ms).toFixed(1).padStart(8),
    ];
    console.log(line.join("  "));
  }
  console.log(
    `lists made in ${(built.ms / 1000).toFixed(1)} s; recall@10 of ${GOAL} or more from nprobe ${enough ?? "(none tried)"} on`,
  );

  function perQuery(ms: number): string {
    return ((ms * 1000) / questions.length).toFixed(0);
  }
}

interface Profile {
  readonly profile: readonly { readonly title?: string; readonly text?: string; readonly abstract?: string }[];
}

/** Sentences of three words or more, none twice. */
function sentencesIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /users\.json$/.test(name));
  const users = files
    .sort()
    .flatMap((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as readonly Profile[]);
  const texts = users.flatMap(({ profile }) => profile.flatMap(({ title, text, abstract }) => [title, text, abstract]));
  const sentences = texts.flatMap((text) => (text ?? "").split(/(?<=[.!?])\s+/));
  return [...new Set(sentences.filter((sentence) => sentence.split(/\s+/).length >= 3))];
}

function timed<T>(job: () => T): { readonly value: T; readonly ms: number } {
  const before = performance.now();
  const value = job();
  return { value, ms: performance.now() - before };
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function shared(one: readonly { readonly index: number }[], other: readonly { readonly index: number }[]): number {
  const indexes = new Set(other.map(({ index }) => index));
  return one.filter(({ index }) => indexes.has(index)).length;
}
