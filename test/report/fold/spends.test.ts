import { expect, test } from "vitest";
import { Spends } from "../../../src/report/fold/spends.js";
import type { Spend } from "../../../src/types.js";

test("what records cost is read back as it was, however large or broken its numbers are", () => {
  const spends = new Spends();
  const all: Spend[] = [
    { answer: { calls: 1, in: 100, out: 2 } },
    { answer: { calls: 2, in: 3e9, out: 0.5, cacheRead: 2 ** 31 } },
    { summary: { calls: 1, in: -1, out: 0 }, answer: { calls: 0, in: 2 ** 53, out: 7, cacheWrite: 1.25 } },
    {},
  ];
  for (const [record, spend] of all.entries()) spends.set(record, spend);
  expect(all.map((_, record) => spends.of(record))).toEqual(all);
});
