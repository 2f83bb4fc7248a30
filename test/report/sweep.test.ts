import { describe, expect, test } from "vitest";
import { axesOf, fullMethod, type SweepInput, sweepTables } from "../../src/report/sweep.js";
import { formatP } from "../../src/report/tables/format.js";
import { compareArms, gainsOver } from "../../src/results/compare.js";
import { answered, type HandMadeArm, handMade } from "../helpers/chart-material.js";
import { shown } from "../helpers/table-texts.js";

const axis = { option: "rag.k", values: [1, 2, 4], base: 2 };
const other = { option: "temperature", values: [0.1, 0.5], base: 0.1 };
const scaling = { kind: "scaling", axes: [axis] } as const;

/** An arm at this place of the axis that answers so many of six questions right. */
const at = (k: number, hits: number, more: Partial<HandMadeArm> = {}): HandMadeArm => ({
  method: "rag",
  options: { "rag.k": k, temperature: 0.1 },
  outcome: (user, question, gold) => answered((user + question) % 6 < hits ? gold : "none"),
  ...more,
});
const tablesOf = (material: SweepInput) =>
  shown(sweepTables(material)).map(({ title, table, notes, legend }) => {
    const titles = table.columns.map((column) => column.title);
    return {
      title,
      titles,
      rows: table.rows,
      notes,
      legend,
      column: (name: string) => table.rows.map((row) => row[titles.indexOf(name)]),
    };
  });

