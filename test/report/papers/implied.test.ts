import { describe, expect, test } from "vitest";
import {
  errorsPrintedAs,
  fewestOutsideLabels,
  hitsPrintedAs,
  impliedPair,
} from "../../../src/report/papers/implied.js";
import { mcNemar } from "../../../src/results/binomial.js";

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

describe("fewest replies outside two labels", () => {
  /** Every way in which `count` questions of two labels can be answered, with `hits` right: replies outside, and macro-F1. */
  function answered(hits: number, count: number): { readonly outside: number; readonly f1: number }[] {
    const found: { outside: number; f1: number }[] = [];
    for (const firsts of upTo(count))
      for (const hitsFirst of upTo(Math.min(hits, firsts))) {
        const [seconds, hitsSecond] = [count - firsts, hits - hitsFirst];
        if (hitsSecond > seconds) continue;
        for (const outsideFirst of upTo(firsts - hitsFirst))
          for (const outsideSecond of upTo(seconds - hitsSecond)) {
            const asSecond = firsts - hitsFirst - outsideFirst;
            const asFirst = seconds - hitsSecond - outsideSecond;
            const f1 = (own: number, missed: number, wrongly: number) =>
              own === 0 ? 0 : (2 * own) / (2 * own + missed + wrongly);
            const first = f1(hitsFirst, asSecond + outsideFirst, asFirst);
            const second = f1(hitsSecond, asFirst + outsideSecond, asSecond);
            found.push({ outside: outsideFirst + outsideSecond, f1: (first + second) / 2 });
          }
      }
    return found;
  }

  test.each([
    [3, 5],
    [4, 7],
    [2, 6],
    [0, 3],
    [5, 5],
    [1, 1],
  ])("are those of all ways to have %i of %i right", (hits, count) => {
    const ways = answered(hits, count);
    for (const printed of [
      "0.000",
      "0.300",
      "0.500",
      "0.571",
      "0.625",
      "0.667",
      "0.700",
      "0.75",
      "0.8",
      "0.900",
      "1.000",
    ]) {
      const places = printed.length - 2;
      const enough = ways
        .filter(({ f1 }) => Number(f1.toFixed(places)) >= Number(printed))
        .map(({ outside }) => outside);
      expect([printed, fewestOutsideLabels(printed, hits, count)]).toEqual([
        printed,
        enough.length === 0 ? undefined : Math.min(...enough),
      ]);
    }
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
      const wrong = fitting.filter((way) => way.sum === sum && way.squares === squares).map((way) => way.wrong);
      expect(errorsPrintedAs(mae, rmse, count)).toEqual({
        sum,
        squaredSum: squares,
        exact: { least: count - Math.max(...wrong), most: count - Math.min(...wrong) },
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
        exact: { least: 6, most: 6 },
      });
    for (const far of ["0.575", "0.579"]) expect(errorsPrintedAs("0.333", far, 9)).toBeUndefined();
    expect(errorsPrintedAs("0.332", "0.577", 9)).toBeUndefined();
    expect(errorsPrintedAs("0.111", "0.577", 9)).toBeUndefined(); // one error of 1 has no squares of 3
  });

  test("without an RMSE have a sum alone, and wide bounds: errors of 1, or of 4 as far as they go", () => {
    const bounds = (mae: string, ratings: number) => errorsPrintedAs(mae, undefined, ratings);
    expect(bounds("0.333", 9)).toEqual({ sum: 3, squaredSum: undefined, exact: { least: 6, most: 8 }, rmseOff: 0 });
    expect(bounds("1.444", 9)).toMatchObject({ sum: 13, exact: { least: 0, most: 5 } });
    expect(bounds("4.000", 9)).toMatchObject({ sum: 36, exact: { least: 0, most: 0 } });
    expect(bounds("0.000", 9)).toMatchObject({ sum: 0, exact: { least: 9, most: 9 } });
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
    const pairings = upTo(Math.min(hitsA, hitsB))
      .filter((both) => hitsA + hitsB - both <= count)
      .map((both) => ({ total: hitsA + hitsB - 2 * both, p: mcNemar(hitsA - both, hitsB - both) }));
    const totals = pairings.map(({ total }) => total);
    const shown = pairings.filter(({ p }) => p <= 0.05).map(({ total }) => total);
    const depends = shown.length > 0 && shown.length < pairings.length;
    expect(impliedPair(hitsA, hitsB, count)).toEqual({
      gap: Math.abs(hitsA - hitsB),
      discordant: { least: Math.min(...totals), most: Math.max(...totals) },
      smallestP: Math.min(...pairings.map(({ p }) => p)),
      largestP: Math.max(...pairings.map(({ p }) => p)),
      significant: shown.length === 0 ? "never" : depends ? "depends" : "always",
      upTo: depends ? Math.max(...shown) : undefined,
    });
    expect(impliedPair(hitsB, hitsA, count)).toEqual(impliedPair(hitsA, hitsB, count));
  });
});
