import { describe, expect, test } from "vitest";
import { renderSweep, sweepArms, sweepTables } from "../../src/report/sweep.js";
import type { Row } from "../../src/types.js";
import { answered, type HandMadeArm, handMade } from "../helpers/chart-material.js";

const sweep = { kind: "ablation", axes: [{ knob: "method", values: ["full", "part"], base: "full" }] } as const;
const failed = () => ({ kind: "failed", error: "no" }) as const;
const worse: HandMadeArm = {
  method: "worse",
  outcome: (user, _, gold) => (user < 8 ? answered(gold === "comedy" ? "sci-fi" : "comedy") : answered(gold)),
};

const ablation = (...arms: HandMadeArm[]) => ({ ...handMade([{ method: "full" }, ...arms]), sweep });

describe("the table of an ablation", () => {
  test("has each part as a difference to the full method", () => {
    const [table] = sweepTables(ablation(worse));
    expect(table?.table.rows.map((row) => row.slice(0, 3))).toMatchObject([
      ["full", expect.stringMatching(/^1\.000 \[/), "-"],
      ["worse", expect.stringMatching(/^\.333 \[/), expect.stringMatching(/^-\.667 \[/)],
    ]);
    expect(table?.table.rows[1]?.[4]).toBe("0/4/8");
    expect(table?.title).toContain("SIMULATED (embedded model, not comparable with a paper)");
  });

  test("has a dash for a part without an answer in common, and does not count it among the comparisons", () => {
    const [found] = sweepTables(ablation(worse, { method: "absent", outcome: failed }));
    expect(found?.table.rows[2]?.slice(0, 5)).toEqual(["absent", "- [-]", "-", "-", "-"]);
    expect(found?.notes).toEqual([expect.stringMatching(/p over 1 comparison$/)]);
    expect(found?.table.rows[1]).toEqual(sweepTables(ablation(worse))[0]?.table.rows[1]);
  });

  test("compares a part that lacks a knob with the full method at each place of it", () => {
    const knob = { knob: "memory.k", values: [2, 4], base: 2 };
    const places = [2, 4].map((k) => ({ method: "full", options: { "memory.k": k } }));
    const material = handMade([...places, worse]);
    const tables = sweepTables({ ...material, sweep: { kind: "ablation", axes: [...sweep.axes, knob] } });
    expect(tables.slice(0, 2).map(({ table }) => table.rows[1]?.[2])).toEqual([
      expect.stringMatching(/^-\.667/),
      expect.stringMatching(/^-\.667/),
    ]);
    expect(tables[0]?.notes[0]).toContain("p over 2 comparisons");
  });

  test("is refused for parts of different data, and never a dash", () => {
    const material = ablation(worse);
    const other = (row: Row): Row => (row.cell === "c1" ? { ...row, gold: `another ${row.gold}` } : row);
    expect(() => renderSweep({ ...material, rows: material.rows.map(other) }, "text")).toThrow(
      /question q0: its gold is .* different data/,
    );
  });
});

/** Rows without their amounts: method, places on the axes, score. */
const placesOf = (rows: readonly (readonly string[])[] | undefined, knobs = 1) =>
  rows?.map((row) => row.slice(0, knobs + 1));

describe("the tables of a scaling", () => {
  const axes = [
    { knob: "rag.k", values: [1, 4, 2], base: 2 },
    { knob: "temperature", values: [0.1, 0.5], base: 0.1 },
  ];
  const at = (k: number, temperature: number) => ({ method: "rag", options: { "rag.k": k, temperature } });
  const arms = [at(2, 0.1), at(2, 0.5), at(4, 0.1), at(1, 0.1), { method: "plain", options: { temperature: 0.1 } }];
  const scaling = { kind: "scaling", axes } as const;
  const [byK, byTemperature, ...more] = sweepTables({ ...handMade(arms), sweep: scaling });

  test("have the points of one axis each, where the others stand at their base, in the order of the axis", () => {
    expect(more).toEqual([]);
    expect([byK, byTemperature].map((table) => table?.title.split(" · ")[0])).toEqual([
      expect.stringMatching(/^rag\.k on LaMP-2M/),
      expect.stringMatching(/^temperature on LaMP-2M/),
    ]);
    expect(placesOf(byK?.table.rows)).toEqual([
      ["plain", "-"],
      ["rag", "1"],
      ["rag", "4"],
      ["rag", "2"],
    ]);
    expect(placesOf(byTemperature?.table.rows)).toEqual([
      ["rag", "0.1"],
      ["plain", "0.1"],
      ["rag", "0.5"],
    ]);
    expect([byK, byTemperature].map((table) => table?.notes)).toEqual([["held: temperature=0.1"], ["held: rag.k=2"]]);
  });

  test("have the score with its interval, and what a question and a user cost", () => {
    expect(byK?.table.columns.map(({ title }) => title)).toEqual([
      "method",
      "rag.k",
      "accuracy [95 %]",
      "n",
      "calls/q",
      "calls/user",
      "tok/q",
      "tok/user",
      "cost",
    ]);
    const half: HandMadeArm = { ...at(2, 0.1), outcome: (user, _, gold) => answered(user % 2 === 0 ? gold : "none") };
    const [table] = sweepTables({ ...handMade([half, at(4, 0.1)]), sweep: scaling });
    expect(table?.table.rows[1]).toEqual([
      "rag",
      "2",
      expect.stringMatching(/^\.500 \[\.\d{3}, \.\d{3}\]$/),
      "36",
      "1",
      "-",
      "100",
      "-",
      "-",
    ]);
  });

  test("are of one task each, and none is made of a task whose arms have no place on the axis", () => {
    const plain = { task: "lamp2n", method: "plain" };
    const tables = sweepTables({ ...handMade([...arms, plain]), sweep: { kind: "scaling", axes: axes.slice(0, 1) } });
    expect(tables.map(({ title }) => title.slice(0, 16))).toEqual(["rag.k on LaMP-2M"]);
    const both = handMade([...arms, { ...at(1, 0.1), task: "lamp2n" }]);
    const shown = sweepTables({ ...both, sweep: { kind: "scaling", axes: axes.slice(0, 1) } });
    expect(shown.map(({ table }) => table.rows.length)).toEqual([5, 1]);
    const elsewhere = both.facts.map((fact) => ({ ...fact, dataset: "another" }));
    expect(sweepTables({ ...both, facts: elsewhere, sweep: scaling })).toEqual([]);
  });

  test("are marked as simulated where one of their arms is", () => {
    expect(byK?.title).toContain("SIMULATED");
    const real = handMade(arms);
    const summaries = real.summaries.map((summary) => ({ ...summary, simulated: false }));
    expect(sweepTables({ ...real, summaries, sweep: scaling })[0]?.title).not.toContain("SIMULATED");
  });
});

describe("a grid", () => {
  const axes = [
    { knob: "rag.k", values: [1, 2], base: 1 },
    { knob: "temperature", values: [0.5, 0.1], base: 0.1 },
  ];
  const arms = [
    [2, 0.1],
    [1, 0.1],
    [2, 0.5],
    [1, 0.5],
  ].map(([k, temperature]) => ({ method: "rag", options: { "rag.k": k!, temperature: temperature! } }));
  const material = { ...handMade(arms), sweep: { kind: "grid", axes } as const };

  test("is one table of all points, ordered by one axis and then by the other", () => {
    const [table, ...more] = sweepTables(material);
    expect(more).toEqual([]);
    expect(table?.title).toMatch(/^rag\.k x temperature on /);
    expect(placesOf(table?.table.rows, 2)).toEqual([
      ["rag", "1", "0.5"],
      ["rag", "1", "0.1"],
      ["rag", "2", "0.5"],
      ["rag", "2", "0.1"],
    ]);
    expect(table?.notes).toEqual([]);
  });

  test("is printed with its title, and in Markdown under a heading", () => {
    expect(renderSweep(material, "text")).toMatch(/^rag\.k x temperature on .*\nmethod +rag\.k /);
    expect(renderSweep(material, "markdown")).toMatch(/^### rag\.k x temperature on .*\n\n\| method \| rag\.k \|/);
  });
});

describe("backbones", () => {
  const axis = (values: readonly string[]) => ({ kind: "backbones", axes: [{ knob: "model", values }] }) as const;
  const on = (model: string) => ({ method: "rag", model });

  test("have a line a model, in the order asked for", () => {
    const [table] = sweepTables({ ...handMade([on("b/y"), on("a/x")]), sweep: axis(["a/x", "b/y"]) });
    expect(placesOf(table?.table.rows)).toEqual([
      ["rag", "a/x"],
      ["rag", "b/y"],
    ]);
    expect(table?.notes).toEqual([]);
  });

  test("of one model only say how more are compared", () => {
    const [table] = sweepTables({ ...handMade([on("a/x")]), sweep: axis(["a/x"]) });
    expect(table?.notes).toEqual([expect.stringMatching(/^one model only/)]);
  });
});

describe("an ablation on several models, tasks and places", () => {
  test("compares each part with the full method on its own model and task only", () => {
    const on = (model: string) => [
      { method: "full", model },
      { ...worse, model },
    ];
    const tables = sweepTables({
      ...handMade([...on("a/x"), ...on("b/y"), { method: "full", task: "lamp2n" }]),
      sweep,
    });
    expect(tables.map(({ title }) => title.replace(/ · SIM.*/, ""))).toEqual([
      expect.stringMatching(/^ablation of full on LaMP-2M.* · a\/x$/),
      expect.stringMatching(/^ablation of full on LaMP-2M.* · b\/y$/),
      expect.stringMatching(/^ablation of full on LaMP-2N.* · m\/one$/),
    ]);
    expect(tables.map(({ table }) => table.rows.map(([method]) => method))).toEqual([
      ["full", "worse"],
      ["full", "worse"],
      ["full"],
    ]);
    expect(tables[0]?.notes[0]).toContain("p over 2 comparisons");
    expect(sweepTables(ablation(worse))[0]?.title).not.toContain("m/one");
  });

  test("says which way is worse, and shows a difference with its interval and its amounts", () => {
    const [found] = sweepTables(ablation(worse));
    expect(found?.notes[0]).toMatch(/^a delta below 0 is worse; W\/T\/L: .*; p over 1 comparison$/);
    expect(found?.table.columns.map(({ title }) => title)).toEqual([
      "method",
      "accuracy [95 %]",
      "delta to full [95 %]",
      "p Holm",
      "W/T/L",
      "calls/user",
      "tok/user",
      "cost",
    ]);
    expect(found?.table.rows[0]).toEqual(["full", expect.any(String), "-", "-", "-", "-", "-", "-"]);
    expect(found?.table.rows[1]?.slice(2, 4)).toEqual([
      expect.stringMatching(/^-\.667 \[-[\d.]+, -\.\d{3}\]$/),
      expect.stringMatching(/^(<?\.\d+)$/),
    ]);
    const ratings = (method: string, reply: string): HandMadeArm => ({
      method,
      task: "lamp3",
      outcome: () => answered(reply),
    });
    const material = handMade([ratings("full", "1"), ratings("part", "5")]);
    const [rated] = sweepTables({ ...material, sweep });
    expect(rated?.notes[0]).toMatch(/^a delta above 0 is worse/);
    expect(rated?.table.rows[1]?.[2]).toMatch(/^\+2\.000 \[/);
  });

  test("has a table of all points besides where another knob moves too", () => {
    const knob = { knob: "memory.k", values: [2, 4], base: 2 };
    const places = [2, 4].flatMap((k) => ["full", "part"].map((method) => ({ method, options: { "memory.k": k } })));
    const tables = sweepTables({ ...handMade(places), sweep: { kind: "ablation", axes: [...sweep.axes, knob] } });
    expect(tables.map(({ table }) => table.rows.length)).toEqual([2, 2, 4]);
    expect(tables[2]?.title).toMatch(/^method x memory\.k on /);
    expect(placesOf(tables[2]?.table.rows)).toEqual([
      ["full", "2"],
      ["part", "2"],
      ["full", "4"],
      ["part", "4"],
    ]);
    expect(sweepTables(ablation(worse))).toHaveLength(1);
  });
});

test("an arm stands where its settings put it, and nowhere on an axis that it does not have", () => {
  const axes = [
    { knob: "method", values: ["rag"] },
    { knob: "model", values: ["a/x"] },
    { knob: "rag.k", values: [1] },
  ];
  const material = {
    ...handMade([{ method: "rag", model: "a/x", options: { "rag.k": 1 } }, { method: "plain" }]),
    sweep: { kind: "grid", axes } as const,
  };
  expect(sweepArms(material)).toEqual([
    { task: "lamp2m", method: "rag", model: "a/x", axes: { method: "rag", model: "a/x", "rag.k": 1 }, cells: ["c0"] },
    { task: "lamp2m", method: "plain", model: "m/one", axes: { method: "plain", model: "m/one" }, cells: ["c1"] },
  ]);
  expect(sweepArms({ ...material, cells: [] }).map((arm) => arm.axes)).toEqual([{}, {}]);
});
