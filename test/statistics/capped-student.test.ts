import { describe, expect, test } from "vitest";
import { seeded } from "../../src/random/seeded.js";
import {
  cappedStudentLower,
  cappedStudentP,
  mirrored,
  type OverUsers,
  overUsersOf,
} from "../../src/statistics/capped-student.js";
import { jackknifeVariance, studentLower } from "../../src/statistics/loss.js";
import { studentUpperTail } from "../../src/statistics/student.js";

/** Users with these sums of gains over so many questions each; `beside`: what the value has that is of no user. */
function users(sums: readonly number[], counts: readonly number[], beside = 0): OverUsers {
  const [total, all] = [sums, counts].map((values) => values.reduce((sum, value) => sum + value, 0));
  return overUsersOf(
    total! / all! + beside,
    sums.map((sum, u) => (total! - sum) / (all! - counts[u]!)),
    Float64Array.from(counts, (count) => count / all!),
  )!;
}

/** The same, each user's part of the mean told. */
function told(sums: readonly number[], counts: readonly number[]): OverUsers {
  const all = counts.reduce((sum, count) => sum + count, 0);
  return { ...users(sums, counts), gains: Float64Array.from(sums, (sum) => sum / all) };
}

const plainP = ({ value, changes }: OverUsers, loss: number): number =>
  studentUpperTail((value + loss) / Math.sqrt(jackknifeVariance(0, changes)), changes.length - 1);

