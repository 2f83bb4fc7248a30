import { describe, expect, test } from "vitest";
import { seeded } from "../../src/random/seeded.js";
import { baseFeatureNames, labelPriors, openCases } from "../../src/selectors/rums/features.js";
import type { Embedder, Event } from "../../src/types/index.js";

/** A letter is a coordinate: `a` [1, 0, 0]. */
const embedder: Embedder = {
  id: "letters",
  dimensions: 3,
  embed: async (texts) =>
    texts.map((text) => Float32Array.from(["a", "b", "c"], (letter) => (text.includes(letter) ? 1 : 0))),
};
const event = (id: string, text: string, label?: string): Event => ({
  id,
  fields: { id },
  content: text,
  document: text,
  ...(label === undefined ? {} : { label }),
});
const past = [event("1", "a a b", "x"), event("2", "C d", "y"), event("3", "a c", "x"), event("4", "zz")];
const use = {
  document: ({ document }: Event) => ({ text: document }),
  tokenize: (text: string) => text.toLowerCase().split(" "),
};
const kit = { embedder, random: seeded("features") };
const priors = { x: 0.25, undefined: 0.9 }; // a label may be called so, an event without one has no prior
const named = async (query: string, over = past) => {
  const cases = await openCases(over, priors, use, kit);
  return (await cases(query)).map(({ baseFeatures: plain }) =>
    Object.fromEntries(baseFeatureNames.map((name, at) => [name, plain[at]])),
  );
};

describe("what the small classifier knows of an event", () => {
  test("is its cosine, its share of the best BM25 score, its place in time, its length, its label's shares and common words", async () => {
    const [first, second, third, fourth] = await named("a C");
    expect(first).toMatchObject({
      cosine: 1,
      recency: 0.25,
      "label-share": 0.5,
      "label-prior": 0.25,
      "same-words": 0.5,
    });
    expect(first!.length).toBeCloseTo(Math.log(4), 9);
    expect(second).toMatchObject({ recency: 0.5, "label-share": 0.25, "label-prior": 0, "same-words": 0.5 });
    expect(third).toMatchObject({ cosine: 1, recency: 0.75, "same-words": 1 });
    expect(third!.length).toBeCloseTo(Math.log(3), 9);
    expect(fourth).toMatchObject({
      cosine: 0,
      bm25: 0,
      recency: 1,
      "label-share": 0,
      "label-prior": 0,
      "same-words": 0,
    });
    const rare = (await named("b d")).map(({ bm25 }) => bm25!);
    expect([Math.max(...rare), rare[2], rare[3]]).toEqual([1, 0, 0]);
    expect(rare[0]! > 0 && rare[1]! > 0 && rare[0] !== rare[1]).toBe(true);
  });

  test("counts an event that came later as if it had been there", async () => {
    const cases = await openCases(past.slice(0, 3), priors, use, kit);
    await cases.add(past[3]!, kit);
    const whole = await openCases(past, priors, use, kit);
    expect(await cases("a C")).toEqual(await whole("a C"));
  });

  test("has priors of the labels of the task alone, over all labelled events", () => {
    expect(labelPriors([past.slice(0, 2), past.slice(2)], ["x", "y", "never"])).toEqual({ x: 2 / 3, y: 1 / 3 });
    expect(labelPriors([past], ["y"])).toEqual({ y: 1 });
    expect(labelPriors([past], [])).toEqual({});
  });
});
