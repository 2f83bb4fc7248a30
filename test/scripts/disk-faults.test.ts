import { afterAll, beforeAll, expect, test } from "vitest";
import { type Bench, fullAt, openBench, refusedAt } from "../../scripts/faults/disk.js";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

const spread = (end: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => Math.floor((i * end) / count));

test("a run on a disk that fills up ends in one line, and the same command goes on to the same records and tables", async () => {
  expect((await fullAt(bench, spread(bench.bytes, 6))).offences).toEqual([]);
});

test.each(["EROFS", "EIO", "short"] as const)(
  "and so does one of whose calls to the disk any is answered by %s",
  async (fault) => {
    expect((await refusedAt(bench, spread(bench.changes, 5), fault)).offences).toEqual([]);
  },
);