describe("an axis of a scaling", () => {
  const arms = [at(4, 5), at(1, 2), at(2, 3), at(1, 5, { method: "more" }), at(2, 4, { method: "more" })];
  const material = { ...handMade(arms), sweep: scaling };

  test("has its points in order, with gain and p over the method's own arm at the base, and the slope", () => {
    const [table, ...none] = tablesOf(material);
    expect(none).toEqual([]);
    expect(table!.title).toBe("rag.k on LaMP-2M (SIMULATED)");
    const gains = table!.column("gain over rag.k=2 [95 %]");
    expect(table!.rows.map(([method, k], r) => [method, k, gains[r]])).toEqual([
      ["rag", "1", expect.stringMatching(/^-\.167 \[/)],
      ["more", "1", expect.stringMatching(/^\+\.167 \[/)],
      ["rag", "2", "-"],
      ["more", "2", "-"],
      ["rag", "4", expect.stringMatching(/^\+\.333 \[/)],
    ]);
    expect(table!.notes).toEqual([
      expect.stringMatching(/^slope along rag\.k \(1, 2, 4; rag, m\/one\): accuracy \+\.250 a step/),
    ]);
    expect(table!.legend[0]).toBe("p: this pair alone; *: p ≤ .05 after Holm over 3 comparisons with rag.k=2");
  });

  test("has the p of compare", () => {
    const of = (id: string) => material.rows.filter(({ arm }) => arm === id);
    const metrics = material.task("lamp2m").metrics.slice(0, 1);
    const p = formatP(compareArms({ a: of("c2"), b: of("c1"), metrics }).metrics[0]!.p);
    expect(tablesOf(material)[0]!.column("p")[0]!.replace("*", "")).toBe(p);
  });

  test("leaves out points where another axis is not at its base, and has arms without the option as lines", () => {
    const far = { ...at(4, 1), options: { "rag.k": 4, temperature: 0.5 } };
    const plain = { method: "plain", options: { temperature: 0.1 } };
    const [byK, byTemperature] = tablesOf({
      ...handMade([...arms, far, plain]),
      sweep: { kind: "scaling", axes: [axis, other] },
    });
    expect(byK!.rows).toHaveLength(6);
    expect(byK!.rows[0]!.slice(0, 2)).toEqual(["plain", "-"]);
    expect(byK!.notes[0]).toBe("held: temperature=0.1");
    expect(byTemperature!.title).toContain("temperature on");
  });
});

test("all models of a sweep over models are one family, in its own table and in that of the methods", () => {
  const hits = { "m/one": 2, "m/two": 3, "m/three": 5 };
  const arms = Object.entries(hits).flatMap(([model, most]) =>
    ["prompt", "rag"].map((method) => at(1, method === "rag" ? most : 2, { method, model })),
  );
  const axes = [{ option: "model", values: Object.keys(hits), base: "m/one" }];
  const material = { ...handMade(arms), sweep: { kind: "backbones", axes } as const };
  const [table] = tablesOf(material);
  expect(table!.legend[0]).toBe("p: this pair alone; *: p ≤ .05 after Holm over 4 comparisons with model=m/one");
  const { of } = gainsOver("prompt", material);
  expect(material.summaries.map((arm) => of(arm)?.family)).toEqual([undefined, 3, undefined, 3, undefined, 3]);
  const plain = gainsOver("prompt", { ...material, sweep: undefined });
  expect(plain.of(material.summaries[1]!)?.family).toBe(1);
});

test("a grid is one table of all points in the order of its axes, without gains", () => {
  const points = [2, 1].flatMap((k) =>
    [0.5, 0.1].map((temperature) => ({ method: "rag", options: { "rag.k": k, temperature } })),
  );
  const [table, ...none] = tablesOf({ ...handMade(points), sweep: { kind: "grid", axes: [axis, other] } });
  expect(none).toEqual([]);
  expect(table!.rows.map((row) => row.slice(1, 3))).toEqual([
    ["1", "0.1"],
    ["1", "0.5"],
    ["2", "0.1"],
    ["2", "0.5"],
  ]);
  expect(table!.titles).not.toContain("p");
});

test("controls have each other history beside the own one, and what is undefined by name", () => {
  const control = (value: string, hits: number) => at(0, hits, { options: { "history.control": value } });
  const axes = [{ option: "history.control", values: ["right", "other-user", "none"], base: "right" }];
  const undefinedFor = [{ task: "lamp2m", value: "deranged", reason: "the answers are no closed list" }];
  const material = handMade([control("right", 5), control("other-user", 1), control("none", 3)]);
  const [table] = tablesOf({ ...material, sweep: { kind: "controls", axes, undefinedFor } });
  expect(table!.column("history.control")).toEqual(["right", "other-user", "none"]);
  expect(table!.column("gain over history.control=right [95 %]")).toEqual([
    "-",
    expect.stringMatching(/^-\.667 \[/),
    expect.stringMatching(/^-\.333 \[/),
  ]);
  expect(table!.notes).toEqual(["history.control=deranged: n/a, the answers are no closed list"]);
  const methods = handMade([{ method: "prompt" }, control("right", 5), control("other-user", 1)]);
  const { of } = gainsOver("prompt", methods);
  const families = methods.summaries.map((arm) => [of(arm)?.family, of(arm)?.metrics[0]?.p !== undefined]);
  expect(families).toEqual([
    [undefined, false],
    [1, true],
    [undefined, true],
  ]);
});

test("an ablation has no table beside the results, whose gains are over the full method", () => {
  const sweep = { kind: "ablation", axes: [{ option: "method", values: ["full", "part"], base: "full" }] } as const;
  expect(tablesOf({ ...handMade([{ method: "full" }, { method: "part" }]), sweep })).toEqual([]);
  expect([fullMethod(sweep), fullMethod(scaling), fullMethod(undefined)]).toEqual(["full", undefined, undefined]);
});

test("an arm stands where its settings put it, and nowhere on an axis that it does not have", () => {
  const axes = ["method", "model", "rag.k"].map((option) => ({ option, values: [] }));
  const material = handMade([{ method: "rag", model: "a/x", options: { "rag.k": 1 } }, { method: "plain" }]);
  const sweep = { kind: "grid", axes } as const;
  expect(material.summaries.map((arm) => axesOf(arm, { ...material, sweep }))).toEqual([
    { method: "rag", model: "a/x", "rag.k": 1 },
    { method: "plain", model: "m/one" },
  ]);
});
