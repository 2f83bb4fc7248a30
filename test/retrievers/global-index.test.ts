import { describe, expect, it } from "vitest";
import { seeded } from "../../src/random/seeded.js";
import { type PoolDocument, poolIndex, tfIdfIndex } from "../../src/retrievers/tf-idf-index.js";

const small: readonly PoolDocument[] = [
  { owner: "ada", text: "stone harbour wall" },
  { owner: "ben", text: "stone harbour wall" },
  { owner: "ben", text: "harbour master" },
  { owner: "cas", text: "Stone  HARBOUR wall" },
  { owner: "cas", text: "snow on the dome" },
];
const numbers = (hits: readonly { readonly index: number }[]): number[] => hits.map(({ index }) => index);

describe("globalIndex", () => {
  it("gives only documents that share a known word with the query", () => {
    const index = poolIndex(small);
    expect(numbers(index.top("snow wall", 5))).toEqual([4, 0, 1, 3]);
    expect(index.top("unheard of", 5)).toEqual([]);
    expect(index.top("", 5)).toEqual([]);
    expect(index.top("stone", 0)).toEqual([]);
    expect(poolIndex([]).top("stone", 3)).toEqual([]);
    expect(poolIndex([{ owner: "ada", text: "?" }]).top("stone", 3)).toEqual([]);
  });

  it("never finds the asking user's own documents", () => {
    const index = poolIndex(small);
    expect(numbers(index.top("stone harbour wall", 5, { owner: "ben" }))).toEqual([0, 3]);
    expect(numbers(index.top("stone harbour wall", 5, { owner: "nobody" }))).toEqual([0, 1, 3, 2]);
  });

  it("never finds a document with an excluded content, whatever its case and spacing", () => {
    const index = poolIndex(small);
    expect(numbers(index.top("stone harbour", 5, { contents: ["unrelated", " stone harbour WALL\n"] }))).toEqual([2]);
  });

  it("tells twins by their content where it is not the text that is searched", () => {
    const index = poolIndex([
      { owner: "ada", text: "stone wall", content: "a film" },
      { owner: "ben", text: "stone wall", content: "another film" },
    ]);
    expect(numbers(index.top("stone", 2, { contents: ["A Film"] }))).toEqual([1]);
    expect(numbers(index.top("stone", 2, { contents: ["stone wall"] }))).toEqual([0, 1]);
  });

  it("passes over what the caller skips and fills up with the next best", () => {
    const index = poolIndex(small);
    expect(numbers(index.top("stone wall", 1, { skip: (document) => document < 3 }))).toEqual([3]);
  });

  it("answers alike after a query that failed half-way", () => {
    const index = poolIndex(small);
    const before = index.top("stone wall", 3);
    const fail = (): boolean => {
      throw new Error("the caller's own");
    };
    expect(() => index.top("stone wall", 3, { skip: fail })).toThrow("the caller's own");
    expect(index.top("stone wall", 3)).toEqual(before);
  });

  it("ranks exactly as brute force over every document does", () => {
    const { documents, queries } = randomCorpus();
    const index = poolIndex(documents);
    const similarities = tfIdfIndex();
    for (const { text } of documents) similarities.add(text);
    for (const query of queries) {
      const expected = [...similarities.similarities(query)]
        .map((score, number) => ({ score, number }))
        .filter(({ score, number }) => score > 0 && documents[number]!.owner !== "user 1")
        .sort((a, b) => (Math.abs(a.score - b.score) < 1e-12 ? a.number - b.number : b.score - a.score))
        .slice(0, 10);
      expect(numbers(index.top(query, 10, { owner: "user 1" }))).toEqual(expected.map(({ number }) => number));
    }
  });
});

function randomCorpus() {
  const random = seeded("global index test");
  const words = (): string =>
    Array.from({ length: 3 + random.below(12) }, () => `w${Math.floor(300 * random.next() ** 3)}`).join(" ");
  const documents = Array.from({ length: 400 }, (_, i) => ({ owner: `user ${i % 9}`, text: words() }));
  return { documents, queries: Array.from({ length: 60 }, words) };
}
