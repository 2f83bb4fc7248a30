import { describe, expect, test } from "vitest";
import { gainsOver } from "../../../src/report/gains.js";
import type { MetricSummary } from "../../../src/report/metric-summary.js";
import type { Summary } from "../../../src/report/summary.js";
import { type ColumnChoice, titleOf, withColumns } from "../../../src/report/table.js";
import { renderCsv } from "../../../src/report/tables/csv.js";
import { floorsOf, type Results, resultsTables, type TaskFacts } from "../../../src/report/tables/results.js";
import { resultsRecords } from "../../../src/report/tables/results-csv.js";
import { renderText } from "../../../src/report/tables/text.js";
import { tasks } from "../../../src/tasks/index.js";
import type { Row } from "../../../src/types/index.js";
import { answered, handMade } from "../../helpers/chart-material.js";
import { textsOf } from "../../helpers/table-texts.js";

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
const titled = (results: Results, choice: ColumnChoice = {}) => {
  const [table] = withColumns(resultsTables(results), choice);
  const titles = table!.columns.map(titleOf);
  return textsOf(table!).map((texts) => Object.fromEntries(texts.map((text, c) => [titles[c], text])));
};
/** The cells of the one line of a method's table. */
const cellsOf = (one: Summary, choice?: ColumnChoice) => titled(of([one]), choice)[0]!;

describe("a line of the results", () => {
  test("shows the score with its interval, n, tokens with preparation, and cost; the rest is wide", () => {
    expect(cellsOf(summary())).toEqual({
      method: "rag",
      "accuracy [95 %]": ".500 [.250, .625]",
      lenient: ".750",
      n: "8",
      unparsed: "1",
      "tok/q": "1,240",
      cost: "-",
    });
    expect(cellsOf(summary(), { wide: true })).toMatchObject({
      answered: "7",
      failed: "0",
      "calls/q": "1",
      "tok/q asking": "1,234",
    });
  });

  test("names unparsed and failed questions, the lenient reading and the cost of nothing only where they say something", () => {
    const counts = { questions: 8, answered: 8, unparsed: 0, failed: 0, unscored: 0, scored: 8 };
    const plain = summary({ counts, metrics: [{ ...accuracy, lenient: 0.5 }], simulated: true });
    expect(Object.keys(cellsOf(plain))).toEqual(["method", "accuracy [95 %]", "n", "tok/q"]);
    expect(cellsOf(summary({ counts: { ...counts, failed: 2 } })).failed).toBe("2*");
  });

  test("has at most eight columns, whatever it measures", () => {
    const more = ["f1", "precision", "recall"].map((name) => ({ ...accuracy, name }));
    const counts = { questions: 8, answered: 5, unparsed: 1, failed: 2, unscored: 0, scored: 6 };
    const crowded = summary({ repeats: 2, counts, metrics: [accuracy, ...more] });
    expect(Object.keys(cellsOf(crowded))).toEqual([
      "method",
      "accuracy [95 %]",
      "lenient",
      "n",
      "unparsed",
      "failed",
      "tok/q",
      "cost",
    ]);
  });

  test("shows a dash, never 0, for what does not exist", () => {
    const none = { ...nothing, strict: undefined };
    const cells = cellsOf(summary({ metrics: [none], callsPerQuery: undefined, tokens: undefined }), { wide: true });
    expect(cells).toMatchObject({ "accuracy [95 %]": "-", lenient: "-", "calls/q": "-", "tok/q": "-", cost: "-" });
  });

  test("shows a dash for the interval where there are too few users", () => {
    expect(cellsOf(summary({ metrics: [{ ...accuracy, interval: undefined }] }))["accuracy [95 %]"]).toBe(".500 [-]");
  });

  test("names the settings in which it differs", () => {
    expect(cellsOf(summary({ variant: "rag.k=8" })).method).toBe("rag (rag.k=8)");
  });

  test("shows the spread between repeats where there are repeats", () => {
    expect(cellsOf(summary())).not.toHaveProperty("sd");
    const cells = cellsOf(summary({ repeats: 2, metrics: [{ ...accuracy, spread: 0.0125 }] }));
    expect(cells.sd).toBe(".013");
  });

  test("shows the gain over another method, upwards, with its interval over users", () => {
    const miss = (user: number, question: number, gold: string) => answered(question > 0 || user < 6 ? "none" : gold);
    const two = handMade([{ method: "prompt", outcome: miss }, { method: "rag" }]);
    const [prompt, rag] = titled({ ...two, gains: gainsOver("prompt", two) });
    expect(prompt).toMatchObject({ "gain over prompt [95 %]": "-" });
    expect(rag?.["gain over prompt [95 %]"]).toMatch(/^\+\.833 \[\+\.\d{3}, \+\.\d{3}\]$/);
    expect(titled({ ...two, gains: gainsOver("icl", two) })[0]).not.toHaveProperty("gain over icl [95 %]");
  });
});

