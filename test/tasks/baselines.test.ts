import { expect, test } from "vitest";
import { baselinesOf } from "../../src/tasks/baselines.js";
import { tasks } from "../../src/tasks/index.js";
import type { Unit } from "../../src/types/index.js";

const ratings = tasks.get("lamp3");

function unit(user: string, past: readonly (string | undefined)[], golds: readonly (string | undefined)[]): Unit {
  return {
    id: user,
    user: {
      id: user,
      history: past.map((label, i) => ({
        id: `${i}`,
        fields: { id: `${i}` },
        content: "",
        document: "",
        ...(label === undefined ? {} : { label }),
      })),
    },
    examples: golds.map((gold, i) => ({
      question: { id: `${user}-${i}`, text: "", content: "", query: "" },
      ...(gold === undefined ? {} : { gold }),
    })),
  };
}

const labels = (units: readonly Unit[], online?: boolean) => baselinesOf(ratings, units, online)[0]?.answers;

test("a question is answered with its user's own most frequent past label", () => {
  const two = [unit("a", ["5", "5", "1"], ["5", "4"]), unit("b", ["1"], ["3"])];
  expect(labels(two)).toEqual({ "a-0": "5", "a-1": "5", "b-0": "1" });
});

test("of equally frequent labels the one seen last counts", () => {
  expect(labels([unit("a", ["1", "5", "1", "5"], ["5"])])).toEqual({ "a-0": "5" });
});

test("questions without gold and users without labels are left out", () => {
  const units = [unit("a", ["5"], ["5", undefined]), unit("b", [], ["1"]), unit("c", [undefined], ["1"])];
  expect(labels(units)).toEqual({ "a-0": "5" });
  expect(labels(units.slice(1))).toBeUndefined();
});

test("events without a label are no label of their own", () => {
  expect(labels([unit("a", [undefined, "4", undefined, undefined], ["4"])])).toEqual({ "a-0": "4" });
});

test("free text has none", () => {
  expect(baselinesOf(tasks.get("lamp4"), [unit("a", ["a title"], ["a title"])])).toEqual([]);
});

test("in prequential mode, and only there, it sees the golds of earlier questions, as methods do", () => {
  const stream = [unit("a", ["1"], ["5", "5", "5"]), unit("b", [], ["2", "2"])];
  expect(labels(stream, true)).toEqual({ "a-0": "1", "a-1": "5", "a-2": "5", "b-1": "2" });
  expect(labels(stream)).toEqual({ "a-0": "1", "a-1": "1", "a-2": "1" });
});

test("one label in several spellings that data may have is one label", () => {
  expect(labels([unit("a", ["5", "5.0", " 5", "1", "1"], ["5"])])).toEqual({ "a-0": "5" });
  const tags = ["comedy", "action", "action", "comedy ", "\tcomedy"];
  expect(baselinesOf(tasks.get("lamp2m"), [unit("a", tags, ["comedy"])])).toEqual([
    { name: "majority label", answers: { "a-0": "comedy" } },
  ]);
});
