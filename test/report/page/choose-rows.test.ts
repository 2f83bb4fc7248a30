import { describe, expect, test } from "vitest";
import { type Limits, listedRows, orderRows } from "../../../src/report/page/rows.js";
import type { Row } from "../../../src/types.js";
import { plantedPage } from "../../helpers/planted-page.js";

const material = {
  ...plantedPage({ questions: 60, methods: ["prompt", "rag", "pag"], promptWords: 20 }),
  over: "prompt",
};
const rows = orderRows(material);
const limits: Limits = { whole: 10, failed: 1000, flipped: 1000, others: 10 };
const listed = (some = limits, seed = 0) =>
  listedRows({ ...material, rows, cells: material.cells.map((cell) => ({ ...cell, seed })) }, some);
const failed = rows.filter(({ outcome }) => outcome.kind === "failed");

/** Of the task with labels: rows that are right where `prompt` is not, or the other way round, and their other side. */
function flipped(): Row[] {
  const right = (row: Row): boolean => row.outcome.kind === "answered" && row.outcome.reply === row.gold;
  const scored = rows.filter(({ cell, outcome }) => cell.startsWith("lamp2m") && outcome.kind !== "failed");
  const plain = new Map(scored.filter(({ cell }) => cell === "lamp2m-prompt").map((row) => [row.question, row]));
  return scored.flatMap((row) => {
    const other = plain.get(row.question);
    return other === undefined || right(other) === right(row) ? [] : [row, other];
  });
}

describe("the list of answers", () => {
  test("has every row of a run up to a size, and says nothing then", () => {
    expect(listed({ ...limits, whole: rows.length })).toEqual({ rows });
  });

  test("has, of a larger run, all that failed or flipped and a sample of the rest, in the run's order, and says so", () => {
    const found = listed();
    const telling = new Set([...failed, ...flipped()]);
    expect(found.rows).toEqual(rows.filter((row) => found.rows.includes(row)));
    for (const row of telling) expect(found.rows).toContain(row);
    expect(found.rows).toHaveLength(telling.size + limits.others);
    const text = found.leftOut?.text ?? "";
    expect(text).toContain(`${found.rows.length} of 360 answers`);
    expect(text).toContain(`all ${failed.length} that failed`);
    expect(text).toContain(`all ${new Set(flipped()).size} that flipped`);
    expect(text).toContain(`10 of ${360 - telling.size} others, drawn with seed 0; tables and charts count all`);
  });

  test("has no more of a kind than it may have", () => {
    const few = listed({ ...limits, failed: 2, flipped: 3 });
    expect(few.rows).toHaveLength(2 + 3 + 10);
    expect(few.leftOut?.text).toContain(`2 of ${failed.length} that failed`);
  });

  test("is the same for the same seed, and another sample for another", () => {
    expect(listed().rows).toEqual(listed().rows);
    expect(listed().rows).not.toEqual(listed(limits, 1).rows);
  });
});