describe("around the table", () => {
  const text = (one: Summary, about = facts) => renderText(...resultsTables(of([one], [about]), { detail: true }));

  test("stand task, data, model, users and questions, beside the paper's; settings below", () => {
    expect(text(summary())).toMatch(
      /^LaMP-2M · hand-made data · m\/one · 4 users, 8 questions \(PersonaAgent: 300\)$/m,
    );
    expect(text(summary())).toMatch(/^settings: others: none$/m);
  });

  test("simulated numbers say so, real ones do not", () => {
    expect(text(summary({ simulated: true })).split("\n")[0]).toMatch(/SIMULATED/);
    expect(text(summary())).not.toMatch(/SIMULATED/);
  });

  test("failed and unscored questions and incidents are footnotes", () => {
    const counts = { questions: 8, answered: 5, unparsed: 0, failed: 3, unscored: 2, scored: 3 };
    const shown = text(summary({ counts, incidents: { "tool-failed": 2 } }));
    expect(shown).toMatch(/^\* rag: 3 of 8 failed and are not in the scores/m);
    expect(shown).toMatch(/^rag: 2 answered questions have no gold and are not scored/m);
    expect(shown).toMatch(/^rag: tool-failed 2/m);
  });

  test("the majority label is the last line; an arm below it is marked and named", () => {
    const about = { ...facts, floor: { name: "majority label", count: 8, values: { accuracy: 0.5 } } };
    const worse = summary({ method: "icl", metrics: [{ ...accuracy, strict: 0.25 }] });
    const results = of([summary(), worse], [about]);
    expect(titled(results).map((line) => [line.method, line["accuracy [95 %]"], line.n])).toEqual([
      ["rag", ".500 [.250, .625]", "8"],
      ["icl", ".250! [.250, .625]", "8"],
      ["(majority label)", ".500 [-]", "8"],
    ]);
    expect(resultsTables(results)[0]?.notes).toContain("! below the majority label: icl");
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

  test("settings and warnings that all tasks share are said once", () => {
    const both = [facts, { ...facts, task: "lamp3", title: "LaMP-3: ratings" }].map((about) => ({
      ...about,
      warnings: ["EDITED"],
    }));
    const text = renderText(...resultsTables(of([summary(), summary({ task: "lamp3" })], both)));
    expect(
      [text.match(/settings: others: none/g), text.match(/warning: EDITED/g)].map((found) => found?.length),
    ).toEqual([1, 1]);
  });

  test("each task has its own table", () => {
    const other = { ...facts, task: "lamp3", title: "LaMP-3: ratings" };
    expect(resultsTables(of([summary(), summary({ task: "lamp3" })], [facts, other]))).toHaveLength(2);
  });

  test("seconds are a wide column, and only where a call was sent", () => {
    expect(cellsOf(summary(), { wide: true })).not.toHaveProperty("s/q");
    expect(cellsOf(summary({ secondsPerQuery: 1.5 }), { wide: true })["s/q"]).toBe("1.5");
  });
});

describe("the CSV", () => {
  test("has a head, and a line for each metric", () => {
    const f1 = { ...accuracy, name: "f1" };
    const [head, ...lines] = renderCsv(resultsRecords([summary({ metrics: [accuracy, f1] })], true))
      .trimEnd()
      .split("\n");
    expect(head).toMatch(/^task,dataset,method,variant,model,simulated,metric,better,strict,low95,high95/);
    expect(lines.map((line) => line.split(",")[6])).toEqual(["accuracy", "f1"]);
    expect(new Set(lines.map((line) => line.split(",").length)).size).toBe(1);
  });

  test("leaves cells without a value empty, and writes 0 for zero", () => {
    const [head, missing, zero] = renderCsv(
      resultsRecords([summary({ metrics: [nothing] }), summary({ metrics: [{ ...accuracy, strict: 0 }] })], true),
    )
      .split("\n")
      .map((line) => line.split(","));
    const strict = head!.indexOf("strict"); // the head is always there
    expect([missing?.[strict], zero?.[strict]]).toEqual(["", "0"]);
  });

  test("of a sweep has its axes as columns, but those that are columns anyway", () => {
    const axes = { knobs: ["method", "rag.k"], of: () => ({ method: "rag", "rag.k": 4 }) };
    const [head, line] = renderCsv(resultsRecords([summary({ metrics: [accuracy] })], true, { axes })).split("\n");
    const columns = head!.split(",");
    expect(line?.split(",")[columns.indexOf("rag.k")]).toBe("4");
    expect(columns.filter((column) => column === "method")).toHaveLength(1);
  });

  test("quotes commas, quotes and line ends, and disarms formulas", () => {
    const shown = renderCsv(resultsRecords([summary({ variant: 'a,"b"\nc', dataset: "=HYPERLINK(1)" })], true));
    expect(shown).toContain('"a,""b""\nc"');
    expect(shown).toContain("'=HYPERLINK(1)");
  });

  test("marks simulated numbers on every line", () => {
    expect(renderCsv(resultsRecords([summary({ simulated: true })], true)).split("\n")[1]).toMatch(/,SIMULATED,/);
  });

  test("marks the numbers of a run that has not ended on every line", () => {
    const [head, line] = renderCsv(resultsRecords([summary({})], false)).split("\n");
    expect([head?.split(",").at(-1), line?.split(",").at(-1)]).toEqual(["complete", "PARTIAL"]);
    expect(renderCsv(resultsRecords([summary({})], true))).not.toContain("PARTIAL");
  });
});
