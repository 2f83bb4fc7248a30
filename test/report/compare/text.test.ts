import { describe, expect, test } from "vitest";
import type { Comparison, Flip, MetricComparison } from "../../../src/report/compare/compare.js";
import { renderComparisons } from "../../../src/report/compare/text.js";

const mcnemar: MetricComparison["overQuestions"] = {
  name: "mcnemar",
  p: 0.03,
  effect: 0.21,
  discordant: { onlyA: 2, onlyB: 9 },
};
const metric: MetricComparison = {
  name: "accuracy",
  better: "higher",
  a: 0.5,
  b: 0.6,
  difference: 0.1,
  overUsers: { interval: { low: -0.02, high: 0.2 }, p: 0.04 },
  power: { needed: 1234, detectable: 0.12 },
  overQuestions: mcnemar,
  holm: 0.08,
  spread: { a: undefined, b: undefined },
  perUser: { wins: 5, ties: 4, losses: 3 },
};
const comparison: Comparison = {
  questions: 40,
  users: 40,
  leftOut: { onlyA: 0, onlyB: 0, failed: 0, noGold: 0 },
  metrics: [metric],
  flipped: [],
};
const textOf = (more: Partial<Comparison>, flipped = 2, others: readonly Comparison[] = [], wide = true) =>
  renderComparisons(
    [{ ...comparison, ...more }, ...others].map((one) => ({
      title: "T",
      dataset: "d",
      a: "rag",
      b: "pag",
      simulated: false,
      remarks: [],
      comparison: one,
    })),
    { flipped, wide },
  );
const rowOf = (more: Partial<MetricComparison>) =>
  textOf({ metrics: [{ ...metric, ...more }] })
    .split("\n")[7]
    ?.trim()
    .split(/ {2,}/);

describe("a line of a comparison", () => {
  test("has both scores, the signed difference with its interval, all ps, the effect, and what could be found", () => {
    expect(rowOf({})).toEqual([
      "accuracy (up)",
      ".500",
      ".600",
      "+.100 [-.020, +.200]",
      ".040",
      "McNemar 9:2",
      ".030",
      ".080",
      "5/4/3",
      "h +.210",
      "1,234",
      ".120",
    ]);
  });

  test("stands under its titles, names to the left and numbers to the right", () => {
    const test = { name: "wilcoxon", p: 0.5, effect: -0.3 } as const;
    const lines = textOf({ metrics: [metric, { ...metric, name: "f1", overQuestions: test }] }).split("\n");
    expect(lines[8]).toMatch(
      /^f1 \(up\) {7,}\.500 {2}\.600 .* Wilcoxon {5,}\.500 {3,}\.080 .* r -\.300 +1,234 {3}\.120$/,
    );
    expect(lines[5]).toMatch(/^metric {9,}A {5}B .* test {9,}p test {2}p Holm/);
    expect(lines).toHaveLength(9 + 1 + 4);
  });

  test("shows no difference that is not seen in its digits as one", () => {
    for (const difference of [0, 0.0001, -0.0001]) expect(rowOf({ difference })?.[3]).toBe(".000 [-.020, +.200]");
  });

  test("of ratings counts down, is tested by Wilcoxon, and never shows a signed zero", () => {
    const test = { name: "wilcoxon", p: 0.5, effect: -0.3 } as const;
    const row = rowOf({
      better: "lower",
      difference: -0.0001,
      overUsers: undefined,
      power: undefined,
      overQuestions: test,
      holm: undefined,
    });
    expect(row).toEqual([
      "accuracy (down)",
      ".500",
      ".600",
      ".000 [-]",
      "-",
      "Wilcoxon",
      ".500",
      "-",
      "5/4/3",
      "r -.300",
      "-",
      "-",
    ]);
  });

  test("of a metric of the corpus has no test over questions, and the legend says why", () => {
    const row = rowOf({ overQuestions: undefined });
    expect(row?.slice(5, 7)).toEqual(["-", "-"]);
    expect(row?.slice(9)).toEqual(["-", "1,234", ".120"]);
    const why = "a line without a test is no mean over questions";
    const corpus = { ...comparison, metrics: [metric, { ...metric, overQuestions: undefined }] };
    expect(textOf({}, 0, [corpus])).toContain(why);
    expect(textOf({})).not.toContain(why);
  });
});

