import { expect, test } from "vitest";
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
const wilcoxon: MetricComparison["overQuestions"] = { name: "wilcoxon", p: 0.5, effect: -0.3 };
const second = { ...metric, name: "f1" };
const flip = (question: string, gain: boolean, reply = "no"): Flip => ({
  question,
  user: "u",
  gold: "yes",
  a: { reply, value: 0 },
  b: { reply: "yes", value: 1 },
  gain,
});

const texts: Readonly<Record<string, string>> = {
  "not shown, all columns": textOf({}),
  "not shown, the usual columns": textOf({}, 0, [], false),
  shown: textOf({ metrics: [{ ...metric, holm: 0.031 }] }),
  "shown, where less is better": textOf({ metrics: [{ ...metric, holm: 0.031, better: "lower" }] }),
  "no test": textOf({ metrics: [{ ...metric, overUsers: undefined, holm: undefined, power: undefined }] }),
  "ratings beside, with a difference that is not seen in its digits": textOf({
    metrics: [metric, { ...second, better: "lower", difference: -0.0001, overQuestions: wilcoxon }],
  }),
  "a metric of the corpus has no test over questions": textOf({
    metrics: [metric, { ...second, overQuestions: undefined }],
  }),
  "each reason why questions are left out": textOf({ leftOut: { onlyA: 1, onlyB: 2, failed: 3, noGold: 4 } }),
  "repeats of either arm": textOf({
    metrics: [
      { ...metric, spread: { a: undefined, b: 0.02 } },
      { ...second, spread: { a: 0.01, b: undefined } },
    ],
  }),
  "two comparisons, of users with several questions and of rare labels": textOf({}, 0, [
    {
      ...comparison,
      users: 39,
      metrics: [
        { ...metric, sparseLabels: 1 },
        { ...second, holm: undefined },
      ],
    },
  ]),
  "flipped questions, the first two of a kind": textOf({
    flipped: [flip("g1", true), flip("l1", false), flip("g2", true), flip("g3", true)],
  }),
  "one flipped question": textOf({ flipped: [flip("g1", true)] }),
};

test("the text of comparisons says what is shown, on what it rests, and which questions flipped", async () => {
  const all = Object.entries(texts).map(([what, text]) => `======== ${what}\n\n${text}\n`);
  await expect(all.join("\n")).toMatchFileSnapshot("./text.txt");
});

test("show replies on one line, and of long ones the start", () => {
  const shown = (reply: string) => /A "([^"]*)"/.exec(textOf({ flipped: [flip("q", true, reply)] }))?.[1];
  expect(shown("  a\n\n b\t c ")).toBe("a b c");
  expect(shown("x".repeat(60))).toBe("x".repeat(60));
  expect(shown("x".repeat(61))).toBe(`${"x".repeat(60)}...`);
});
