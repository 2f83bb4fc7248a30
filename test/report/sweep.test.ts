import { describe, expect, test } from "vitest";
import { type SweepMaterial, sweepTables as tablesOf } from "../../src/report/sweep.js";
import type { Row } from "../../src/types/index.js";
import { answered, type HandMadeArm, handMade } from "../helpers/chart-material.js";
import { shown as shownTables } from "../helpers/table-texts.js";

const sweepTables = (material: SweepMaterial) => shownTables(tablesOf(material));
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
    expect(table?.title).toContain("(SIMULATED)");
  });

  test("has a dash for a part without an answer in common", () => {
    const [found] = sweepTables(ablation(worse, { method: "absent", outcome: failed }));
    expect(found?.table.rows[2]?.slice(0, 5)).toEqual(["absent", "-", "-", "-", "-"]);
    expect(found?.legend).toContain("p: this pair alone; *: p ≤ .05 after Holm over 1 comparison");
    expect(found?.table.rows[1]?.slice(0, 4)).toEqual(sweepTables(ablation(worse))[0]?.table.rows[1]?.slice(0, 4));
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
    expect(tables[0]?.legend[1]).toContain("after Holm over 1 comparison");
  });

  test("is refused for parts of different data, and never a dash", () => {
    const material = ablation(worse);
    const other = (row: Row): Row => (row.cell === "c1" ? { ...row, gold: `another ${row.gold}` } : row);
    expect(() => sweepTables({ ...material, rows: material.rows.map(other) })).toThrow(
      /question q0: its gold is .* different data/,
    );
  });
});

/** Rows without their amounts: method, places on the axes, score. */
const placesOf = (table: { rows: readonly string[][] } | undefined, knobs = 1) =>
  table?.rows.map((row) => row.slice(0, knobs + 1));

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
    expect(tables.map(({ title }) => title.replace(/ \(SIM.*/, ""))).toEqual([
      expect.stringMatching(/^ablation of full on LaMP-2M.* · a\/x$/),
      expect.stringMatching(/^ablation of full on LaMP-2M.* · b\/y$/),
      expect.stringMatching(/^ablation of full on LaMP-2N.* · m\/one$/),
    ]);
    expect(tables.map(({ table }) => table.rows.map(([method]) => method))).toEqual([
      ["full", "worse"],
      ["full", "worse"],
      ["full"],
    ]);
    expect(tables[0]?.legend[1]).toContain("after Holm over 1 comparison");
    expect(sweepTables(ablation(worse))[0]?.title).not.toContain(" · "); // one model
  });

  test("says which way is worse, and shows a difference with its interval and its amounts", () => {
    const [found] = sweepTables(ablation(worse));
    expect(found?.legend[0]).toBe("gain over full: negative where the part that is left out helped");
    expect(found?.table.columns.map(({ title }) => title)).toEqual([
      "method",
      "accuracy [95 %]",
      "gain over full [95 %]",
      "p",
      "f1",
      "lenient",
      "n",
      "tok/q",
    ]);
    expect(found?.table.rows[0]).toEqual([
      "full",
      expect.any(String),
      "-",
      "-",
      expect.any(String),
      ".000",
      "36",
      "100",
    ]);
    expect(found?.table.rows[1]?.slice(2, 4)).toEqual([
      expect.stringMatching(/^-\.667 \[-[\d.]+, -\.\d{3}\]$/),
      expect.stringMatching(/^(<?\.\d+)\*?$/),
    ]);
    const ratings = (method: string, reply: string): HandMadeArm => ({
      method,
      task: "lamp3",
      outcome: () => answered(reply),
    });
    const material = handMade([ratings("full", "1"), ratings("part", "5")]);
    const [rated] = sweepTables({ ...material, sweep });
    expect(rated?.table.rows[1]?.[2]).toMatch(/^-2\.000 \[/);
  });

  test("below ten users has no interval, and without any test no p: such a line is no comparison of the family", () => {
    const few = ablation(worse);
    const rows = few.rows.filter(({ user }) => Number(user.slice(1)) < 9);
    const [found] = sweepTables({ ...few, rows });
    expect(found?.table.rows[1]?.[2]).toMatch(/^-\.889 \[-\]$/);
    expect(found?.legend).toHaveLength(1);
  });

  test("has a table of all points besides where another knob moves too", () => {
    const knob = { knob: "memory.k", values: [2, 4], base: 2 };
    const places = [2, 4].flatMap((k) => ["full", "part"].map((method) => ({ method, options: { "memory.k": k } })));
    places[3] = { ...worse, ...places[3]! };
    const tables = sweepTables({ ...handMade(places), sweep: { kind: "ablation", axes: [knob, ...sweep.axes] } });
    expect(tables.map(({ table }) => table.rows.length)).toEqual([2, 2, 4]);
    expect(tables.slice(0, 2).map(({ table }) => table.rows[1]?.[2]?.slice(0, 5))).toEqual([".000 ", "-.667"]);
    expect(tables[2]?.title).toMatch(/^memory\.k x method on /);
    expect(placesOf(tables[2]?.table)).toEqual([
      ["full", "2"],
      ["part", "2"],
      ["full", "4"],
      ["part", "4"],
    ]);
    expect(sweepTables(ablation(worse))).toHaveLength(1);
  });
});