describe("Student's test over users, with gains capped", () => {
  test("is Student's own where no gain stands out", () => {
    const even = users([-3, 2, 1, -2, 3, 1, -1, 2], Array(8).fill(10));
    for (const loss of [0.08, -0.12]) expect(cappedStudentP(even, loss)).toBeCloseTo(plainP(even, loss), 14);
    expect(cappedStudentP(even, 0.08)).toBe(plainP(even, 0.08));
    const variance = jackknifeVariance(0, even.changes);
    expect(cappedStudentLower(even, 0.05)).toBeCloseTo(studentLower(even.value, variance, 7, 0.05), 12);
  });

  test("takes gains that stand out as the cap: the sum of squares by the sum of the gains beyond the margin", () => {
    // Beyond a margin of .1 of 10 questions each: 1, 2, -1, 2, 9, and c = (1 + 4 + 1 + 4 + c^2) / (4 + c) = 2.5.
    const found = users([0, 1, -2, 1, 8], Array(5).fill(10));
    const capped = users([0, 1, -2, 1, 1.5], Array(5).fill(10));
    expect(cappedStudentP(found, 0.1)).toBeCloseTo(plainP(capped, 0.1), 12);
    expect(cappedStudentP(found, 0.1)).toBeLessThan(0.8 * plainP(found, 0.1));
  });

  test("is the smallest p of all users who gain no more", () => {
    const random = seeded("dominated");
    for (let sample = 0; sample < 300; sample++) {
      const counts = Array.from({ length: 5 + random.below(6) }, () => 1 + random.below(12));
      const sums = counts.map((count) => random.below(2 * count + 1) - count);
      const lower = sums.map((sum) => (random.next() < 0.5 ? sum : sum - 4 * random.next() ** 2));
      const p = cappedStudentP(users(sums, counts), 0.3);
      if (p < 0.5) expect(plainP(users(lower, counts), 0.3)).toBeGreaterThanOrEqual(p - 1e-9);
    }
  });

  /** The smallest plain p that is found by lowering one user's gains after the other, as far as that helps. */
  function smallestP(sums: readonly number[], counts: readonly number[], beside: number, loss: number): number {
    const lowered = [...sums];
    const all = counts.reduce((sum, count) => sum + count, 0);
    const pAt = (u: number, sum: number) => plainP(users(lowered.with(u, sum), counts, beside), loss);
    for (let round = 0; round < 30; round++)
      for (const [u, sum] of sums.entries()) {
        let [low, high] = [lowered[u]! - all * (users(lowered, counts, beside).value + loss), sum];
        for (let step = 0; step < 30; step++) {
          const [one, two] = [(2 * low + high) / 3, (low + 2 * high) / 3];
          if (pAt(u, one) < pAt(u, two)) high = two;
          else low = one;
        }
        lowered[u] = high;
      }
    return plainP(users(lowered, counts, beside), loss);
  }

  test.each([
    { sums: [0, 1, -2, 1, 8], counts: [10, 5, 20, 10, 9], loss: 0.1 },
    { sums: [8, 1, -2, 3, 4], counts: [40, 5, 20, 10, 9], loss: 0.1 },
    { sums: [300, 1, -1, 1], counts: [1_000, 3, 2, 4], loss: 0.02 },
    { sums: [10, 3], counts: [34, 3], beside: 0.02, loss: 0 },
    { sums: [9, 2, 4, 3], counts: [10, 9, 12, 4], beside: 0.02, loss: 0 },
  ])("is the p of some users who gain no more: $sums of $counts", ({ sums, counts, beside = 0, loss }) => {
    const p = cappedStudentP(users(sums, counts, beside), loss);
    expect(p / smallestP(sums, counts, beside, loss)).toBeCloseTo(1, 2);
    expect(p).toBeLessThan(0.9 * plainP(users(sums, counts, beside), loss));
  });

  test.each([
    { gain: 200_000, loss: 0 },
    { gain: 100_000, loss: 0.02 },
  ])("is no larger than theirs where one user has nearly all questions: gain $gain", ({ gain, loss }) => {
    const [sums, counts] = [
      [gain, 1, -0.5, 1],
      [1_000_000, 1, 1, 1],
    ] as const;
    expect(cappedStudentP(users(sums, counts), loss)).toBeLessThanOrEqual(smallestP(sums, counts, 0, loss));
  });

  test("of a user who gains just the margin is what it is of one who gains nothing", () => {
    const [ahead, level] = [users([1, 1, 1, 1, 9], Array(5).fill(10)), users([0, 0, 0, 0, 8], Array(5).fill(10))];
    expect(cappedStudentP(ahead, -0.1)).toBeCloseTo(cappedStudentP(level, 0), 12);
  });

  test("needs two users", () => {
    expect(overUsersOf(0.5, [Number.NaN], Float64Array.of(1))).toBeUndefined();
    expect(overUsersOf(0.5, [0.2, 0.8], Float64Array.of(0.5, 0.5))?.value).toBe(0.5);
  });

  test("is certain where every user gains, even without a spread, and open where nothing changes", () => {
    expect(cappedStudentP(users([1, 1, 1, 1, 9], Array(5).fill(10)), 0)).toBe(0);
    expect(cappedStudentP(users([1, 3], [10, 10]), 0)).toBe(0);
    expect(cappedStudentP(users([0, 3], [10, 10]), 0)).toBeGreaterThan(0);
    expect(cappedStudentP(users([0, 0, 0, 0, 0], Array(5).fill(10)), 0)).toBe(0.5);
    expect(cappedStudentP(users([-1, -1, -1, -1, -1], Array(5).fill(10)), 0)).toBe(1);
  });

  test("has its bound where its p is the risk, and sees losses as it sees gains", () => {
    const random = seeded("bounds");
    for (let sample = 0; sample < 100; sample++) {
      const counts = Array.from({ length: 5 + random.below(8) }, () => 1 + random.below(9));
      const found = users(
        counts.map((count) => random.below(2 * count + 1) - count),
        counts,
      );
      const low = cappedStudentLower(found, 0.05);
      expect(cappedStudentP(found, -low + 1e-9)).toBeLessThanOrEqual(0.05 + 1e-6);
      expect(cappedStudentP(found, -low - 1e-9)).toBeGreaterThanOrEqual(0.05 - 1e-6);
      expect(cappedStudentP(mirrored(found), -0.1)).toBeCloseTo(1 - cappedStudentP(found, 0.1), 12);
    }
  });

  test.each([
    { sums: [0, -1], counts: [6, 2], loss: 0.5 },
    { sums: [-0.5, 1, 0, -1, -1.5, -1], counts: [6, 4, 4, 8, 6, 8], loss: 0.25 },
    { sums: [1, 1, 0, 2, 2, 0, 0, 0], counts: [4, 12, 2, 12, 8, 8, 12, 10], loss: 0 },
  ])("is theirs where nobody is below the margin and some are at it: $sums of $counts", ({ sums, counts, loss }) => {
    expect(cappedStudentP(users(sums, counts), loss) / smallestP(sums, counts, 0, loss)).toBeCloseTo(1, 4);
  });

  test.each([
    [1, -1, 2, 0, 1, 1, -1],
    [-1, -1, -2, 0, -1, 1, -1],
    [-1, -1, -2, -1, -1, 0, -1],
  ])("sees in the other users what it sees, however far one of them falls: %d %d %d %d %d %d %d", (...others) => {
    const far = (loss: number) => told([-loss, ...others], Array(8).fill(5));
    for (const margin of [0, 0.05, 0.2]) {
      const p = cappedStudentP(far(1e5), margin);
      for (const loss of [1e9, 1e14, 1e18]) expect(cappedStudentP(far(loss), margin)).toBeCloseTo(p, 4);
      expect(cappedStudentP(mirrored(far(1e18)), -margin)).toBeCloseTo(1 - p, 4);
    }
    expect(cappedStudentLower(mirrored(far(1e9)), 0.05)).toBeCloseTo(cappedStudentLower(mirrored(far(1e5)), 0.05), 4);
  });

  test.each([
    { others: [2, -1, 0, -1], counts: [4, 5, 5, 4, 5], margin: 0.2 },
    { others: [1, 0, 1, 2, -1, 2, -2], counts: [5, 5, 5, 5, 9, 5, 5, 5], margin: 0.05 },
    { others: [-3, 3, -1, -2, 2, 1, -3], counts: [9, 8, 5, 5, 2, 5, 8, 5], margin: 0.68 },
  ])("counts a gain as its cap, however far it goes: beside $others", ({ others, counts, margin }) => {
    const p = (gain: number) => cappedStudentP(told([gain, ...others], counts), margin);
    for (const gain of [1e12, 1e15, 1e18, 1e38]) expect(p(gain)).toBeCloseTo(p(1e3), 9);
  });

  test("knows no unit", () => {
    const [sums, counts] = [
      [9, -2, 5, -1, 0, 30],
      [5, 4, 5, 9, 3, 8],
    ];
    for (const loss of [0, 0.1, -0.4])
      for (const unit of [1e4, 1e9, 1e14]) {
        const larger = told(
          sums.map((sum) => sum * unit),
          counts,
        );
        expect(cappedStudentP(larger, loss * unit)).toBeCloseTo(cappedStudentP(users(sums, counts), loss), 9);
      }
  });

  test("is the same where gains are told, and of users who lose what others gain the rest of theirs", () => {
    const sums = [3, -2, 1, 4, -1, 2];
    const counts = [5, 4, 9, 7, 3, 8];
    const found = users(sums, counts);
    expect(cappedStudentP(told(sums, counts), 0.05)).toBeCloseTo(cappedStudentP(found, 0.05), 12);
    const other = sums.map((sum) => -sum);
    expect(cappedStudentP(users(other, counts), -0.05)).toBeCloseTo(1 - cappedStudentP(users(sums, counts), 0.05), 12);
  });
});
