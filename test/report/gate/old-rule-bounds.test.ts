import { describe, expect, test } from "vitest";
import { bound, pAtLeast, type ResampledGain } from "../../../src/report/gate/rule-0.1.0/resampled.js";
import { normalQuantile, normalUpperTail } from "../../../src/statistics/normal.js";
import { studentQuantile, studentUpperTail } from "../../../src/statistics/student.js";

/** Draws at 0, .001 ... 1: their value is their share. */
const even = Float64Array.from({ length: 1001 }, (_, i) => i / 1000);
const found = (more: Partial<ResampledGain> = {}): ResampledGain => ({
  gain: 0.5,
  error: 0.3,
  sorted: even,
  users: 10_000,
  bias: 0,
  acceleration: 0,
  ...more,
});

/** Of ten users. */
const widening = Math.sqrt(10 / 9);

describe("a bound of the withdrawn rule", () => {
  test("is the draw at its share, between two draws in proportion, and farther out for few users", () => {
    expect(bound(found(), 0.5)).toBeCloseTo(0.5, 9);
    expect(bound(found(), 0.05)).toBeCloseTo(0.05, 4);
    expect(bound(found({ sorted: Float64Array.of(0, 1, 4) }), 0.75)).toBeCloseTo(1 + 3 * 0.5, 3);
    const few = normalUpperTail(-studentQuantile(0.05, 9) * widening);
    expect(bound(found({ users: 10 }), 0.05)).toBeCloseTo(few, 9);
    expect(few).toBeLessThan(0.05);
  });

  test("moves by twice the median's bias, and by the acceleration more on one side than on the other", () => {
    expect(bound(found({ bias: 0.3 }), 0.5)).toBeCloseTo(normalUpperTail(-0.6), 9);
    const [low, high] = [0.05, 0.95].map((share) => bound(found({ acceleration: 0.1 }), share));
    expect(low).toBeCloseTo(normalUpperTail(1.6449 / (1 + 0.16449)), 4);
    expect(high).toBeCloseTo(normalUpperTail(-1.6449 / (1 - 0.16449)), 4);
  });

  test("ends where the draws end: a skew that turns it round counts as the end that it went to", () => {
    expect(bound(found({ acceleration: 0.5 }), 0.999999)).toBe(1);
    expect(bound(found({ acceleration: -0.5 }), 0.000001)).toBe(0);
  });
});

describe("a p of the withdrawn rule", () => {
  test("is the share of draws at or above the threshold, itself included, by Student's quantiles", () => {
    expect(pAtLeast(found(), 0.9)).toBeCloseTo(102 / 1002, 4);
    expect(pAtLeast(found(), 0)).toBe(1);
    expect(pAtLeast(found(), -1)).toBe(1);
    const z = normalQuantile(102 / 1002);
    expect(pAtLeast(found({ users: 10 }), 0.9)).toBeCloseTo(studentUpperTail(-z / widening, 9), 9);
    expect(pAtLeast(found({ bias: 0.3 }), 0.9)).toBeCloseTo(normalUpperTail(-(z + 0.6)), 4);
  });

  test("where fewer than five draws reach it is Student's where that is smaller, never below one draw's share", () => {
    const byDraws = (count: number) => studentUpperTail(-normalQuantile((count + 1) / 1002) / widening, 9);
    const narrow = { users: 10, error: 0.15 };
    const byError = (threshold: number) => studentUpperTail((threshold - 0.5) / (0.15 * widening), 9);
    expect(byError(0.997)).toBeLessThan(byDraws(4));
    expect(pAtLeast(found(narrow), 0.996)).toBeCloseTo(byDraws(5), 9);
    expect(pAtLeast(found(narrow), 0.997)).toBeCloseTo(byError(0.997), 9);
    expect(pAtLeast(found({ users: 10 }), 0.997)).toBeCloseTo(byDraws(4), 9);
    const far = studentUpperTail((1.5 - 0.5) / (0.3 * widening), 9);
    expect(pAtLeast(found({ users: 10 }), 1.5)).toBeCloseTo(far, 9);
    expect(pAtLeast(found({ users: 10, error: 0.05 }), 1.5)).toBe(1 / 1002);
    const still = { users: 10, error: 0, sorted: new Float64Array(1001).fill(0.5) };
    expect(pAtLeast(found(still), 0.6)).toBeCloseTo(byDraws(0), 9);
  });

  test("of a skew that turns it round is that of the end that it went to", () => {
    expect(pAtLeast(found({ acceleration: 0.5 }), 0.0005)).toBe(1);
    expect(pAtLeast(found({ acceleration: -0.5 }), 1.5)).toBe(1 / 1002);
  });
});
