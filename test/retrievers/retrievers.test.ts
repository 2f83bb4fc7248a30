import { describe, expect, it } from "vitest";
import { hashed1 } from "../../src/embedders/hashed-1.js";
import { seeded } from "../../src/random/seeded.js";
import { dense } from "../../src/retrievers/dense.js";
import { retrievers } from "../../src/retrievers/index.js";
import { random } from "../../src/retrievers/random.js";
import { pySplit } from "../../src/text/python.js";
import type { Embedder } from "../../src/types/index.js";
import { ranked, retrieverKit } from "./retriever-kit.js";

const texts = Array.from({ length: 23 }, (_, i) => `item ${i} ${i % 2 === 0 ? "garden gate" : "quiet film"} ${i % 5}`);

describe.each(retrievers.all)("retriever $name", (retriever) => {
  it.each([0, 1, 4, 23, 99])("gives k = %i different documents, fewer only where there are fewer", async (k) => {
    for (const documents of [texts, texts.slice(0, 2), [], ["", ""]]) {
      const found = await ranked(retriever, documents, "garden 3", k);
      expect(found).toHaveLength(Math.min(k, documents.length));
      expect(new Set(found).size).toBe(found.length);
      for (const index of found) expect(documents[index]).toBeDefined();
    }
  });

  it("gives the same documents whatever was asked before", async () => {
    const index = () =>
      retriever.index(
        texts.map((text) => ({ text })),
        retrieverKit(),
      );
    const [fresh, used] = [await index(), await index()];
    await used("quiet film", 7);
    expect(await used("garden 3", 4)).toEqual(await fresh("garden 3", 4));
  });
});

describe("random", () => {
  it("draws by the seed and by the query", async () => {
    const draw = async (seed: string, query: string) => {
      const kit = { tokenize: pySplit, embedder: hashed1, random: seeded(seed) };
      const search = await random.index(
        texts.map((text) => ({ text })),
        kit,
      );
      return (await search(query, 8)).map(({ index }) => index);
    };
    expect(await draw("a", "x")).toEqual(await draw("a", "x"));
    expect(await draw("a", "x")).not.toEqual(await draw("b", "x"));
    expect(await draw("a", "x")).not.toEqual(await draw("a", "y"));
  });
});

describe("dense", () => {
  it("ranks by the cosine of the embedder's vectors", async () => {
    const vectors = new Map([
      ["east", [1, 0]],
      ["north", [0, 1]],
      ["north-east", [Math.SQRT1_2, Math.SQRT1_2]],
      ["rather north", [0.28, 0.96]],
    ]);
    const embedder: Embedder = {
      id: "test/compass",
      dimensions: 2,
      embed: async (asked) => asked.map((text) => Float32Array.from(vectors.get(text)!)),
    };
    const search = await dense.index(
      ["east", "north", "north-east"].map((text) => ({ text })),
      { tokenize: pySplit, embedder, random: seeded("unused") },
    );
    const hits = await search("rather north", 3);
    expect(hits.map(({ index }) => index)).toEqual([1, 2, 0]);
    expect(hits[0]!.score).toBeCloseTo(0.96, 6);
  });
});
