import { describe, expect, it } from "vitest";
import { seeded } from "../../src/random/seeded.js";
import { bm25Lucene } from "../../src/retrievers/bm25.js";
import { bm25Wink } from "../../src/retrievers/bm25-wink.js";
import { sparseIndex } from "../../src/retrievers/sparse-index.js";
import { naturalTerms } from "../../src/text/tokens.js";
import { ranked, retrieverKit } from "./retriever-kit.js";

const documents = [
  "The keepers were keeping gardens",
  "A quiet film about lighthouses",
  "Gardening for everyone, gate by gate",
  "",
  "Les cafés de Paris",
];

describe("bm25-wink", () => {
  it("matches other forms of a word, in any case", async () => {
    expect(await ranked(bm25Wink, documents, "LIGHTHOUSE films", 1)).toEqual([1]);
    expect((await ranked(bm25Wink, documents, "garden", 2)).toSorted()).toEqual([0, 2]);
  });

  it("gives as many documents as asked even where few share a word with the query", async () => {
    const found = await ranked(bm25Wink, documents, "lighthouse", 4);
    expect(found[0]).toBe(1);
    expect(new Set(found).size).toBe(4);
    expect(await ranked(bm25Wink, documents, "", 9)).toHaveLength(5);
  });

  it.each([0, 1, 2])("works on %i documents, which wink itself refuses", async (size) => {
    const found = await ranked(bm25Wink, documents.slice(0, size), "film", 4);
    expect(found).toHaveLength(size);
    if (size === 2) expect(found[0]).toBe(1);
  });

  it("scores as BM25 in Lucene's form over the same terms", async () => {
    const random = seeded("wink");
    const text = () =>
      Array.from({ length: random.below(30) }, () => `w${random.below(1 + random.below(60))}`).join(" ");
    const texts = Array.from({ length: 50 }, text);
    const read = await naturalTerms();
    const index = sparseIndex(texts.map(read), bm25Lucene);
    const search = await bm25Wink.index(
      texts.map((item) => ({ text: item })),
      retrieverKit(),
    );
    for (let i = 0; i < 20; i++) {
      const query = text();
      const expected = index.scores(read(query));
      const hits = await search(query, texts.length);
      expect(hits).toHaveLength(texts.length);
      for (const hit of hits) expect(hit.score).toBeCloseTo(expected[hit.index]!, 6);
    }
  });
});

it("reads terms of any script and keeps a contraction in one piece", async () => {
  const read = await naturalTerms();
  expect(read("Don’t STOP running: naïve cafés, 日本語!")).toEqual(["dont", "stop", "run", "naïv", "café", "日本語"]);
  expect(read(" ... ")).toEqual([]);
});
