import { describe, expect, test } from "vitest";
import { importRows } from "../../src/app/import/predictions.js";
import { armOf, ratingUnit, silent } from "../helpers/engine-run.js";

const blank = ratingUnit("v", ["c"]);
const units = [
  ratingUnit("u", ["a", "b"]),
  { ...blank, examples: blank.examples.map(({ question }) => ({ question })) },
];
const { loaded } = armOf(silent, units);
const rowsOf = (outputs: Readonly<Record<string, string | undefined>>, simulated = false) =>
  importRows({ cell: "x", loaded, outputs: new Map(Object.entries(outputs)), source: "mine.json", simulated });

describe("imported predictions", () => {
  test("give one row a question of the data, read as a run reads replies, and cost nobody knows what", () => {
    const known = { cell: "x", unit: "u", user: "u", spend: {}, spendUnknown: true, incidents: {} };
    expect(rowsOf({ c: "1", b: "I say 4", a: "5" })).toEqual([
      { ...known, question: "a", gold: "5", outcome: { kind: "answered", reply: "5", lenient: "5" } },
      { ...known, question: "b", gold: "5", outcome: { kind: "unparsed", reply: "I say 4", lenient: "4" } },
      { ...known, unit: "v", user: "v", question: "c", outcome: { kind: "answered", reply: "1", lenient: "1" } },
    ]);
  });

  test("of questions without gold have none either, which is not the same as an empty one", () => {
    expect(rowsOf({ c: "1" })[2]).not.toHaveProperty("gold");
  });

  test("that lack a question leave it failed, naming the file, and never score it; an empty one is a reply", () => {
    const [first, second] = rowsOf({ a: undefined, b: "", elsewhere: "5" });
    expect(first?.outcome).toEqual({ kind: "failed", error: "no prediction in mine.json" });
    expect(second?.outcome).toEqual({ kind: "unparsed", reply: "" });
    expect(rowsOf({ elsewhere: "5" }).map(({ question }) => question)).toEqual(["a", "b", "c"]);
  });

  test("that lack a question without gold fail nothing: there is nothing to score", () => {
    expect(rowsOf({ a: "5", b: "5" }).map(({ outcome }) => outcome.kind)).toEqual(["answered", "answered", "unparsed"]);
  });

  test("of a simulated model say so in every row, and others say nothing of it", () => {
    expect(rowsOf({ a: "5" }, true).map(({ simulated }) => simulated)).toEqual([true, true, true]);
    expect(rowsOf({ a: "5" })[0]).not.toHaveProperty("simulated");
  });
});
