import { describe, expect, test } from "vitest";
import {
  errorsPrintedAs,
  exactBounds,
  hitsPrintedAs,
  impliedPair,
  mcNemar,
} from "../../../src/report/papers/implied.js";

const upTo = (most: number): number[] => Array.from({ length: most + 1 }, (_, i) => i);

describe("right answers behind a printed share", () => {
  test("are all whole numbers that print as it, none and all of them among them, to as many digits as are printed", () => {
    expect(hitsPrintedAs("0.000", 7)).toEqual([0]);
    expect(hitsPrintedAs("1.000", 7)).toEqual([7]);
    expect(hitsPrintedAs("0.43", 7)).toEqual([3]);
    expect(hitsPrintedAs("0.4", 7)).toEqual([3]);
    expect(hitsPrintedAs("0.50", 200)).toEqual([99, 100]); // .495 is rounded up
  });
});

describe("errors behind a printed MAE and RMSE", () => {
  /** Every way in which `count` ratings can be off by 0 to 4: sums of errors and of squares, and how many are off. */
  function off(count: number): { sum: number; squares: number; fourthPowers: number; wrong: number }[] {
    return upTo(count).flatMap((ones) =>
      upTo(count - ones).flatMap((twos) =>
        upTo(count - ones - twos).flatMap((threes) =>
          upTo(count - ones - twos - threes).map((fours) => ({
            sum: ones + 2 * twos + 3 * threes + 4 * fours,
            squares: ones + 4 * twos + 9 * threes + 16 * fours,
            fourthPowers: ones + 2 ** 4 * twos + 3 ** 4 * threes + 4 ** 4 * fours,
            wrong: ones + twos + threes + fours,
          })),
        ),
      ),
    );
  }
  const count = 9;
  const ways = off(count);

  test("are those of all ways to be so far off, the smallest sums of all that print so", () => {
    const printed = new Set(
      ways.map(({ sum, squares }) => `${(sum / count).toFixed(3)} ${Math.sqrt(squares / count).toFixed(3)}`),
    );
    for (const both of printed) {
      const [mae, rmse] = both.split(" ") as [string, string];
      const fitting = ways
        .filter(
          ({ sum, squares }) => (sum / count).toFixed(3) === mae && Math.sqrt(squares / count).toFixed(3) === rmse,
        )
        .sort((a, b) => a.sum - b.sum || a.squares - b.squares);
      const { sum, squares } = fitting[0]!;
      expect(errorsPrintedAs(mae, rmse, count)).toEqual({
        sum,
        squaredSum: squares,
        rmseOff: 0,
      });
    }
  });

  test("print a half up", () => {
    expect(errorsPrintedAs("0.063", undefined, 16)).toMatchObject({ sum: 1 });
    expect(errorsPrintedAs("0.062", undefined, 16)).toBeUndefined();
  });

  test("may miss the RMSE by one in its last digit, in either direction, and not by two", () => {
    // 3 errors of 1 among 9: MAE .333, RMSE .577.
    for (const near of ["0.576", "0.578"])
      expect(errorsPrintedAs("0.333", near, 9)).toMatchObject({
        sum: 3,
        squaredSum: 3,
        rmseOff: 1,
      });
    for (const far of ["0.575", "0.579"]) expect(errorsPrintedAs("0.333", far, 9)).toBeUndefined();
    expect(errorsPrintedAs("0.332", "0.577", 9)).toBeUndefined();
    expect(errorsPrintedAs("0.111", "0.577", 9)).toBeUndefined(); // one error of 1 has no squares of 3
  });

  test("without an RMSE have a sum alone", () => {
    const bounds = (mae: string, ratings: number) => errorsPrintedAs(mae, undefined, ratings);
    expect(bounds("0.333", 9)).toEqual({ sum: 3, squaredSum: undefined, rmseOff: 0 });
    expect(bounds("4.000", 9)).toMatchObject({ sum: 36 });
    expect(bounds("0.335", 9)).toBeUndefined();
    expect(bounds("4.111", 9)).toBeUndefined();
  });
});

describe("what two numbers of right answers allow", () => {
  test.each([
    [7, 5, 10],
    [10, 2, 12],
    [4, 4, 9],
    [0, 6, 6],
    [1, 19, 20],
    [12, 4, 30],
    [3, 12, 40],
    [0, 0, 5],
    [5, 5, 5],
  ])("with %i and %i of %i is what all pairings say", (hitsA, hitsB, count) => {
    const both = upTo(Math.min(hitsA, hitsB)).filter((both) => hitsA + hitsB - both <= count);
    const ps = both.map((both) => mcNemar(hitsA - both, hitsB - both));
    expect(impliedPair(hitsA, hitsB, count)).toEqual({
      gap: Math.abs(hitsA - hitsB),
      smallestP: Math.min(...ps),
      largestP: Math.max(...ps),
    });
    expect(impliedPair(hitsB, hitsA, count)).toEqual(impliedPair(hitsA, hitsB, count));
  });
});

test("exact bounds of a share are Clopper and Pearson's", () => {
  // 0 of 10 and 10 of 10 have a closed form; 113 of 123 is scipy's.
  expect(exactBounds(0, 10).low).toBe(0);
  expect(exactBounds(0, 10).high).toBeCloseTo(1 - 0.025 ** 0.1, 12);
  expect(exactBounds(10, 10).high).toBe(1);
  expect(exactBounds(113, 123).low).toBeCloseTo(0.855565677081, 11);
  expect(exactBounds(113, 123).high).toBeCloseTo(0.960324050335, 11);
});
