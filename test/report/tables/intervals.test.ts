import { describe, expect, test } from "vitest";
import type { Summary } from "../../../src/report/summary.js";
import { renderIntervals } from "../../../src/report/tables/intervals.js";
import type { Row } from "../../../src/types.js";
import { answered, only, row } from "../../helpers/summarized.js";

describe("the table of intervals", () => {
  const rated = (count: number, over: Partial<Row> = {}) =>
    Array.from({ length: count }, (_, i) => row(`u${i}`, "3", answered(String(1 + (i % 5))), over));
  const summary = (more: Partial<Summary>): Summary => ({ ...only({ rows: rated(12) }), ...more });

  test("has a line for every metric of every arm, by task and data, with a dash for what does not exist", () => {
    const few = only({ rows: rated(9) });
    const text = renderIntervals(
      [summary({}), { ...few, variant: "rag.k=4" }, summary({ dataset: "other", simulated: true })],
      "text",
    );
    const blocks = text.split("\n\n").map((block) => block.split("\n").map((line) => line.trim().split(/ {2,}/)));
    expect(blocks.map((block) => block.length)).toEqual([7, 5]);
    expect(blocks[0]?.[0]?.[0]).toMatch(/^lamp3 · data: hand-made · 95 % intervals of every metric/);
    expect(blocks.map(([heading]) => heading?.[0]?.includes("SIMULATED"))).toEqual([false, true]);
    expect(blocks[0]?.[1]).toEqual(["method", "metric", "score", "low", "high", "sd repeats", "lenient", "users", "n"]);
    expect(blocks[0]?.[3]?.slice(0, 3)).toEqual(["rag", "mae (down)", "1.250"]);
    expect(blocks[0]?.[3]?.slice(3, 5)).toEqual([
      expect.stringMatching(/^\.\d{3}$/),
      expect.stringMatching(/^[12]\.\d{3}$/),
    ]);
    expect(blocks[0]?.[3]?.slice(5)).toEqual(["-", "1.250", "12", "12"]);
    expect(blocks[0]?.[5]).toEqual(["rag (rag.k=4)", "mae (down)", "1.111", "-", "-", "-", "1.111", "9", "9"]);
  });

  test("warns of rare labels below it, and is Markdown under a heading where that is asked for", () => {
    const [metric] = summary({}).metrics;
    const sparse = summary({ metrics: [{ ...metric!, better: "higher", sparseLabels: 1, spread: 0.25 }] });
    const blocks = renderIntervals([sparse], "markdown").split("\n\n");
    expect(blocks).toEqual([
      expect.stringMatching(/^### lamp3 · data/),
      expect.stringMatching(
        /^\| method \| metric \| score .*\n\| --- \| --- \| ---: .*\n\| rag \| mae \(up\) \| .* \| \.250 \| /,
      ),
      expect.stringMatching(/^intervals of mae may be too narrow/),
    ]);
    expect(renderIntervals([sparse], "text").split("\n").at(-1)).toMatch(/^intervals of mae/);
    expect(renderIntervals([], "text")).toBe("");
  });
});
