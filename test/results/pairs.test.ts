import { describe, expect, test } from "vitest";
import { accuracy } from "../../src/metrics/accuracy.js";
import { macroF1 } from "../../src/metrics/macro.js";
import { mae } from "../../src/metrics/mae.js";
import { rouge1 } from "../../src/metrics/rouge.js";
import { isScored, lenientPairOf, memoized, pairOf } from "../../src/results/answers.js";
import type { Row } from "../../src/types/index.js";
import { answered, failed, row, unparsed } from "../helpers/summarized.js";

describe("of rows a metric", () => {
  const scored = (...rows: readonly Row[]) => rows.filter(isScored);

  test("sees those that were answered and have a gold", () => {
    const rows = [
      row("a", "5", answered("5")),
      row("b", "5", unparsed("so so")),
      row("c", "5", failed),
      row("d", undefined, answered("1")),
    ];
    expect(scored(...rows).map(({ user }) => user)).toEqual(["a", "b"]);
  });

  test("sees the reply as the official reading has it, or as the forgiving one has, and an unreadable one as empty", () => {
    const [read, saved, lost] = scored(
      row("a", "5", answered("4")),
      row("b", "5", unparsed("I say 3", "3")),
      row("c", "5", unparsed("so so")),
    );
    const texts = [read, saved, lost].map((one) => [pairOf(one!).prediction, lenientPairOf(one!).prediction]);
    expect(texts).toEqual([
      ["4", "4"],
      ["", "3"],
      ["", ""],
    ]);
  });
});

const LABELS = ["a cat sat", "a dog"];

test("a memoized metric adds what the metric does, to the same bit, and compares equal texts once", () => {
  const texts = ["a cat sat", "the cat sat on a mat", "", "a dog", "a cat sat"];
  const pairs = texts.flatMap((gold) => texts.map((prediction) => ({ gold, prediction })));
  for (const metric of [rouge1, accuracy(LABELS), macroF1(LABELS)]) {
    const [plain, known] = [metric, memoized(metric)].map((one) => {
      const sums = new Float64Array(metric.sumCount + 1);
      for (const pair of pairs) one.add(pair, sums, 1);
      return sums;
    });
    expect(known).toEqual(plain);
    expect(Object.keys(memoized(metric))).toEqual(Object.keys(metric)); // every field of it
  }
  let asked = 0;
  const counted = memoized({
    ...mae,
    add: () => {
      asked += 1;
    },
  });
  for (const pair of pairs) counted.add(pair, new Float64Array(1));
  expect(asked).toBe(new Set(texts).size ** 2);
});
