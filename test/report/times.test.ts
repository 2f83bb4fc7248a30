import { expect, test } from "vitest";
import { answered, only, row } from "../helpers/summarized.js";

const rows = [row("a", "5", answered("5")), row("b", "5", answered("5"))];
const time = (cell: string) => ({ cell, unit: "a", question: "q", ms: 1000, fromStore: false });

test("times that a run never kept are not told as lost", () => {
  expect(only({ rows, timings: [] })).not.toHaveProperty("untimed");
  expect(only({ rows, timings: [time("c0")] }).untimed).toBe(1);
  expect(only({ rows, timings: [], timed: true }).untimed).toBe(2);
});

test("predictions that were imported have no times to lose, also where other arms of the run have some", () => {
  const imported = rows.map((one) => ({ ...one, spend: {}, spendUnknown: true as const }));
  expect(only({ rows: imported, timings: [time("another")] })).not.toHaveProperty("untimed");
});
