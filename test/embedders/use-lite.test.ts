import { describe, expect, it } from "vitest";
import { embedderProvider } from "../../src/embedders/index.js";
import { loadPackages, openUseLite } from "../../src/embedders/use-lite.js";
import { UsageError } from "../../src/errors.js";

/** A model whose vector counts the letters a and b. */
const counting = async () => ({
  embed: async (text: string) =>
    [...text].reduce(
      (vector, letter) =>
        letter === "a" ? [vector[0]! + 3, vector[1]!] : letter === "b" ? [vector[0]!, vector[1]! + 4] : vector,
      [0, 0],
    ),
});

describe("use-lite", () => {
  it("gives one vector a text, of length 1, or as the model has it for dot", async () => {
    const embedder = await openUseLite("en", {}, counting);
    const [one] = await embedder.embed(["ab"]);
    expect([...one!]).toEqual([expect.closeTo(0.6, 6), expect.closeTo(0.8, 6)]);
    const raw = await openUseLite("en", { similarity: "dot" }, counting);
    expect([...(await raw.embed(["ab"]))[0]!]).toEqual([3, 4]);
    expect([embedder.id, raw.id, embedder.dimensions]).toEqual(["use-lite/en", "use-lite/en#dot", 512]);
  });

  it("gives an empty text the zero vector, which is like nothing", async () => {
    const [none] = await (await openUseLite("en", {}, counting)).embed([" "]);
    expect(none!.every((value) => value === 0)).toBe(true);
  });

  it("says what to install where a package is missing, and knows no other model: nothing stands in", async () => {
    const missing = (name: string) => Promise.reject(new Error(`Cannot find package '${name}'`));
    await expect(loadPackages(missing)).rejects.toThrow(
      /use-lite: the package @energetic-ai\/embeddings is not installed; install it beside lamp-eval: npm install @energetic-ai\/core@0.2 /,
    );
    await expect(openUseLite("fr", {}, counting)).rejects.toThrow(UsageError);
    expect(embedderProvider("use-lite/en").costly).toBe(true);
  });
});