describe("what stands around the lines", () => {
  test("is first of all whether a difference is shown, by the first metric", () => {
    const first = (more: Partial<MetricComparison>) => textOf({ metrics: [{ ...metric, ...more }] }).split("\n")[0];
    expect(first({ holm: 0.031 })).toBe("SHOWN: pag beats rag by .100 accuracy (5 users better, 3 worse; p .031)");
    expect(first({ holm: 0.031, better: "lower" })).toMatch(/^SHOWN: pag loses to rag by \.100 accuracy/);
    expect(first({})).toBe(
      "NOT SHOWN: pag above rag by .100 accuracy (5 users better, 3 worse; p .080); these users would show .120",
    );
    expect(first({ holm: undefined, power: undefined })).toMatch(/no test: 10 users needed, 40 here\)$/);
  });

  test("leaves the test over questions to --wide", () => {
    expect(textOf({}, 0, [], false)).not.toMatch(/McNemar|effect|p users {2}/);
    expect(textOf({}, 0, [], false).split("\n")[5]!.trim().split(/ {2,}/)).toHaveLength(8);
  });

  test("is what was left out, each reason with its number", () => {
    expect(textOf({})).toContain("\n40 questions of 40 users\n");
    expect(textOf({ leftOut: { onlyA: 1, onlyB: 2, failed: 3, noGold: 4 } })).toContain(
      "\n40 questions of 40 users; 1 only in A; 2 only in B; 3 failed in A or B and left out; 4 without gold\n",
    );
  });

  test("is the spread of either arm that was repeated", () => {
    expect(textOf({ metrics: [metric, { ...metric, name: "f1", spread: { a: 0.01, b: undefined } }] })).toContain(
      "\nsd between repeats: f1 A .010 B -\n",
    );
    expect(textOf({ metrics: [{ ...metric, spread: { a: undefined, b: 0.02 } }] })).toContain("accuracy A - B .020");
    expect(textOf({})).not.toContain("sd between");
  });

  test("is over how many lines the ps are corrected: those with a p, of all comparisons", () => {
    const second = { ...comparison, metrics: [metric, { ...metric, holm: undefined }] };
    expect(textOf({}, 0, [second])).toContain("corrected over the 2 lines with a p printed here");
  });

  test("is a warning where users have several questions, and one where labels are rare", () => {
    const crowded = "test takes questions as independent";
    expect(textOf({}, 0, [{ ...comparison, users: 39 }])).toContain(crowded);
    expect(textOf({})).not.toContain(crowded);
    expect(textOf({ metrics: [{ ...metric, sparseLabels: 1 }] })).toContain("intervals of accuracy may be too narrow");
    expect(textOf({})).not.toContain("too narrow and too low");
  });
});

describe("flipped questions", () => {
  const flip = (question: string, gain: boolean, reply = "no"): Flip => ({
    question,
    user: "u",
    gold: "yes",
    a: { reply, value: 0 },
    b: { reply: "yes", value: 1 },
    gain,
  });

  test("are listed by kind, the worse first, as many of each as asked for", () => {
    const flipped = [flip("g1", true), flip("l1", false), flip("g2", true), flip("g3", true)];
    expect(
      textOf({ flipped })
        .split("\n")
        .filter((line) => /^(B is| {2}question)/.test(line)),
    ).toEqual([
      "B is worse on 1 question:",
      '  question l1 · user u · gold "yes" · A "no" (.000) · B "yes" (1.000)',
      "B is better on 3 questions, the first 2:",
      expect.stringContaining("question g1 "),
      expect.stringContaining("question g2 "),
    ]);
    expect(textOf({ flipped: flipped.slice(0, 1) })).not.toContain("B is worse");
    expect(textOf({ flipped: flipped.slice(0, 1) }).split("\n")).toHaveLength(textOf({}).split("\n").length + 2);
    expect(textOf({ flipped }, 0)).not.toMatch(/^B is/m);
  });

  test("show replies on one line, and of long ones the start", () => {
    const shown = (reply: string) => /A "([^"]*)"/.exec(textOf({ flipped: [flip("q", true, reply)] }))?.[1];
    expect(shown("  a\n\n b\t c ")).toBe("a b c");
    expect(shown("x".repeat(60))).toBe("x".repeat(60));
    expect(shown("x".repeat(61))).toBe(`${"x".repeat(60)}...`);
  });
});
