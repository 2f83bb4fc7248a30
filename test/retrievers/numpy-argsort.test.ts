import { describe, expect, it } from "vitest";
import { numpyArgsort, numpyTop } from "../../src/retrievers/numpy-argsort.js";
import { sha256 } from "../../src/text/content-id.js";

/** Expected orders and digests were computed with numpy 1.24.4, `np.argsort(values)`. */
describe("numpyArgsort", () => {
  it("keeps file order among up to 16 equal values", () => {
    expect([...numpyArgsort(new Array(16).fill(0))]).toEqual([...new Array(16).keys()]);
  });

  it("gives numpy's own permutation of 17 equal values", () => {
    expect([...numpyArgsort(new Array(17).fill(0))]).toEqual([
      0, 14, 13, 12, 11, 10, 9, 15, 8, 6, 5, 4, 3, 2, 1, 7, 16,
    ]);
  });

  it("gives numpy's own permutation of many ties", () => {
    expect([...numpyArgsort(Array.from({ length: 40 }, (_, i) => i % 3))]).toEqual([
      0, 36, 33, 30, 27, 24, 21, 18, 15, 12, 39, 9, 3, 6, 25, 37, 1, 34, 31, 28, 4, 10, 19, 16, 13, 7, 22, 14, 35, 8, 2,
      32, 23, 29, 38, 26, 20, 5, 17, 11,
    ]);
  });

  it.each([
    [64, "f49714b21d54950f"],
    [200, "71b8553d35816123"],
    [500, "b350d8593ca793d8"],
  ])("agrees with numpy on %i values of which most are tied", (size, digest) => {
    const values = Array.from({ length: size }, (_, i) => (i * i) % 7);
    expect(fingerprint(numpyArgsort(values))).toBe(digest);
  });

  it.each([
    [64, "43e3cdef8332e9f0"],
    [200, "1ab97ddda06a2ff6"],
    [500, "c030ee2250ba69ca"],
  ])("falls back to heapsort as numpy does on %i values made to defeat the median of three", (size, digest) => {
    expect(fingerprint(numpyArgsort(medianKiller(size)))).toBe(digest);
  });
});

describe("numpyTop", () => {
  const lists = [
    Array.from({ length: 300 }, (_, i) => (i * i) % 7),
    Array.from({ length: 300 }, (_, i) => (i * 7919) % 300),
    Array.from({ length: 300 }, (_, i) => (i % 100 === 0 ? i : 0)),
    medianKiller(300),
    new Array(40).fill(0),
  ].map((values) => Float64Array.from(values));

  it.each([1, 2, 3, 4, 16, 17, 40, 299, 300])(
    "gives the first %i of the reversed full order, ties included",
    (count) => {
      for (const values of lists) {
        const full = [...numpyArgsort(values)].reverse();
        expect([...numpyTop(values, count)]).toEqual(full.slice(0, count));
      }
    },
  );

  it("gives the same tail for every count when only the tail is asked for", () => {
    for (const values of lists) {
      const full = [...numpyArgsort(values)];
      for (let from = 0; from <= values.length; from++)
        expect([...numpyArgsort(values, from).subarray(from)]).toEqual(full.slice(from));
    }
  });
});

/** Musser's sequence, on which every median of three is nearly the smallest value. */
function medianKiller(size: number): number[] {
  const values = new Array<number>(size).fill(0);
  const half = size / 2;
  for (let i = 1; i <= half; i++) {
    if (i % 2 === 1) {
      values[i - 1] = i;
      values[i] = half + i;
    }
    values[half + i - 1] = 2 * i;
  }
  return values;
}

const fingerprint = (order: Int32Array): string => sha256(order.join(",")).slice(0, 16);
