import { describe, expect, test } from "vitest";
import { methods } from "../../src/methods/index.js";
import { sweepFacts, sweepPoints } from "../../src/plan/sweep.js";
import type { Sweep } from "../../src/plan/types.js";

const axes = { "memory.k": [1, 2], "align.iterations": [1, 3] };
const sweep = (over: Partial<Sweep>): Sweep => ({ kind: "grid", axes: {}, points: [], ...over });
const [full, part, prompt] = ["persona-agent", "persona-agent-wo-memory", "prompt"].map((name) => methods.get(name));
const chosen = { methods: [full!, prompt!], models: ["a/x"], demo: false, given: {} };

describe("the points of a sweep", () => {
  test("are all combinations in a grid", () => {
    expect(sweepPoints(sweep({ axes }))).toEqual([
      { "memory.k": 1, "align.iterations": 1 },
      { "memory.k": 1, "align.iterations": 3 },
      { "memory.k": 2, "align.iterations": 1 },
      { "memory.k": 2, "align.iterations": 3 },
    ]);
  });

  test("move one axis at a time when scaling", () => {
    expect(sweepPoints(sweep({ kind: "scaling", axes }))).toEqual([
      { "memory.k": 1 },
      { "memory.k": 2 },
      { "align.iterations": 1 },
      { "align.iterations": 3 },
    ]);
  });

  test("are joined by the explicit ones, and are one that changes nothing where nothing varies", () => {
    const own = [{ "memory.k": 7 }];
    expect(sweepPoints(sweep({ points: own }))).toEqual(own);
    expect(sweepPoints(sweep({ axes: { "memory.k": [1] }, points: own }))).toEqual([{ "memory.k": 1 }, ...own]);
    expect(sweepPoints(sweep({ kind: "backbones" }))).toEqual([{}]);
  });
});

describe("what a report is told of a sweep", () => {
  const facts = (over: Partial<Sweep>, given = {}) => sweepFacts(sweep(over), { ...chosen, given });

  test("is each axis with its values and where it stands while another moves", () => {
    expect(facts({ kind: "scaling", axes }, { "memory.k": 2 })).toEqual({
      kind: "scaling",
      axes: [
        { option: "memory.k", values: [1, 2], base: 2 },
        { option: "align.iterations", values: [1, 3], base: 1 },
      ],
    });
  });

  test("names the methods of an ablation with the full one, and the models of backbones", () => {
    const ablation = sweepFacts(sweep({ kind: "ablation" }), { ...chosen, methods: [full!, part!] });
    expect(ablation.axes).toEqual([{ option: "method", values: [full!.name, part!.name], base: full!.name }]);
    const backbones = sweepFacts(sweep({ kind: "backbones" }), { ...chosen, models: ["a/x", "b/y"] });
    expect(backbones.axes).toEqual([{ option: "model", values: ["a/x", "b/y"] }]);
  });
});

describe("a sweep is refused", () => {
  test.each([
    ["an axis that no method has", { axes: { "icl.k": [1, 2] } }, /sweep icl\.k: none of the chosen methods has it/],
    ["a misspelled axis", { axes: { "memory.kk": [1] } }, /sweep memory\.kk: .*did you mean "memory\.k"\?/],
    ["an axis over the data", { axes: { "history.limit": ["all"] } }, /share their questions and histories/],
    ["scaling without axes", { kind: "scaling" }, /sweep scaling: nothing varies; .*sweep: \{/],
    ["a grid without axes", { kind: "grid" }, /sweep grid: nothing varies/],
    ["backbones of one model", { kind: "backbones" }, /sweep backbones: one model \(a\/x\)/],
    [
      "an ablation without ablations",
      { kind: "ablation" },
      /no method with one of its ablations among persona-agent, /,
    ],
  ] as const)("with %s", (_what, over, says) => {
    expect(() => sweepFacts(sweep(over), chosen)).toThrow(says);
  });
});
