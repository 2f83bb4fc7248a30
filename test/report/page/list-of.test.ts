import { describe, expect, test } from "vitest";
import { plantedPage } from "../../../scripts/bench/html/planted-page.js";
import { fitting } from "../../../src/report/page/choose-rows.js";
import { listOf } from "../../../src/report/page/list-of.js";
import { orderRows } from "../../../src/report/page/pack-rows.js";
import type { Row } from "../../../src/types.js";

const material = {
  ...plantedPage({ questions: 60, methods: ["prompt", "rag", "pag"], promptWords: 20 }),
  over: "prompt",
};
const rows = orderRows(material);
const limits = { whole: 10, bytes: Number.POSITIVE_INFINITY, sample: 10 };

/** The rows of a list as `cell/question`. */
const shownIn = ({ rows: packed }: ReturnType<typeof listOf>): Set<string> =>
  new Set(packed.cell.map((cell, r) => `${packed.cells[cell]?.id}/${packed.questions[packed.question[r]!]}`));
const name = ({ cell, question }: Row): string => `${cell}/${question}`;
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
    const list = listOf(material, rows, { ...limits, whole: rows.length, bytes: 1 });
    expect(shownIn(list)).toEqual(new Set(rows.map(name)));
    expect(list.leftOut).toBeUndefined();
  });

  test("has, of a larger run, all that failed or flipped and a sample of the rest, in the run's order", () => {
    const list = listOf(material, rows, { ...limits, whole: rows.length - 1 });
    const shown = shownIn(list);
    for (const row of [...failed, ...flipped()]) expect(shown).toContain(name(row));
    expect(shown.size).toBe(rows.length - 1);
    expect([...shown]).toEqual(rows.map(name).filter((row) => shown.has(row)));
  });

  test("says how many of each kind it has and what it leaves out", () => {
    const text = listOf(material, rows, limits).leftOut?.text ?? "";
    expect(text).toMatch(/\d+ of 360 answers/);
    expect(text).toContain(`all ${failed.length} that failed`);
    expect(text).toContain(`all ${new Set(flipped()).size} that flipped`);
    expect(text).toMatch(/\d+ are left out here; tables and charts count all/);
  });

  test("is the same for the same seed, and another sample for another", () => {
    const listed = (seed: number) =>
      shownIn(
        listOf({ ...material, cells: material.cells.map((cell) => ({ ...cell, seed })) }, rows, {
          ...limits,
          whole: rows.length - 60,
        }),
      );
    expect(listed(0)).toEqual(listed(0));
    expect(listed(0)).not.toEqual(listed(1));
  });

  test("is no longer than what it may take", () => {
    for (const bytes of [10_000, 20_000]) {
      const list = listOf(material, rows, { ...limits, bytes });
      const size = [list.json, ...list.rowTexts, ...list.unitTexts].reduce((sum, { length }) => sum + length, 0);
      expect(size).toBeLessThanOrEqual(bytes);
      expect(size).toBeGreaterThan(bytes / 2);
    }
  });
});

test.each([
  [1000, 100, 1, 100],
  [50, 100, 1, 50],
  [1000, 100, 1000, 0],
])("of %i things, %i characters hold as many as fit where one takes %i", (count, most, each, expected) => {
  const { count: found, made } = fitting(count, most, (count) => ({ size: count * each }));
  expect(made.size).toBeLessThanOrEqual(most);
  expect(found).toBeLessThanOrEqual(expected);
  expect(found).toBeGreaterThanOrEqual(Math.floor(expected * 0.9));
});
