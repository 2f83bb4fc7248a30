import { describe, expect, test } from "vitest";
import { seeded } from "../../src/random/seeded.js";
import { normalQuantile } from "../../src/statistics/normal.js";
import { ratioForecast, systematicDraw } from "../../src/statistics/ratio-estimate.js";

describe("ratioForecast", () => {
  test("is the ratio of the drawn times the size of the rest, and its width that of the formula", () => {
    const drawn = [
      { x: 1, y: 3 },
      { x: 2, y: 3 },
      { x: 3, y: 6 },
    ];
    const { ratio, expected, half } = ratioForecast(drawn, { count: 4, x: 8 });
    expect(ratio).toBe(2);
    expect(expected).toBe(16);
    // residuals 1, -1, 0, without the cluster itself 1.2, -1.5, 0; t(2) at .975; 4 + (8 / 2)^2 / 3
    expect(half).toBeCloseTo(4.302652729749464 * Math.sqrt(((1.44 + 2.25) / 2) * (4 + 16 / 3)), 9);
  });

  test("knows no width of one, foretells nothing where nothing is left, and stands nothing drawn", () => {
    expect(ratioForecast([{ x: 1, y: 3 }], { count: 4, x: 8 })).toEqual({ ratio: 3, expected: 24, half: undefined });
    expect(ratioForecast([{ x: 1, y: 3 }], { count: 0, x: 0 })).toEqual({ ratio: 3, expected: 0, half: 0 });
    expect(ratioForecast([], { count: 2, x: 3 })).toEqual({ ratio: 0, expected: 0, half: undefined });
    const empty = [
      { x: 0, y: 1 },
      { x: 0, y: 2 },
    ];
    expect(ratioForecast(empty, { count: 2, x: 3 })).toEqual({ ratio: 0, expected: 0, half: undefined });
  });

  test("does not divide by nothing where one cluster is nearly all there is", () => {
    const drawn = [
      { x: 99, y: 99 },
      { x: 1, y: 2 },
    ];
    const { half } = ratioForecast(drawn, { count: 1, x: 50 });
    // residuals 99 - 1.01 * 99 and 2 - 1.01, the first over 1 - .9 and the second over 1 - .01; t(1) at .975
    const variance = (0.99 / 0.1) ** 2 + (0.99 / 0.99) ** 2;
    expect(half).toBeCloseTo(12.706204736432095 * Math.sqrt(variance * (1 + 1 / 2)), 6);
  });

  test("holds the truth in about 95 of 100 draws of 20 among 200, sizes and costs being log-normal", () => {
    const random = seeded("ratio");
    const normal = () => normalQuantile(Math.min(1 - 1e-9, Math.max(1e-9, random.next())));
    let inside = 0;
    for (let trial = 0; trial < 200; trial++) {
      const all = Array.from({ length: 200 }, () => {
        const x = Math.exp(0.8 * normal());
        return { x, y: x + Math.exp(0.9 * normal()) };
      });
      const places = new Set(
        systematicDraw(
          all.map(({ x }) => x),
          20,
          random.next(),
        ),
      );
      const [drawn, rest] = [all.filter((_, i) => places.has(i)), all.filter((_, i) => !places.has(i))];
      const sum = (part: "x" | "y") => rest.reduce((total, one) => total + one[part], 0);
      const { expected, half = 0 } = ratioForecast(drawn, { count: rest.length, x: sum("x") });
      if (Math.abs(sum("y") - expected) <= half) inside += 1;
    }
    expect(inside).toBeGreaterThanOrEqual(184);
  });
});

describe("systematicDraw", () => {
  test("takes small and large ones in even steps of size, from the start that it is given", () => {
    const sizes = [5, 1, 9, 3, 7, 2, 8, 4, 6, 0];
    const drawn = (start: number) => systematicDraw(sizes, 5, start).map((place) => sizes[place]!);
    expect(drawn(0).sort()).toEqual([0, 2, 4, 6, 8]);
    expect(drawn(0.99).sort()).toEqual([1, 3, 5, 7, 9]);
    expect(systematicDraw(sizes, 5, 0)).toEqual([5, 6, 7, 8, 9]); // in their own order
    expect(systematicDraw([4, 4, 4, 4], 2, 0)).toEqual([0, 2]); // equal ones in their own order
    expect(systematicDraw(sizes, 12, 0.5)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(systematicDraw(sizes, 10, 0.5)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });
});
