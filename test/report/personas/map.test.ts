import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { seeded } from "../../../src/random/seeded.js";
import { commonLines, jaccardMatrix, jaccardReport } from "../../../src/report/personas/jaccard.js";
import { principalComponents } from "../../../src/report/personas/principal-components.js";
import { personaMap, tsne } from "../../../src/report/personas/tsne.js";

const reference: { points: number[][]; pca: [number, number][]; perplexity: number; divergence: number } = JSON.parse(
  readFileSync(new URL("../../fixtures/reference/persona-map.json", import.meta.url), "utf8"),
);

describe("principal components", () => {
  test("are scikit-learn's but for the sign of an axis", () => {
    const axes = principalComponents(reference.points, 2);
    for (const [a, axis] of axes.entries()) {
      const theirs = reference.pca.map((row) => row[a] ?? 0);
      const sign = Math.sign((axis[0] ?? 0) * (theirs[0] ?? 0));
      for (const [i, value] of axis.entries()) expect(value).toBeCloseTo(sign * (theirs[i] ?? 0), 6);
    }
  });

  test("are zero where the points do not differ", () => {
    expect(
      principalComponents(
        [
          [1, 2],
          [1, 2],
          [1, 2],
        ],
        2,
      ).map((axis) => [...axis]),
    ).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
  });
});

describe("the map of personas", () => {
  test("keeps the distances as well as scikit-learn's exact t-SNE", () => {
    const { divergence } = tsne(reference.points, { perplexity: reference.perplexity, random: seeded(0) });
    expect(divergence).toBeGreaterThan(0);
    expect(divergence).toBeLessThan(reference.divergence + 0.02);
  });

  test("keeps two groups apart", () => {
    const { points } = tsne(reference.points, { perplexity: reference.perplexity, random: seeded(0) });
    const distance = (a: number, b: number) => Math.hypot(points[a]![0] - points[b]![0], points[a]![1] - points[b]![1]); // indexes of the fixture's points
    for (const i of points.keys()) {
      const others = [...points.keys()].filter((j) => j !== i).sort((a, b) => distance(i, a) - distance(i, b));
      expect(Math.abs(others[0]! - i) % 2).toBe(0); // the nearest is of the same group: even or odd
    }
  });

  test("is the same every time, has the template's point, and needs five points", () => {
    const vectors = reference.points.map((point) => Float32Array.from(point));
    expect(personaMap(vectors, 3)).toEqual(personaMap(vectors, 3));
    expect(personaMap(vectors, 3)?.points).toHaveLength(24);
    expect(personaMap(vectors, 3)?.perplexity).toBeCloseTo(23 / 3, 12);
    expect(personaMap(vectors.slice(0, 4), 3)).toBeUndefined();
  });

  test("has a place for every point even where all are equal", () => {
    const map = personaMap(
      Array.from({ length: 6 }, () => new Float32Array([1, 0])),
      0,
    );
    expect(map?.points.flat().every(Number.isFinite)).toBe(true);
  });
});

describe("words that personas share", () => {
  test("are counted as sets of lower-cased words", () => {
    expect(jaccardMatrix(["You like Sci-Fi.", "you LIKE comedy"])).toEqual([
      [1, 2 / 5],
      [2 / 5, 1],
    ]);
    expect(jaccardMatrix(["don't", "dont"])[0]?.[1]).toBe(0);
  });

  test("are told with and without the template's, pairs of different users only", () => {
    const report = jaccardReport(["be kind a", "be kind b", "be kind a"], "Be kind");
    expect(report).toMatchObject({ texts: 3, pairs: 3, all: { median: 0.5, max: 1 } });
    expect(report.withoutTemplate).toEqual({ mean: (0 + 1 + 0) / 3, median: 0, max: 1 });
    expect(jaccardReport(["alone"], "")).toMatchObject({ pairs: 0, all: undefined });
  });

  test("the template is what all first personas have in common", () => {
    expect(commonLines(["head\nu1\nrules", "head\nu2\nrules"])).toBe("head\nrules");
  });
});
