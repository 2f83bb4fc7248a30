import { expect, test } from "vitest";
import { labelProbabilities, normalizedProbabilities } from "../../src/selectors/rums/entropy.js";
import type { TokenLogprob } from "../../src/types/index.js";

const token = (chosen: string, top: Readonly<Record<string, number>>): TokenLogprob => ({
  token: chosen,
  logprob: Math.log(top[chosen] ?? 1),
  top: Object.entries(top).map(([text, probability]) => ({ token: text, logprob: Math.log(probability) })),
});
const labels = ["comedy", "dark comedy", "thriller", "true story"];
const rounded = (probabilities: ReadonlyMap<string, number>) =>
  Object.fromEntries([...probabilities].map(([label, probability]) => [label, Number(probability.toFixed(6))]));

test("a beginning that one label has is that label; blanks, quotes and letter case do not count", () => {
  const found = labelProbabilities([token("com", { com: 0.5, ' "Dark': 0.3, zebra: 0.2 })], labels);
  expect(rounded(found.probabilities)).toEqual({ comedy: 0.5, "dark comedy": 0.3 });
  expect(found.unassigned).toBeCloseTo(0.2, 12);
  expect(normalizedProbabilities(found.probabilities)).toEqual([expect.closeTo(0.625, 9), expect.closeTo(0.375, 9)]);
});

test("a beginning that several probability is followed along the reply, and left as shared where the reply goes another way", () => {
  const first = token("t", { t: 0.8, com: 0.2 });
  const second = token("hri", { hri: 0.75, rue: 0.25 });
  expect(rounded(labelProbabilities([first, second], labels).probabilities)).toEqual({
    comedy: 0.2,
    thriller: 0.6,
    "true story": 0.2,
  });
  const { shared, probabilities } = labelProbabilities([token("com", { com: 0.2, t: 0.8 })], labels);
  expect(shared).toEqual([{ prefix: "t", probability: expect.closeTo(0.8, 9), labels: ["thriller", "true story"] }]);
  expect(rounded(probabilities)).toEqual({ comedy: 0.2 });
});

test("what stands behind a label's end is no other label, and a longer word is none", () => {
  const found = labelProbabilities([token("comedy.", { "comedy.": 0.6, comedian: 0.4 })], labels);
  expect(rounded(found.probabilities)).toEqual({ comedy: 0.6 });
});

test("a begun answer goes on from its prefix with its probability", () => {
  const found = labelProbabilities([token("hri", { hri: 0.5, rue: 0.5 })], labels, { prefix: "t", probability: 0.4 });
  expect(rounded(found.probabilities)).toEqual({ thriller: 0.2, "true story": 0.2 });
  expect(found.unassigned).toBeCloseTo(0, 9);
});

test("blanks alone mean every label, and stay shared at the end of the reply", () => {
  const { shared, unassigned: rest } = labelProbabilities([token(" ", { " ": 0.6, com: 0.4 })], labels);
  expect(shared).toEqual([{ prefix: " ", probability: expect.closeTo(0.6, 9), labels }]);
  expect(rest).toBeCloseTo(0, 9);
});

test("what is told along a reply is counted once: a followed beginning gives its probability to what comes behind it", () => {
  const [first, second] = [token("t", { t: 0.7, com: 0.1 }), token("hri", { hri: 0.5 })];
  const found = labelProbabilities([first, second], labels);
  expect(rounded(found.probabilities)).toEqual({ comedy: 0.1, thriller: 0.35 });
  expect(found.unassigned).toBeCloseTo(0.55, 9);
});

test("a label that another one begins with is meant where it ends, and shared where it may go on", () => {
  const nested = ["5", "50"];
  expect(rounded(labelProbabilities([token("5.", { "5.": 0.6, "50": 0.4 })], nested).probabilities)).toEqual({
    "5": 0.6,
    "50": 0.4,
  });
  expect(labelProbabilities([token("5", { "5": 1 })], nested).shared).toEqual([
    { prefix: "5", probability: expect.closeTo(1, 9), labels: nested },
  ]);
  const three = ["dark", "dark comedy", "war"];
  const shared = (text: string) =>
    labelProbabilities([token(text, { [text]: 1 })], three).shared.flatMap((one) => one.labels);
  expect([shared("dark"), shared("dark ")]).toEqual([
    ["dark", "dark comedy"],
    ["dark", "dark comedy"],
  ]);
  const meant = (text: string) => rounded(labelProbabilities([token(text, { [text]: 1 })], three).probabilities);
  expect([meant("dark c"), meant("dark!"), meant("dark comedy, I think")]).toEqual([
    { "dark comedy": 1 },
    { dark: 1 },
    { "dark comedy": 1 },
  ]);
});
