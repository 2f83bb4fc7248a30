import { expect, test } from "vitest";
import { majorityFloor } from "../../src/run/floor.js";
import { tasks } from "../../src/tasks/index.js";
import type { Unit } from "../../src/types.js";

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

test("the floor answers with each user's own most frequent past label", () => {
  const floor = majorityFloor(ratings, [unit("a", ["5", "5", "1"], ["5", "4"]), unit("b", ["1"], ["3"])]);
  expect(floor?.count).toBe(3);
  expect(floor?.values.mae).toBeCloseTo((0 + 1 + 2) / 3, 12);
});

test("of equally frequent labels the one seen last counts", () => {
  expect(majorityFloor(ratings, [unit("a", ["1", "5", "1", "5"], ["5"])])?.values.mae).toBe(0);
});

test("questions without gold and users without labels are not in the floor", () => {
  const units = [unit("a", ["5"], ["5", undefined]), unit("b", [], ["1"]), unit("c", [undefined], ["1"])];
  expect(majorityFloor(ratings, units)).toMatchObject({ count: 1, values: { mae: 0 } });
  expect(majorityFloor(ratings, units.slice(1))).toBeUndefined();
});

test("events without a label are no label of their own", () => {
  const floor = majorityFloor(ratings, [unit("a", [undefined, "4", undefined, undefined], ["4"])]);
  expect(floor).toMatchObject({ count: 1, values: { mae: 0 } });
});

test("free text has no floor", () => {
  expect(majorityFloor(tasks.get("lamp4"), [unit("a", ["a title"], ["a title"])])).toBeUndefined();
});

test("in prequential mode, and only there, the floor sees the golds of earlier questions, as methods do", () => {
  const stream = [unit("a", ["1"], ["5", "5", "5"]), unit("b", [], ["2", "2"])];
  expect(majorityFloor(ratings, stream, true)).toMatchObject({ count: 4, values: { mae: (4 + 0 + 0 + 0) / 4 } });
  expect(majorityFloor(ratings, stream)).toMatchObject({ count: 3, values: { mae: 4 } });
});

test("one label in several spellings that data may have is one label", () => {
  const past = ["5", "5.0", " 5", "1", "1"];
  expect(majorityFloor(ratings, [unit("a", past, ["5"])])?.values.mae).toBe(0);
  const tags = ["comedy", "action", "action", "comedy ", "\tcomedy"];
  expect(majorityFloor(tasks.get("lamp2m"), [unit("a", tags, ["comedy"])])?.values.accuracy).toBe(1);
});
