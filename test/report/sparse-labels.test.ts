import { expect, test } from "vitest";
import { accuracy, macroF1 } from "../../src/metrics/index.js";
import { sparseLabelRemarks, sparseLabels } from "../../src/report/sparse-labels.js";
import { summarize } from "../../src/report/summary.js";
import { resultsTables } from "../../src/report/tables/results.js";
import { tasks } from "../../src/tasks/index.js";
import { noPrices } from "../helpers/priced.js";

const labels = ["a", "b", "c", "d"];
const golds = [...Array<string>(5).fill("a"), ...Array<string>(4).fill("b"), "c", "elsewhere"];

test("labels that occur fewer than five times as gold are rare, those that never do are not", () => {
  expect(sparseLabels(macroF1(labels), () => golds)).toEqual({ sparseLabels: 2 });
  expect(sparseLabels(macroF1(labels), () => Array<string>(5).fill("a"))).toEqual({});
  expect(sparseLabels(accuracy(labels), () => golds)).toEqual({});
});

test("one line names the metrics and how many labels", () => {
  const remarks = sparseLabelRemarks([
    { name: "accuracy" },
    { name: "f1", sparseLabels: 1 },
    { name: "f1", sparseLabels: 3 },
  ]);
  expect(remarks).toEqual(["intervals of f1 may be too narrow and too low: 3 labels have fewer than 5 gold answers"]);
  expect(sparseLabelRemarks([{ name: "accuracy" }])).toEqual([]);
});

test("a question counts once, however often it was asked, and the wide table says so", () => {
  const task = tasks.get("lamp2m");
  const cells = [0, 1].map((repeat) => ({
    id: `c${repeat}`,
    task: task.name,
    dataset: "d",
    method: "rag",
    model: "x/y",
    options: {},
    repeat,
    seed: 0,
  }));
  const rows = cells.flatMap(({ id }) =>
    Array.from({ length: 24 }, (_, q) => ({
      cell: id,
      user: `u${q % 12}`,
      unit: `u${q % 12}`,
      question: `q${q}`,
      gold: task.labels[q < 20 ? 0 : 1]!,
      outcome: { kind: "answered" as const, reply: task.labels[q % 2]! },
      spend: {},
      incidents: {},
    })),
  );
  const summaries = summarize({ cells, task: () => task, rows, units: [], timings: [], prices: noPrices });
  expect(summaries[0]!.metrics.map(({ sparseLabels: rare }) => rare)).toContain(1);
  const once = { cells: cells.slice(0, 1), rows: rows.filter(({ cell }) => cell === "c0") };
  const [alone] = summarize({ ...once, task: () => task, units: [], timings: [], prices: noPrices });
  expect(alone!.metrics.map(({ sparseLabels: rare }) => rare)).toContain(1);
  const facts = [{ task: task.name, title: task.title, dataset: "d", remarks: [] }];
  const [table] = resultsTables({ summaries, facts }, { detail: true });
  expect(table?.notes?.join()).toContain("1 label has fewer than 5 gold answers");
});
