import { describe, expect, test } from "vitest";
import { seeded } from "../../src/random/seeded.js";
import { invertedLists, kMeans, nearestCentroid } from "../../src/retrievers/inverted-lists.js";

const at = (degrees: number): Float32Array =>
  Float32Array.from([Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)]);
/** Three bunches of directions. */
const bunches = [0, 2, 4, 120, 122, 124, 240, 242, 244].map(at);
const settings = { lists: 3, probes: 1, iterations: 25 };

describe("k-means", () => {
  test("finds bunches, with centres of length 1, the same for the same seed", () => {
    const centres = kMeans(bunches, 3, 25, seeded("a"));
    const places = bunches.map((vector) => nearestCentroid(vector, centres).place);
    expect(new Set(places.slice(0, 3)).size + new Set(places.slice(3, 6)).size + new Set(places.slice(6)).size).toBe(3);
    expect(new Set(places).size).toBe(3);
    for (const centre of centres) expect(Math.hypot(...centre)).toBeCloseTo(1, 6);
    expect(kMeans(bunches, 3, 25, seeded("a"))).toEqual(centres);
  });

  test("a centre that lost its vectors takes the one that fits worst", () => {
    const same = [at(0), at(0), at(0), at(90)];
    for (const seed of ["a", "b", "c", "d", "e"]) {
      const centres = kMeans(same, 2, 25, seeded(seed));
      expect(centres.map((centre) => Math.round(centre[1]!)).sort()).toEqual([0, 1]);
    }
  });
});

describe("inverted lists", () => {
  test("with all lists looked through are an exact search; with one they compare its members only", () => {
    const all = invertedLists(bunches, { ...settings, probes: 3 }, seeded("a"));
    expect(all.search(at(3), 9).map(({ index }) => index)).toEqual(ranked(at(3)));
    expect(all.search(at(3), 99)).toHaveLength(9);
    const one = invertedLists(bunches, settings, seeded("a"));
    expect(one.search(at(121), 99)).toHaveLength(3);
    expect(
      one
        .search(at(121), 9)
        .map(({ index }) => index)
        .sort(),
    ).toEqual([3, 4, 5]);
  });

  test("what is added later is found in the list that it belongs to", () => {
    const lists = invertedLists(bunches, settings, seeded("a"));
    lists.add(at(121));
    expect(lists.search(at(121), 1)).toEqual([{ index: 9, score: expect.closeTo(1, 6) }]);
    expect(lists.search(at(121), 99)).toHaveLength(4);
    expect(lists.search(at(0), 99)).toHaveLength(3);
  });

  test("of equal scores the earlier vector, though its list is looked through later", () => {
    const vectors = [-30, 30, 50, -52].map(at); // the list of +30 and +50 is the nearer one to 0
    const lists = invertedLists(vectors, { lists: 2, probes: 2, iterations: 25 }, seeded("a"));
    expect(lists.search(at(0), 2).map(({ index }) => index)).toEqual([0, 1]);
  });
});

/** By exact search; of equals the first. */
function ranked(query: Float32Array): number[] {
  const score = (index: number): number => bunches[index]![0]! * query[0]! + bunches[index]![1]! * query[1]!;
  return bunches.map((_vector, index) => index).sort((a, b) => score(b) - score(a) || a - b);
}
