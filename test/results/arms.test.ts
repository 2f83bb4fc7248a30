import { describe, expect, test } from "vitest";
import { armLabel, armNamed, armsOf, ofArm, settingsApart, variantOf } from "../../src/results/arms.js";
import type { Cell } from "../../src/types/index.js";

const cell = (id: string, over: Partial<Cell> = {}): Cell => ({
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

const cells = [
  cell("a0"),
  cell("b0", { options: { "rag.k": 4 } }),
  cell("a1", { repeat: 1 }),
  cell("b1", { options: { "rag.k": 4 }, repeat: 1 }),
];

describe("arms", () => {
  test("are the cells that differ only in their repeat, in the order of the cells", () =>
    expect(armsOf(cells).map((arm) => arm.map(({ id }) => id))).toEqual([
      ["a0", "a1"],
      ["b0", "b1"],
    ]));

  test("have the records of their cells", () => {
    const records = ["b1", "a1", "a0", "c0"].map((own) => ({ cell: own }));
    expect(ofArm(records, armsOf(cells)[0]!)).toEqual([{ cell: "a1" }, { cell: "a0" }]);
  });

  test("are named by the settings that tell them apart", () => {
    expect(variantOf(cells[1]!, cells)).toBe("rag.k=4");
    expect(variantOf(cells[1]!, [...cells, cell("c", { model: "m/two" })])).toBe("model=m/one rag.k=4");
    expect(settingsApart({ "rag.k": 2, "rag.way": "x" }, [{ "rag.k": 2 }])).toBe("rag.way=x");
    expect(armLabel({ method: "rag", variant: "rag.k=4" })).toBe("rag (rag.k=4)");
    expect(armLabel({ method: "rag", variant: "" })).toBe("rag");
  });

  test("are found by the name that tables print, and a name that fits none or several names the arms", () => {
    const arms = armsOf(cells);
    for (const name of ["rag rag.k=4", "rag (rag.k=4)"]) expect(armNamed(name, arms, "run")).toBe(arms[1]);
    expect(() => armNamed("rag", arms, "run")).toThrow("run: several arms rag; arms: rag rag.k=2; rag rag.k=4");
    expect(() => armNamed("rag rag.k=3", arms, "run")).toThrow("run: no arm rag rag.k=3; arms: rag rag.k=2; ");
  });
});
