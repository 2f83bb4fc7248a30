import { describe, expect, test } from "vitest";
import { lengthTables } from "../../src/report/lengths.js";
import { summarize } from "../../src/report/summary.js";
import { renderText } from "../../src/report/tables/text.js";
import { tasks } from "../../src/tasks/index.js";
import type { Cell, Row } from "../../src/types/index.js";
import { noPrices } from "../helpers/priced.js";
import { answered, cell, failed, row } from "../helpers/summarized.js";

const cells = [
  cell({ id: "p", task: "longlamp-review", method: "prompt" }),
  cell({ id: "r", task: "longlamp-review", method: "rag" }),
];
const GOLD = "one two three four";
const cut = { incidents: { "answer-cut": 1 } };
const of = (id: string, user: string, outcome: Row["outcome"], over: Partial<Row> = {}): Row =>
  row(user, GOLD, outcome, { cell: id, question: `${user}-q`, ...over });

const summarized = (rows: readonly Row[], of: readonly Cell[]) =>
  summarize({ cells: of, task: (name) => tasks.get(name), rows, units: [], timings: [], prices: noPrices });
const tableOf = (rows: readonly Row[], more = cells) => {
  const [table] = lengthTables({
    summaries: summarized(rows, more),
    cells: more,
    rows,
    task: (name) => tasks.get(name),
    over: "prompt",
  });
  return table!;
};
const lineOf = (rows: readonly Row[], name: string) => tableOf(rows).rows.find(([method]) => method === name);

describe("lengths of long texts", () => {
  const rows = [
    of("p", "a", answered("one two")),
    of("p", "b", answered("one two three four")),
    of("p", "c", answered("one two three four")),
    of("r", "a", answered("one two three four")),
    of("r", "b", answered("one two three four five six seven eight"), cut),
    of("r", "c", answered("")),
    of("r", "d", failed),
  ];

  test("length by the gold's, share cut at the limit, and the mean without empty and failed answers", () => {
    const [, ratio, share, official, n] = lineOf(rows, "rag")!;
    expect([ratio, share, n]).toEqual([1, 1 / 3, 2]); // ratios 1, 2, 0; of three answers one was cut; two have a text
    expect(official).toBeCloseTo((1 + 2 / 3) / 2, 12); // ROUGE-1 of 4 of 4 words, and of 4 of 8
    const headline = summarized(rows, cells).find(({ method }) => method === "rag")!.metrics[0]!.strict;
    expect(headline).toBeCloseTo((1 + 2 / 3 + 0) / 3, 12); // the empty answer counts 0
  });

  test("the gain counts only questions whose two answers stopped by themselves", () => {
    expect(lineOf(rows, "rag")!.at(-1)).toBe(2); // a and c
    expect(lineOf(rows, "prompt")!.at(-1)).toBeUndefined();
  });

  test("of answers that another program asked for nobody knows whether they were cut: a dash", () => {
    const imported = rows.map((one): Row => ({ ...one, spendUnknown: true }));
    expect(lineOf(imported, "rag")!.slice(2, 3)).toEqual([undefined]);
    expect(renderText(tableOf(imported))).toMatch(/rag +1\.000 +- +\.833/);
  });

  test("the head names the data and marks the embedded model", () => {
    const simulated = rows.map((one): Row => ({ ...one, simulated: true }));
    expect([tableOf(rows).title, tableOf(simulated).title]).toEqual([
      "LongLaMP review · hand-made data · lengths",
      "LongLaMP review · hand-made data · lengths (SIMULATED)",
    ]);
  });

  test("tasks of short answers have no such table", () => {
    const short = [cell({ id: "p", task: "lamp4", method: "prompt" })];
    const all = { summaries: summarized([of("p", "a", answered("x"))], short), cells: short, rows: [] };
    expect(lengthTables({ ...all, task: (name) => tasks.get(name), over: "prompt" })).toEqual([]);
  });
});
