import { describe, expect, test } from "vitest";
import { renderSweep, sweepTables } from "../../src/report/sweep.js";
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
