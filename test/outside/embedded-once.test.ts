import { describe, expect, it } from "vitest";
import { embeddedOnce } from "../../src/outside/answers.js";
import { memoryBook, Once } from "../../src/outside/once.js";
import type { Embedder } from "../../src/types/index.js";

/** Counts what it is asked; each call waits for `release` where one is given. */
function counting(
  settings: { id?: string; release?: Promise<void>; fail?: (batch: readonly string[]) => boolean } = {},
) {
  const batches: string[][] = [];
  const embedder: Embedder = {
    id: settings.id ?? "test/counting",
    dimensions: 2,
    async embed(texts) {
      batches.push([...texts]);
      await settings.release;
      if (settings.fail?.(texts)) throw new Error("down");
      return texts.map((text) => Float32Array.of(text.length, Math.fround(0.1)));
    },
  };
  return { embedder, batches };
}

const lengths = (vectors: readonly Float32Array[]): number[] => vectors.map(([length]) => length!);

describe("an embedder that computes once", () => {
  it("computes each text once, repeats within one call included, in the order asked", async () => {
    const { embedder, batches } = counting();
    const cached = embeddedOnce(embedder, new Once(memoryBook()));
    expect(lengths(await cached.embed(["aa", "b", "aa"]))).toEqual([2, 1, 2]);
    expect(lengths(await cached.embed(["ccc", "b"]))).toEqual([3, 1]);
    expect(await cached.embed([])).toEqual([]);
    expect(batches).toEqual([["aa", "b"], ["ccc"]]);
    expect(cached).toMatchObject({ id: "test/counting", dimensions: 2 });
  });

  it("waits for texts that another call is computing, and computes only the rest", async () => {
    let release = (): void => {};
    const { embedder, batches } = counting({ release: new Promise((resolve) => (release = resolve)) });
    const cached = embeddedOnce(embedder, new Once(memoryBook()));
    const both = Promise.all([cached.embed(["a", "bb"]), cached.embed(["bb", "ccc"]), cached.embed(["a"])]);
    release();
    expect((await both).map(lengths)).toEqual([[1, 2], [2, 3], [1]]);
    expect(batches).toEqual([["a", "bb"], ["ccc"]]);
  });

  it("hands over many texts in batches and keeps those that came before a failure", async () => {
    const texts = Array.from({ length: 150 }, (_, i) => "x".repeat(i + 1));
    let broken = true;
    const { embedder, batches } = counting({ fail: (batch) => broken && batch.length < 64 });
    const cached = embeddedOnce(embedder, new Once(memoryBook()));
    await expect(cached.embed(texts)).rejects.toThrow("down");
    broken = false;
    expect(lengths(await cached.embed(texts))).toEqual(texts.map((text) => text.length));
    expect(batches.map((batch) => batch.length)).toEqual([64, 64, 22, 22]);
  });

  it("keeps embedders apart that share a store", async () => {
    const once = new Once(memoryBook());
    const first = counting({ id: "a/1" });
    const second = counting({ id: "a/2" });
    await embeddedOnce(first.embedder, once).embed(["text"]);
    await embeddedOnce(second.embedder, once).embed(["text"]);
    expect(second.batches).toEqual([["text"]]);
  });
});
