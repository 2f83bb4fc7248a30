import { describe, expect, test } from "vitest";
import { accuracy, macroF1 } from "../../../src/metrics/index.js";
import type { GatedArm, GatedQuestion, GatedReplies } from "../../../src/report/gate/pairs.js";
import { exactLossP } from "../../../src/report/gate/rule-0.1.0/exact.js";
import { bound, pAtLeast, type ResampledGain } from "../../../src/report/gate/rule-0.1.0/resampled.js";
import { gateByOldRule } from "../../../src/report/gate/rule-0.1.0/rule.js";
import { normalQuantile, normalUpperTail } from "../../../src/statistics/normal.js";
import { studentQuantile, studentUpperTail } from "../../../src/statistics/student.js";
import { gatedArm, gatedQuestions, replies } from "../../helpers/gated-arm.js";

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

const labels = ["yes", "no"];
const right = accuracy(labels);

/** A word per user, a letter per question: `=` right before and now, `-` lost, `+` gained. */
const answers = (words: string): GatedQuestion[] =>
  words.split(" ").flatMap((word, u) =>
    [...word].map((letter, q) => ({
      id: `${u}-${q}`,
      user: `u${u}`,
      baseline: replies(letter === "+" ? 0 : 1),
      candidate: replies(letter === "-" ? 0 : 1),
    })),
  );

describe("a verdict of the withdrawn rule", () => {
  const lineOf = (questions: readonly GatedQuestion[], margin: number, alpha = 0.05, more: Partial<GatedArm> = {}) =>
    gateByOldRule([{ arm: gatedArm(questions, more), metrics: [right] }], { alpha, margin: () => margin, seed: 1 })[0]!;
  const oneLost = answers(`---- ${"==== ".repeat(9).trim()}`);

  test("resamples ten users as users, with the numbers of that version", () => {
    const line = lineOf(oneLost, 0.1);
    expect([line.low, line.high]).toEqual([-0.4, 0]);
    expect(line.p).toBeCloseTo(0.640324507109, 10);
    expect(lineOf(answers("---- ++== ===+ =-=="), 0.5).exactP).toBeCloseTo(0.019998744195, 10);
  });

  test("passes and regresses at its thresholds, themselves included", () => {
    expect(lineOf(oneLost, 0.4)).toMatchObject({ verdict: "pass", low: -0.4 });
    const few = answers(`- ${"= ".repeat(39).trim()}`);
    const p = lineOf(few, 0.3).exactP!;
    expect([p, p * 0.999].map((alpha) => lineOf(few, 0.3, alpha).verdict)).toEqual(["pass", "inconclusive"]);
    const half = answers("--== ".repeat(12).trim());
    expect(lineOf(half, 0.6)).toMatchObject({ verdict: "pass", exactP: undefined });
    const shown = lineOf(answers("-=== --== ==== -=== ---- ==== -=== --== ==== -=== -=== --=="), 0.05);
    expect(
      lineOf(answers("-=== --== ==== -=== ---- ==== -=== --== ==== -=== -=== --=="), 0.05, shown.holm!).verdict,
    ).toBe("regress");
  });

  test("counts no answer for a repeat that failed", () => {
    const [yes, no] = [replies(1)[0], replies(0)[0]];
    const line = lineOf(
      gatedQuestions(
        [
          [yes, undefined],
          [no, no],
          [yes, no],
        ],
        [[yes], [yes], [no]],
      ),
      0.1,
    );
    expect(line.baseline).toBeCloseTo((2 / 3 + 0 / 2) / 2, 12);
    expect(line.candidate).toBeCloseTo(2 / 3, 12);
  });

  test("judges what has gold beside questions that have none", () =>
    expect(lineOf(answers("="), 0.1, 0.05, { leftOut: { absent: 0, added: 0, failed: 0, noGold: 2 } }).questions).toBe(
      1,
    ));
});

describe("the exact test of the withdrawn rule, by hand", () => {
  const [yes, no] = [replies(1)[0], replies(0)[0]];
  const exact = (before: readonly GatedReplies[], now: readonly GatedReplies[], metric = right) =>
    exactLossP(metric, gatedQuestions(before, now), 0.1);
  const binomial = (hits: number, of: number) => {
    let [sum, term] = [0, 0.9 ** of];
    for (let hit = 0; hit <= hits; hit++) {
      sum += term;
      term *= ((of - hit) / (hit + 1)) * (0.1 / 0.9);
    }
    return sum;
  };

  test("counts halves as whole losses, and no gains beside them", () => {
    const still = Array<GatedReplies>(15).fill([yes, yes]);
    const before = [...still, [yes, yes], [yes, yes], [yes, no], [yes, no], [no, no]];
    const now = [...still, [yes, no], [yes, no], [yes, yes], [yes, yes], [yes, yes]];
    expect(exact(before, now)).toBeCloseTo(binomial(2, 20), 12);
  });

  test("leaves failed repeats out of a question's value", () => {
    const still = Array<GatedReplies>(15).fill([yes, yes]);
    const whole = exact([...still, [yes], [yes], [no], [no], [no]], [...still, [no], [no], [yes], [yes], [yes]]);
    const gaps = exact(
      [...still, [yes, undefined], [undefined, yes], [no], [no], [no]],
      [...still, [no, undefined], [no], [yes], [yes, undefined], [yes]],
    );
    expect(gaps).toBeCloseTo(whole!, 12);
    expect(whole).not.toBeCloseTo(binomial(2, 20), 3);
  });

  test("takes a repeat that failed in both for the same reading, and in one for another", () => {
    const of = (before: GatedReplies, now: GatedReplies) =>
      exact(
        [...Array<GatedReplies>(19).fill([yes]), before],
        [...Array<GatedReplies>(19).fill([yes]), now],
        macroF1(labels),
      );
    expect(of([undefined, yes], [undefined, yes])).toBeCloseTo(binomial(0, 20), 12);
    expect(of([yes, yes], [yes, undefined])).toBeCloseTo(binomial(1, 20), 12);
    expect(of([undefined, yes], [yes])).toBeCloseTo(binomial(1, 20), 12);
  });

  test("counts changed readings where the largest loss is unknown", () => {
    const { most: _, ...open } = right;
    expect(exact([[yes], [yes], [yes], [yes]], [[yes], [no], [yes], [yes]], open)).toBeCloseTo(binomial(1, 4), 12);
  });
});
