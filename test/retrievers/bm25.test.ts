import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/errors.js";
import { bm25, rankBm25 } from "../../src/retrievers/bm25.js";
import { pySplit } from "../../src/text/python.js";
import { ranked } from "./retriever-kit.js";

const documents = [
  "a quiet film about a lighthouse keeper",
  "the keeper of the garden gate",
  "a loud comedy about the film trade",
  "gate and garden and gate",
  "Film.",
];

/** Expected values were computed with rank_bm25 (`BM25Okapi`) and numpy 1.24.4. */
describe("rankBm25", () => {
  it.each([
    ["garden gate gate", [0, 0.9440587933976479, 0, 1.3157811885062531, 0], [3, 1, 4, 2, 0]],
    ["a film", [0.7236718104344733, 0, 0.582248129926891, 0, 0], [0, 2, 4, 3, 1]],
    ["the", [0, 0.4580250341440595, 0.2911240649634455, 0, 0], [1, 2, 4, 3, 0]],
    ["nothing known", [0, 0, 0, 0, 0], [4, 3, 2, 1, 0]],
    ["film about a a a", [1.8798913663399743, 0, 1.4556203248172275, 0, 0], [0, 2, 4, 3, 1]],
  ])("scores and orders `%s` bit for bit as rank_bm25", (query, scores, order) => {
    const found = rankBm25(documents.map(pySplit), pySplit(query));
    expect([...found.scores]).toEqual(scores);
    expect([...found.order]).toEqual(order);
  });

  it("ranks matching documents below others where a tiny corpus makes the average idf negative", () => {
    const found = rankBm25([["x", "y"], ["x"]], ["x"]);
    expect([...found.scores]).toEqual([-0.1749389035254457, -0.23668204594619127]);
    expect([...found.order]).toEqual([0, 1]);
  });

  it("refuses a corpus on which rank_bm25 divides by zero", () => {
    expect(() => rankBm25([], ["x"])).toThrow(UsageError);
    expect(() => rankBm25([[], []], ["x"])).toThrow(/rank_bm25 divides by zero/);
  });

  it("adds common words four at a time and gives the sums of one at a time", () => {
    const words = ["and", "so", "it", "was", "then", "rare"];
    const corpus = Array.from({ length: 40 }, (_, d) => words.filter((_word, w) => (d * 7 + w * 3) % 11 !== w));
    const query = ["and", "so", "it", "was", "then", "and", "rare", "so", "so", "it"];
    const single = query.map((word) => rankBm25(corpus, [word]).scores);
    const sums = corpus.map((_, d) => single.reduce((sum, scores) => sum + scores[d]!, 0));
    expect([...rankBm25(corpus, query).scores]).toEqual(sums);
  });
});

describe("bm25", () => {
  it("ranks with the tokens it is given, case and punctuation included", async () => {
    expect(await ranked(bm25, documents, "Film.", 1)).toEqual([4]);
    expect(await ranked(bm25, documents, "film", 2)).toEqual([2, 0]);
  });

  it("finds nothing in an empty history and newest first among documents without a token", async () => {
    expect(await ranked(bm25, [], "x", 4)).toEqual([]);
    expect(await ranked(bm25, ["", " ", ""], "x", 2)).toEqual([2, 1]);
  });
});
