import { expect, test } from "vitest";
import { withColumns } from "../../../src/report/table.js";
import { renderCsv } from "../../../src/report/tables/csv.js";
import { floorsOf, type Results, resultsTables, type TaskFacts } from "../../../src/report/tables/results.js";
import { resultsRecords } from "../../../src/report/tables/results-csv.js";
import { renderText } from "../../../src/report/tables/text.js";
import { gainsOver } from "../../../src/results/gains.js";
import type { MetricSummary } from "../../../src/results/metric-summary.js";
import type { Summary } from "../../../src/results/summary.js";
import { tasks } from "../../../src/tasks/index.js";
import type { Row } from "../../../src/types/index.js";
import { answered, handMade } from "../../helpers/chart-material.js";

const accuracy: MetricSummary = {
  name: "accuracy",
  title: "accuracy",
  better: "higher",
  strict: 0.5,
  lenient: 0.75,
  interval: { low: 0.25, high: 0.625 },
  spread: undefined,
};

const summary = (over: Partial<Summary> = {}): Summary => ({
  task: "lamp2m",
  dataset: "hand-made",
  method: "rag",
  model: "m/one",
  variant: "",
  cells: [],
  repeats: 1,
  users: 4,
  counts: { questions: 8, answered: 7, unparsed: 1, failed: 0, unscored: 0, scored: 8 },
  metrics: [accuracy],
  callsPerQuery: 1,
  callsPerUser: 0,
  tokensPerQuery: 1234,
  tokensPerUser: 0,
  tokens: 1240,
  secondsPerQuery: undefined,
  usd: undefined,
  incidents: {},
  simulated: false,
  ...over,
});

const facts: TaskFacts = {
  task: "lamp2m",
  title: "LaMP-2M: movie tags",
  dataset: "hand-made",
  remarks: ["others: none"],
};
const nothing: MetricSummary = { ...accuracy, strict: undefined, lenient: undefined, interval: undefined };

const of = (summaries: readonly Summary[], about: readonly TaskFacts[] = [facts]): Results => ({
  summaries,
  facts: about,
});
const other: TaskFacts = { ...facts, task: "lamp3", title: "LaMP-3: ratings" };
const partly = { questions: 8, answered: 5, unparsed: 1, failed: 2, unscored: 2, scored: 4 };
const whole = { questions: 8, answered: 8, unparsed: 0, failed: 0, unscored: 0, scored: 8 };
const missing = (user: number, question: number, gold: string) => answered(question > 0 || user < 6 ? "none" : gold);
const two = handMade([{ method: "prompt", outcome: missing }, { method: "rag" }]);
const more = ["f1", "precision", "recall"].map((name) => ({ ...accuracy, name }));

const scenarios: Readonly<Record<string, Results>> = {
  "score with its interval, n, tokens with preparation, and cost": of([summary()]),
  "columns only where they say something": of([
    summary({ counts: whole, metrics: [{ ...accuracy, lenient: 0.5 }], simulated: true }),
  ]),
  "at most eight columns, with footnotes": of([
    summary({ repeats: 2, counts: partly, metrics: [accuracy, ...more], incidents: { "tool-failed": 2 } }),
  ]),
  "a dash, never 0, for what does not exist": of([
    summary({ metrics: [nothing], callsPerQuery: undefined, tokens: undefined }),
  ]),
  "too few users for an interval; settings that differ": of([
    summary({ metrics: [{ ...accuracy, interval: undefined }], variant: "rag.k=8" }),
  ]),
  "repeats; seconds": of([summary({ repeats: 2, metrics: [{ ...accuracy, spread: 0.0125 }], secondsPerQuery: 1.5 })]),
  "gain over another method": { ...two, gains: gainsOver("prompt", two) },
  "no gain over a method that is not there": { ...two, gains: gainsOver("icl", two) },
  "below the majority label": of(
    [summary(), summary({ method: "icl", metrics: [{ ...accuracy, strict: 0.25 }] })],
    [{ ...facts, floor: { name: "majority label", count: 8, values: { accuracy: 0.5 } } }],
  ),
  "two tasks with what they share said once": of(
    [summary(), summary({ task: "lamp3" })],
    [facts, other].map((about) => ({ ...about, warnings: ["EDITED"] })),
  ),
};

test("tables of results, as they are printed and with every column", async () => {
  const texts = Object.entries(scenarios).flatMap(([what, results]) => {
    const usual = withColumns(resultsTables(results, { detail: true }), {});
    const wide = withColumns(resultsTables(results), { wide: true });
    return [`======== ${what}\n`, renderText(...usual), "-------- wide\n", renderText(...wide), ""];
  });
  await expect(texts.join("\n")).toMatchFileSnapshot("./results.txt");
});

test("the majority label counts the questions that the arms are scored on", () => {
  const row = (question: string, gold: string, outcome: Row["outcome"], cell = "a"): Row => ({
    ...{ cell, user: "u", unit: "u", question, gold, outcome, spend: {}, incidents: {} },
  });
  const rows = [
    row("1", "5", answered("4")),
    row("1", "5", answered("5"), "b"),
    row("2", "3", answered("3")),
    row("3", "1", { kind: "failed", error: "busy" }),
  ];
  const { metrics } = tasks.get("lamp3");
  const floors = (answers: Record<string, string>) => floorsOf([{ name: "majority label", answers }], rows, metrics);
  expect(floors({ 1: "5", 2: "5", 3: "5", 4: "1" })).toMatchObject([{ count: 2, values: { mae: 1 } }]);
  expect(floors({ 4: "1" })).toEqual([]);
});

test("the CSV has a line for each metric, empty cells for what is missing, and marks on every line", async () => {
  const axes = { knobs: ["method", "rag.k"], of: () => ({ method: "rag", "rag.k": 4 }) };
  const texts = [
    renderCsv(
      resultsRecords([summary({ metrics: [accuracy, nothing, { ...accuracy, name: "f1", strict: 0 }] })], true),
    ),
    renderCsv(resultsRecords([summary()], true, { axes })),
    renderCsv(resultsRecords([summary({ variant: 'a,"b"\nc', dataset: "=HYPERLINK(1)", simulated: true })], true)),
    renderCsv(resultsRecords([summary()], false)),
  ];
  await expect(texts.join("\n")).toMatchFileSnapshot("./results-csv.txt");
});
