import { describe, expect, test } from "vitest";
import type { MetricSummary } from "../../../src/report/metric-summary.js";
import type { Summary } from "../../../src/report/summary.js";
import { renderCsv } from "../../../src/report/tables/csv.js";
import { renderResults, renderSpeed, type TaskFacts } from "../../../src/report/tables/results.js";
import { resultsRecords } from "../../../src/report/tables/results-csv.js";

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

/** The cells of the one line of a method's table. */
function cellsOf(one: Summary): Record<string, string> {
  const lines = renderResults({ summaries: [one], facts: [facts] }, "markdown").split("\n");
  const [head, , line] = lines.filter((text) => text.startsWith("|")).map((text) => text.split(" | "));
  const bare = (text: string | undefined) => (text ?? "").replace(/^\| | \|$/g, "");
  return Object.fromEntries(head!.map((title, i) => [bare(title), bare(line![i])])); // a table has a head and a line
}

describe("a line of the results", () => {
  test("shows the score with its interval, both readings, counts and costs", () => {
    expect(cellsOf(summary())).toMatchObject({
      method: "rag",
      "accuracy [95 %]": ".500 [.250, .625]",
      lenient: ".750",
      n: "8",
      "ok/unparsed/failed": "7/1/0",
      "calls/q": "1",
      "tok/q": "1,234",
      cost: "-",
    });
  });

  test("shows a dash, never 0, for what does not exist", () => {
    const none = { ...nothing, strict: undefined };
    const cells = cellsOf(summary({ metrics: [none], callsPerQuery: undefined, tokensPerQuery: undefined }));
    expect(cells).toMatchObject({ "accuracy [95 %]": "- [-]", lenient: "-", "calls/q": "-", "tok/q": "-", cost: "-" });
  });

  test("shows a dash for the interval where there are too few users", () => {
    expect(cellsOf(summary({ metrics: [{ ...accuracy, interval: undefined }] }))["accuracy [95 %]"]).toBe(".500 [-]");
  });

  test("names the settings in which it differs", () => {
    expect(cellsOf(summary({ variant: "rag.k=8" })).method).toBe("rag (rag.k=8)");
  });

  test("shows the spread between repeats where there are repeats", () => {
    expect(cellsOf(summary())).not.toHaveProperty("sd repeats");
    const cells = cellsOf(summary({ repeats: 2, metrics: [{ ...accuracy, spread: 0.0125 }] }));
    expect(cells["sd repeats"]).toBe(".013");
  });
});

describe("around the table", () => {
  const text = (one: Summary, about = facts) => renderResults({ summaries: [one], facts: [about] }, "text");

  test("stand data, model, users, our n beside the paper's, and remarks", () => {
    expect(text(summary())).toMatch(/LaMP-2M: movie tags · data: hand-made · model: m\/one$/m);
    expect(text(summary())).toMatch(/4 users; n=8, paper n=300 \(derived\): different sample; others: none/);
  });

  test("simulated numbers say so, real ones do not", () => {
    expect(text(summary({ simulated: true })).split("\n")[0]).toMatch(/SIMULATED/);
    expect(text(summary())).not.toMatch(/SIMULATED/);
  });

  test("failed and unscored questions and incidents are footnotes", () => {
    const counts = { questions: 8, answered: 5, unparsed: 0, failed: 3, unscored: 2, scored: 3 };
    const shown = text(summary({ counts, incidents: { "tool-failed": 2 } }));
    expect(shown).toMatch(/5\/0\/3\*/);
    expect(shown).toMatch(/^\* rag: 3 of 8 failed and are not in the scores/m);
    expect(shown).toMatch(/^rag: 2 answered questions have no gold and are not scored/m);
    expect(shown).toMatch(/^rag: tool-failed 2/m);
  });

  test("the floor of the most frequent label is the last line, with as many cells as the others", () => {
    const about = { ...facts, floor: { count: 8, values: { accuracy: 0.125 } } };
    for (const repeats of [1, 2]) {
      const shown = renderResults({ summaries: [summary({ repeats })], facts: [about] }, "markdown");
      const lines = shown.split("\n").filter((line) => line.startsWith("|"));
      expect(lines.at(-1)).toMatch(/majority label.* \.125 .* 8 /);
      expect(new Set(lines.map((line) => line.split("|").length)).size).toBe(1);
    }
  });

  test("each task has its own table", () => {
    const other = { ...facts, task: "lamp3", title: "LaMP-3: ratings" };
    const shown = renderResults({ summaries: [summary(), summary({ task: "lamp3" })], facts: [facts, other] }, "text");
    expect(shown.match(/^LaMP-/gm)).toHaveLength(2);
  });

  test("seconds stand apart, and only where a call was sent", () => {
    expect(renderSpeed([summary()])).toBeUndefined();
    expect(renderSpeed([summary({ secondsPerQuery: 1.5 })])).toBe("median seconds per question: lamp2m rag 1.5");
    expect(renderSpeed([summary({ untimed: 2 }), summary({ untimed: 1 })])).toBe(
      "questions whose time is lost, its record was damaged: 3",
    );
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
    const [head, line] = renderCsv(resultsRecords([summary({ metrics: [accuracy] })], true, axes)).split("\n");
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
