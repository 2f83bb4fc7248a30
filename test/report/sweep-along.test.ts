import { describe, expect, test } from "vitest";
import { type SweepMaterial, sweepTables as tablesOf } from "../../src/report/sweep.js";
import { formatP, formatScore } from "../../src/report/tables/format.js";
import { compareArms } from "../../src/results/compare.js";
import { answered, type HandMadeArm, handMade } from "../helpers/chart-material.js";
import { shown as shownTables } from "../helpers/table-texts.js";

const sweepTables = (material: SweepMaterial) => shownTables(tablesOf(material));
const axis = { knob: "rag.k", values: [1, 2, 4], base: 2 };
const other = { knob: "temperature", values: [0.1, 0.5], base: 0.1 };
const scaling = { kind: "scaling", axes: [axis] } as const;

/** An arm at this place of the axis that answers so many of six questions right. */
const at = (k: number, hits: number, more: Partial<HandMadeArm> = {}): HandMadeArm => ({
  method: "rag",
  options: { "rag.k": k, temperature: 0.1 },
  outcome: (user, question, gold) => answered((user + question) % 6 < hits ? gold : "none"),
  ...more,
});
const tableOf = (material: SweepMaterial) => {
  const [found] = sweepTables(material);
  const titles = found!.table.columns.map(({ title }) => title);
  const column = (title: string) => found!.table.rows.map((row) => row[titles.indexOf(title)]);
  return { titles, column, notes: found!.notes };
};

describe("differences along an axis", () => {
  test("are to the arm at the base with the same method and model, with the p of each pair", () => {
    const models = [at(1, 1, { model: "b/y" }), at(2, 3, { model: "b/y" })];
    const arms = [at(1, 2), at(2, 3), at(4, 5), at(1, 5, { method: "more" }), at(2, 4, { method: "more" }), ...models];
    const material = { ...handMade(arms), sweep: scaling };
    const { column, titles } = tableOf(material);
    expect(titles.slice(0, 8)).toEqual([
      ...["method", "rag.k", "accuracy [95 %]", "gain over base [95 %]", "p", "lenient", "n", "tok/q"],
    ]);
    const shown = column("method").map((method, r) => [method, column("rag.k")[r], column("gain over base [95 %]")[r]]);
    expect(shown).toEqual([
      ["rag", "1", expect.stringMatching(/^-\.167 \[/)],
      ["more", "1", expect.stringMatching(/^\+\.167 \[/)],
      ["rag", "1", expect.stringMatching(/^-\.333 \[/)],
      ["rag", "2", "-"],
      ["more", "2", "-"],
      ["rag", "2", "-"],
      ["rag", "4", expect.stringMatching(/^\+\.333 \[/)],
    ]);
    expect(column("p").map((p) => p === "-")).toEqual([false, false, false, true, true, true, false]);
    const alone = tableOf({ ...handMade(arms.slice(0, 2)), sweep: scaling }).column("p")[0];
    expect(String(column("p")[0]).replace("*", "")).toBe(String(alone).replace("*", ""));
  });

  test("are none of a single arm, nor of a table of several axes", () => {
    const rest = ["lenient", "n", "tok/q"]; // these replies have no lenient reading
    const scores = ["accuracy [95 %]", "f1"];
    const single = { ...handMade([at(1, 3)]), sweep: scaling };
    expect(tableOf(single).titles).toEqual(["method", "rag.k", ...scores, ...rest]);
    expect(sweepTables(single)[0]?.table.rows.map((row) => row.length)).toEqual([7]);
    const grid = { ...handMade([at(1, 1), at(2, 3), at(4, 5)]), sweep: { kind: "grid", axes: [axis, other] } as const };
    expect(tableOf(grid).titles).toEqual(["method", "rag.k", "temperature", ...scores, ...rest]);
    expect(tableOf(grid).notes).toEqual([]);
  });

  test("are those of a comparison, in the tables of an axis and of controls", () => {
    const options = (control: string, k: number) => ({ "history.control": control, "rag.k": k });
    const arms = [
      at(1, 0, {
        options: options("none", 1),
        outcome: (u, q, gold) => answered((u * 3 + q) % 10 < 4 ? gold : "none"),
      }),
      at(2, 0, {
        options: options("right", 2),
        outcome: (u, q, gold) => answered((u * 7 + q) % 10 < 6 ? gold : "none"),
      }),
    ];
    const material = { ...handMade(arms), sweep: scaling };
    const of = (id: string) => material.rows.filter(({ cell }) => cell === id);
    const metrics = material.task("lamp2m").metrics.slice(0, 1);
    const wanted = formatP(compareArms({ a: of("c0"), b: of("c1"), metrics }).metrics[0]!.p);
    expect(tableOf(material).column("p")[0]).toBe(wanted);
    const control = { knob: "history.control", values: ["right", "none"], base: "right" };
    expect(tableOf({ ...material, sweep: { kind: "controls", axes: [control] } }).column("p")).toEqual(["-", wanted]);
  });
});

test("every arm has its own further scores, behind the first one's", () => {
  const material = { ...handMade([at(1, 1), at(2, 5)]), sweep: scaling };
  const [found] = shownTables(tablesOf(material), { columns: ["f1", "precision", "recall"] });
  expect(found!.table.rows.map((row) => row.slice(2))).toEqual(
    material.summaries.map(({ metrics }) => metrics.slice(1).map(({ strict }) => formatScore(strict))),
  );
});

test("the method has one column, also where it is an axis", () => {
  const axes = [axis, { knob: "method", values: ["rag", "plain"], base: "rag" }];
  const material = { ...handMade([at(1, 3), at(1, 3, { method: "plain" })]), sweep: { kind: "grid", axes } as const };
  expect(tableOf(material).titles.slice(0, 3)).toEqual(["method", "rag.k", "accuracy [95 %]"]);
});
