import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { seeded } from "../../src/random/seeded.js";
import { tsne } from "../../src/report/charts/tsne.js";

const reference: { points: number[][]; perplexity: number; divergence: number } = JSON.parse(
  readFileSync(new URL("../fixtures/reference/persona-map.json", import.meta.url), "utf8"),
);
const map = (seed = 0) => tsne(reference.points, { perplexity: reference.perplexity, random: seeded(seed) });

describe("the map of personas", () => {
  test("keeps the distances as well as scikit-learn's exact t-SNE", () => {
    for (const seed of [0, 1, 2]) {
      expect(map(seed).divergence).toBeGreaterThan(0);
      expect(map(seed).divergence).toBeLessThan(reference.divergence + 0.02);
    }
  });

  test("keeps two groups apart", () => {
    const { points } = map();
    const distance = (a: number, b: number) => Math.hypot(points[a]![0] - points[b]![0], points[a]![1] - points[b]![1]); // indexes of the fixture's points
    for (const i of points.keys()) {
      const others = [...points.keys()].filter((j) => j !== i).sort((a, b) => distance(i, a) - distance(i, b));
      expect(Math.abs(others[0]! - i) % 2).toBe(0); // the nearest is of the same group: even or odd
    }
  });

  test("is the same for the same draws, and has a place for every point even where all are equal", () => {
    expect(map()).toEqual(map());
    const { points } = tsne(
      Array.from({ length: 6 }, () => [1, 0]),
      { perplexity: 5 / 3, random: seeded(0) },
    );
    expect(points.flat().every(Number.isFinite)).toBe(true);
  });
});
