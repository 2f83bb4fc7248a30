import { describe, expect, test } from "vitest";
import { seeded } from "../../src/random/seeded.js";
import { race, saddlepoint } from "../../src/statistics/race.js";
import { logit, rootOf } from "../../src/statistics/root.js";

describe("the root of a falling function", () => {
  /** Roots with how often the function was asked. */
  const counted = (f: (x: number) => number, from: number, to: number) => {
    let asked = 0;
    const root = rootOf(
      (x) => {
        asked += 1;
        return f(x);
      },
      from,
      to,
    );
    return { root, asked };
  };

  test.each([
    { name: "line", f: (x: number) => 0.3 - x, root: 0.3, steps: 4 },
    { name: "cube", f: (x: number) => 2 - x ** 3, root: Math.cbrt(2), steps: 10 },
    { name: "log", f: (x: number) => -Math.log(x + 2) + 1, root: Math.E - 2, steps: 8 },
    {
      name: "flat, then steep",
      f: (x: number) => 1e-6 - Math.exp(20 * (x - 1)),
      root: 1 + Math.log(1e-6) / 20,
      steps: 16,
    },
  ])("is found to the last digits in few steps: $name", ({ f, root, steps }) => {
    const found = counted(f, -1, 2);
    expect(Math.abs(found.root - root)).toBeLessThan(1e-12);
    expect(found.asked).toBeLessThanOrEqual(steps); // halving alone takes 46
  });

  test.each([1e6, 1e12, 1e15])("is found as near to 0 where an end is %d away", (end) => {
    const found = counted((x) => Math.tanh(0.3 - x), -1, end);
    expect(Math.abs(found.root - 0.3)).toBeLessThan(1e-10);
    expect(found.asked).toBeLessThan(120);
  });

  test.each([
    { name: "a pole at the end", f: (x: number) => 5 - 1 / (1 - x), from: 0, to: 0.999, root: 0.8, steps: 12 },
    {
      name: "level, then ever steeper",
      f: (x: number) => 1 - Math.exp(x - 0.1),
      from: -1,
      to: 300,
      root: 0.1,
      steps: 17,
    },
  ])("is found in few steps far from an end: $name", ({ f, from, to, root, steps }) => {
    const found = counted(f, from, to);
    expect(Math.abs(found.root - root)).toBeLessThan(1e-11);
    expect(found.asked).toBeLessThanOrEqual(steps);
  });

  test("is found at once where a step hits it", () =>
    expect(counted((x) => 0.5 - x, -1, 2)).toEqual({ root: 0.5, asked: 3 }));

  test("is found at a jump", () => {
    const { root, asked } = counted((x) => (x < 0.7 ? 1 : -1), 0, 1);
    expect(asked).toBeLessThanOrEqual(47);
    expect(Math.abs(root - 0.7)).toBeLessThan(1e-12);
  });

  test("is found as closely at any scale and place", () => {
    for (const [from, to] of [
      [0, 1e-6],
      [1e6, 4e6],
      [1, 1 + 1e-6],
      [-3, -1],
    ] as const) {
      const place = from + 0.7 * (to - from);
      const { root, asked } = counted((x) => (x < place ? 1 : -1), from, to);
      expect(Math.abs(root - place)).toBeLessThan(1e-12 * (to - from) + 2 * Number.EPSILON * Math.abs(place));
      expect(asked).toBeLessThanOrEqual(from === 1 ? 203 : 47); // numbers are not as close there
    }
  });

  test("is the side of a jump that is nearer to 0", () => {
    expect(rootOf((x) => (x < 0.7 ? 1 : -0.001), 0, 1)).toBeGreaterThanOrEqual(0.7);
    expect(rootOf((x) => (x < 0.7 ? 0.001 : -1), 0, 1)).toBeLessThan(0.7);
  });

  test("is an end where the function does not cross", () => {
    expect(counted(() => 1, 2, 5)).toEqual({ root: 5, asked: 2 });
    expect(counted(() => -1, 2, 5)).toEqual({ root: 2, asked: 2 });
    expect(counted((x) => 5 - x, 2, 5)).toEqual({ root: 5, asked: 2 });
    expect(rootOf((x) => 2 - x, 2, 5)).toBe(2);
  });

  test("is found in a dozen steps on the log of the odds of an exact p", () => {
    const values = Float64Array.from({ length: 60 }, (_, q) => (q % 7 === 0 ? -1 : 0));
    const p = (loss: number) =>
      race(
        values.map((value) => value + loss),
        1 - loss,
      );
    const byOdds = counted((loss) => logit(p(loss)) - logit(0.05), 0, 1);
    expect(p(byOdds.root)).toBeCloseTo(0.05, 11);
    expect(byOdds.asked).toBeLessThan(16);
  });
});

