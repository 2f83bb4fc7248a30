import { describe, expect, test } from "vitest";
import { armLabel, armNamed, armsOf, ofArm, settingsApart, variantOf } from "../../src/results/arms.js";
import type { ArmSpec } from "../../src/types/index.js";

const armSpec = (id: string, over: Partial<ArmSpec> = {}): ArmSpec => ({
  id,
  task: "lamp3",
  dataset: "d",
  method: "rag",
  model: "m/one",
  options: { "rag.k": 2 },
  seed: 0,
  repeat: 0,
  ...over,
});

const arms = [
  armSpec("a0"),
  armSpec("b0", { options: { "rag.k": 4 } }),
  armSpec("a1", { repeat: 1 }),
  armSpec("b1", { options: { "rag.k": 4 }, repeat: 1 }),
];

describe("arms", () => {
  test("are the arms that differ only in their repeat, in the order of the arms", () =>
    expect(armsOf(arms).map((arm) => arm.map(({ id }) => id))).toEqual([
      ["a0", "a1"],
      ["b0", "b1"],
    ]));

  test("have the records of their arms", () => {
    const records = ["b1", "a1", "a0", "c0"].map((own) => ({ arm: own }));
    expect(ofArm(records, armsOf(arms)[0]!)).toEqual([{ arm: "a1" }, { arm: "a0" }]);
  });

  test("are named by the settings that tell them apart", () => {
    expect(variantOf(arms[1]!, arms)).toBe("rag.k=4");
    expect(variantOf(arms[1]!, [...arms, armSpec("c", { model: "m/two" })])).toBe("model=m/one rag.k=4");
    expect(settingsApart({ "rag.k": 2, "rag.way": "x" }, [{ "rag.k": 2 }])).toBe("rag.way=x");
    expect(armLabel({ method: "rag", variant: "rag.k=4" })).toBe("rag (rag.k=4)");
    expect(armLabel({ method: "rag", variant: "" })).toBe("rag");
  });

  test("are found by the name that tables print, and a name that fits none or several names the arms", () => {
    const groups = armsOf(arms);
    for (const name of ["rag rag.k=4", "rag (rag.k=4)"]) expect(armNamed(name, groups, "run")).toBe(groups[1]);
    expect(() => armNamed("rag", groups, "run")).toThrow("run: several arms rag; arms: rag rag.k=2; rag rag.k=4");
    expect(() => armNamed("rag rag.k=3", groups, "run")).toThrow("run: no arm rag rag.k=3; arms: rag rag.k=2; ");
  });
});
