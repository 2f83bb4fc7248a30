import { describe, expect, test } from "vitest";
import { choice, complete, heldBefore, inCell, integer, ofCell, since } from "../src/options.js";
import { tasks } from "../src/tasks/index.js";

const words = choice({ default: "new", of: ["old", "new"], help: "none" });
const table = {
  k: integer({ default: 4, help: "none" }),
  younger: since({ value: "old" }, words),
  renewed: since({ value: "old", stored: true }, words),
  citing: since({ value: "old", matters: ({ choice: offers }) => offers !== undefined }, words),
};
const [movies, papers] = [tasks.get("lamp2m"), tasks.get("lamp1")];
const cellOf = (given: Record<string, string>, task = papers) => inCell(table, complete(table, given), task);

describe("an option that is younger than stored runs", () => {
  test("stands in a cell only where it is not as before, and can change something", () => {
    expect(cellOf({})).toEqual({ k: 4, younger: "new", renewed: "new", citing: "new" });
    expect(cellOf({}, movies)).toEqual({ k: 4, younger: "new", renewed: "new" });
    expect(cellOf({ younger: "old", renewed: "old", citing: "old" })).toEqual({ k: 4, renewed: "old" });
  });

  test("is read out of a cell that lacks it as it was before", () => {
    expect(ofCell(table, { k: 1 })).toEqual({ k: 1, younger: "old", renewed: "old", citing: "old" });
    expect(ofCell(table, { younger: "new" })).toMatchObject({ younger: "new" });
  });

  test("is held at what a stored plan was made with, so that the same command makes the same plan", () => {
    const old = { k: 4, renewed: "old" };
    expect(heldBefore(table, [{ options: old }])).toEqual({ younger: "old", renewed: "old", citing: "old" });
    expect(
      cellOf(Object.fromEntries(Object.entries(heldBefore(table, [{ options: old }])) as [string, string][])),
    ).toEqual(old);
    expect(heldBefore(table, [{ options: old }, { options: cellOf({}) }])).toEqual({});
    expect(heldBefore(table, [{ options: cellOf({}, movies) }])).toEqual({ citing: "old" });
  });
});