test("the log of the odds is 0 at a half, turns around it, and is finite at the ends", () => {
  expect(logit(0.5)).toBe(0);
  expect(logit(0.8)).toBeCloseTo(Math.log(4), 12);
  expect(logit(0.2)).toBeCloseTo(-Math.log(4), 12);
  expect(logit(0)).toBeLessThan(-600);
  expect(logit(1)).toBeGreaterThan(600);
});

describe("the race", () => {
  /** The recurrence as it stands in the literature. */
  function plain(gains: readonly number[], losses: readonly number[]): number {
    const f = (i: number, j: number): number => {
      if (i === gains.length) return j === losses.length ? 0 : 1;
      if (j === losses.length) return 0;
      return (losses[j]! * f(i + 1, j) + gains[i]! * f(i, j + 1)) / (gains[i]! + losses[j]!);
    };
    return f(0, 0);
  }

  test("is the plain recurrence, with equal gains in rows of one, two and three, in any order", () => {
    const random = seeded("race");
    for (const gains of [[2], [2, 2], [1, 2, 1], [1, 1, 1, 3], [0.5, 0.5, 2, 0.5, 2]]) {
      const losses = Array.from({ length: 5 }, () => 0.2 + random.next());
      const [worst, ...seen] = losses;
      const values = random.sample([...gains, ...seen.map((loss) => -loss)], gains.length + seen.length);
      expect(race(values, worst!)).toBeCloseTo(plain(gains, losses), 13);
    }
  });

  test("is certain where nothing can be lost or gained, and has no unseen loss below 0", () => {
    expect([race([], 0), race([0], 0), race([-1], 0), race([1], 0)]).toEqual([1, 1, 1, 0]);
    expect(race([1, -1], -0.5)).toBe(0.5);
  });

  test("is not longer, and no other, for values of 0", () => {
    const values = [...Array.from({ length: 2_100 }, (_, i) => 1 + (i % 7) / 7), -900, -1_100];
    expect(race([...values, ...Array(2_100).fill(0)], 1)).toBe(race(values, 1));
    expect(race([...values, ...Array(2_100).fill(1e-13)], 1)).toBe(race(values, 1));
  });

  test("goes by the saddlepoint where it is long", () => {
    const gains = Array.from({ length: 2_100 }, (_, i) => 1 + (i % 7) / 7);
    const losses = gains.map((gain) => gain * 1.01);
    expect(race([...gains, ...losses.map((loss) => -loss)], 0)).toBe(saddlepoint(gains, losses));
  });
});

describe("the saddlepoint", () => {
  const exact = (gains: readonly number[], losses: readonly number[]) =>
    race([...gains, ...losses.map((loss) => -loss)], 0);
  const few = Array.from({ length: 40 }, (_, i) => 1 + (i % 5) / 2);
  const many = Array.from({ length: 90 }, (_, i) => 0.4 + (i % 3) / 2);

  test("is near the exact p at both ends, and at any unit", () => {
    for (const scale of [1, 1.3, 0.7]) {
      const gains = few.map((gain) => gain * scale);
      for (const [one, other] of [
        [gains, many],
        [many, gains],
      ] as const) {
        const p = saddlepoint(one, other);
        expect(Math.abs(p / exact(one, other) - 1)).toBeLessThan(0.01);
        for (const unit of [0.01, 100])
          expect(
            saddlepoint(
              one.map((gain) => gain * unit),
              other.map((loss) => loss * unit),
            ) / p,
          ).toBeCloseTo(1, 6);
      }
    }
  });

  test("where gains and losses are as large, is a half and what the skewness adds", () => {
    const [gains, losses] = [Array(50).fill(4), Array(100).fill(2)];
    expect(saddlepoint(gains, losses)).toBeCloseTo(exact(gains, losses), 3);
    expect(saddlepoint(gains, losses)).toBeCloseTo(0.5 + 4800 / (6 * Math.sqrt(2 * Math.PI) * 1200 ** 1.5), 10);
  });
});
