import { describe, expect, it } from "vitest";
import { hashed1 } from "../../src/embedders/hashed-1.js";
import { defaultEmbedder, openEmbedder } from "../../src/embedders/index.js";
import { UsageError } from "../../src/errors.js";
import { sha256 } from "../../src/text/content-id.js";

async function cosine(a: string, b: string): Promise<number> {
  const [first, second] = await hashed1.embed([a, b]);
  return first!.reduce((sum, value, i) => sum + value * second![i]!, 0);
}

describe("openEmbedder", () => {
  it("opens the default, whose id is the one asked for", async () => {
    const embedder = await openEmbedder(defaultEmbedder, { env: {} });
    expect(embedder.id).toBe("embedded/hashed-1");
    expect((await embedder.embed(["text"]))[0]).toHaveLength(embedder.dimensions);
  });

  it.each([
    ["hashed-1", 'embedder "hashed-1": expected provider/id, for example embedded/hashed-1'],
    ["embeded/hashed-1", 'did you mean "embedded"?'],
    ["embedded/hashed-2", 'did you mean "hashed-1"?'],
  ])("refuses `%s` and says what to type", async (id, message) => {
    const opened = openEmbedder(id, { env: {} });
    await expect(opened).rejects.toThrow(UsageError);
    await expect(opened).rejects.toThrow(message);
  });
});

describe("hashed-1", () => {
  it("gives unit vectors, in the order of the texts, whatever stands beside them", async () => {
    const [alone] = await hashed1.embed(["the garden gate"]);
    const together = await hashed1.embed(["a quiet film", "the garden gate"]);
    expect(together[1]).toEqual(alone);
    for (const vector of together) expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
  });

  it("never changes under its name", async () => {
    const vectors = await hashed1.embed(["The quick brown fox, naïve café — 日本語 2024", "It is what it is."]);
    const rounded = vectors.map((vector) => Array.from(vector, (value) => Math.round(value * 1e4)).join(","));
    expect(sha256(rounded.join(";")).slice(0, 16)).toBe("7f5c6b55cf09a9db");
  });

  it("puts texts that share words, pairs of words or parts of words nearer than others", async () => {
    const query = "the election campaign of the senator";
    const near = await cosine(query, "Senators campaigned before elections");
    const far = await cosine(query, "A recipe for lemon cake with sugar");
    expect(near).toBeGreaterThan(far + 0.2);
    expect(await cosine("new york trains", "trains of new york")).toBeGreaterThan(
      await cosine("new york trains", "york has new trains"),
    );
  });

  it("still tells texts of function words apart, and gives the zero vector for a text without any word", async () => {
    expect(await cosine("to be or not", "who are you")).toBeLessThan(0.5);
    const [nothing] = await hashed1.embed([" ... "]);
    expect(nothing!.every((value) => value === 0)).toBe(true);
  });
});
