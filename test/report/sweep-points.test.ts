import { describe, expect, test } from "vitest";
import { type SweepMaterial, sweepArms, sweepTables as tablesOf } from "../../src/report/sweep.js";
import { answered, type HandMadeArm, handMade } from "../helpers/chart-material.js";
import { shown as shownTables } from "../helpers/table-texts.js";

const sweepTables = (material: SweepMaterial) => shownTables(tablesOf(material));
/** Rows without their amounts: method, places on the axes, score. */
const placesOf = (table: { rows: readonly string[][] } | undefined, knobs = 1) =>
  table?.rows.map((row) => row.slice(0, knobs + 1));

describe("the tables of a scaling", () => {
  const axes = [
    { knob: "rag.k", values: [1, 4, 2], base: 2 },
    { knob: "temperature", values: [0.1, 0.5], base: 0.1 },
  ];
  const at = (k: number, temperature: number) => ({ method: "rag", options: { "rag.k": k, temperature } });
  const arms = [at(2, 0.1), at(2, 0.5), at(4, 0.1), at(1, 0.1), { method: "plain", options: { temperature: 0.1 } }];
  const scaling = { kind: "scaling", axes } as const;
  const tables = () => sweepTables({ ...handMade(arms), sweep: scaling });

  test("have the points of one axis each, where the others stand at their base, in the order of the axis", () => {
    const [byK, byTemperature, ...more] = tables();
    expect(more).toEqual([]);
    expect([byK, byTemperature].map((table) => table?.title.split(" · ")[0])).toEqual([
      expect.stringMatching(/^rag\.k on LaMP-2M/),
      expect.stringMatching(/^temperature on LaMP-2M/),
    ]);
    expect(placesOf(byK?.table)).toEqual([
      ["plain", "-"],
      ["rag", "1"],
      ["rag", "4"],
      ["rag", "2"],
    ]);
    expect(placesOf(byTemperature?.table)).toEqual([
      ["rag", "0.1"],
      ["plain", "0.1"],
      ["rag", "0.5"],
    ]);
    expect([byK, byTemperature].map((table) => table?.notes[0])).toEqual(["held: temperature=0.1", "held: rag.k=2"]);
    const free = [
      { knob: "rag.k", values: [1, 2, 4], base: 2 },
      { knob: "memory.k", values: [1, 2] },
    ];
    expect(
      sweepTables({ ...handMade(arms), sweep: { kind: "scaling", axes: free } }).map(({ notes, legend }) => [
        ...notes,
        ...legend,
      ]),
    ).toEqual([
      [
        "gain over base: over rag.k=2; positive is better",
        expect.stringMatching(/^p: this pair/),
        expect.stringMatching(/^SIMULATED/),
      ],
    ]);
  });

  test("have the score with its interval, and what a question and a user cost", () => {
    expect(tables()[0]?.table.columns.map(({ title }) => title)).toEqual([
      "method",
      "rag.k",
      "accuracy [95 %]",
      "gain over base [95 %]",
      "p",
      "lenient",
      "n",
      "tok/q",
    ]);
    const half: HandMadeArm = { ...at(2, 0.1), outcome: (user, _, gold) => answered(user % 2 === 0 ? gold : "none") };
    const [table] = sweepTables({
      ...handMade([at(2, 0.1), { ...half, options: { ...half.options, "rag.k": 4 } }]),
      sweep: scaling,
    });
    expect(table?.table.rows[0]).toEqual([
      ...["rag", "4", expect.stringMatching(/^\.500 \[\.\d{3}, \.\d{3}\]$/)],
      expect.stringMatching(/^-\.500 \[-\.\d{3}, -\.\d{3}\]$/),
      expect.stringMatching(/^\.\d{3}\*$/),
      ...[".000", "36", "100"],
    ]);
  });

  test("are of one task each, and none is made of a task whose arms have no place on the axis", () => {
    const plain = { task: "lamp2n", method: "plain" };
    const own = sweepTables({ ...handMade([...arms, plain]), sweep: { kind: "scaling", axes: axes.slice(0, 1) } });
    expect(own.map(({ title }) => title.slice(0, 16))).toEqual(["rag.k on LaMP-2M"]);
    const both = handMade([...arms, { ...at(1, 0.1), task: "lamp2n" }]);
    const shown = sweepTables({ ...both, sweep: { kind: "scaling", axes: axes.slice(0, 1) } });
    expect(shown.map(({ table }) => table.rows.length)).toEqual([5, 1]);
    const elsewhere = both.facts.map((fact) => ({ ...fact, dataset: "another" }));
    expect(sweepTables({ ...both, facts: elsewhere, sweep: scaling })).toEqual([]);
  });

  test("are marked as simulated where one of their arms is", () => {
    expect(tables()[0]?.title).toContain("SIMULATED");
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
  const sweep = { kind: "grid", axes } as const;
  const material = () => ({ ...handMade(arms), sweep });

  test("is one table of all points, ordered by one axis and then by the other", () => {
    const [table, ...more] = sweepTables(material());
    expect(more).toEqual([]);
    expect(table?.title).toMatch(/^rag\.k x temperature on /);
    expect(placesOf(table?.table, 2)).toEqual([
      ["rag", "1", "0.5"],
      ["rag", "1", "0.1"],
      ["rag", "2", "0.5"],
      ["rag", "2", "0.1"],
    ]);
    expect(table?.notes).toEqual([]);
  });

  test("is there as soon as an arm has one of its knobs", () => {
    const [table] = sweepTables({ ...handMade([{ method: "rag", options: { "rag.k": 2 } }]), sweep });
    expect(placesOf(table?.table, 2)).toEqual([["rag", "2", "-"]]);
  });
});

describe("backbones", () => {
  const axis = (values: readonly string[]) => ({ kind: "backbones", axes: [{ knob: "model", values }] }) as const;
  const on = (model: string) => ({ method: "rag", model });

  test("have a line a model, in the order asked for", () => {
    const [table] = sweepTables({ ...handMade([on("b/y"), on("a/x")]), sweep: axis(["a/x", "b/y"]) });
    expect(placesOf(table?.table)).toEqual([
      ["rag", "a/x"],
      ["rag", "b/y"],
    ]);
    expect(table?.notes).toEqual([]);
  });

  test("of one model only say how more are compared", () => {
    const [table] = sweepTables({ ...handMade([on("a/x")]), sweep: axis(["a/x"]) });
    expect(table?.notes).toEqual([expect.stringMatching(/^one model only/)]);
    const axes = [
      { knob: "rag.k", values: [1, 2] },
      { knob: "model", values: ["a/x"] },
    ];
    const [along] = sweepTables({
      ...handMade([{ ...on("a/x"), options: { "rag.k": 1 } }]),
      sweep: { kind: "backbones", axes },
    });
    expect(along?.notes).toHaveLength(1);
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
