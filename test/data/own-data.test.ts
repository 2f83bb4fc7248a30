import { join } from "node:path";
import { expect, test } from "vitest";
import { dateOrder, readDate } from "../../src/data/dates.js";
import { loadDataset } from "../../src/data/load.js";
import { unitsOf } from "../../src/data/units.js";
import { recencyOrder } from "../../src/retrievers/recency.js";
import { customTask } from "../../src/tasks/custom.js";
import { folderWith, load } from "./fixtures.js";

const task = customTask({ name: "t", kind: "label", labels: ["a", "b"], question: "q: {input}" }, "t.yaml");
const row = (more: object = {}) => ({ user: "u", question: "q", history: [], gold: "a", ...more });
const read = (name: string, content: unknown) =>
  loadDataset({ ...load("lamp3", join(folderWith({ [name]: content }), name), { emptyProfile: "keep" }), task });
const lines = (...rows: readonly object[]): string => rows.map((one) => JSON.stringify(one)).join("\n");

test.each([
  ["2026-03-01", "2026-03-01"],
  ["2014", "2014"],
  ["20140305", "2014-03-05"],
  ["2026-03-01T10:00:00Z", "2026-03-01T10:00:00"],
  ["2026-03-01t10:00:00.123z", "2026-03-01T10:00:00"],
  ["2026-03-01 10:00", "2026-03-01T10:00:00"],
  ["2026-03-01T01:30:00+02:00", "2026-02-28T23:30:00"],
  ["2026-03-01T01:30:00-0730", "2026-03-01T09:00:00"],
  ["2026-03-01 01:30:00+02", "2026-02-28T23:30:00"],
  ["1772359200", "2026-03-01T10:00:00"],
  ["1772359200.5", "2026-03-01T10:00:00"],
  ["1772359200000", "2026-03-01T10:00:00"],
  ["20141305", undefined],
  ["2026-02-30T10:00:00Z", undefined],
  ["2026-03-01T25:00:00Z", undefined],
  ["01/02/2014", undefined],
  ["soon", undefined],
])("the date %s is read as %s", (text, date) => {
  expect(readDate(text)).toBe(date);
});

test("times order within their day, behind the bare day", () => {
  const dates = ["2026", "2026-03-01", "2026-03-01T00:00:00", "2026-03-01T23:59:59", "2026-03-02"];
  const orders = dates.map((date) => dateOrder(date)!);
  expect(new Set(orders).size).toBe(5);
  expect(orders).toEqual(orders.toSorted((a, b) => a - b));
  expect(recencyOrder(dates)).toEqual([4, 3, 2, 1, 0]);
});

test("what is later on the day of a question is hidden from it", async () => {
  const history = [1772359100, "2026-03-01T10:00:01Z", "2026-03-01"].map((date) => ({ text: "x", label: "a", date }));
  const { users } = await read("rows.jsonl", lines(row({ history, date: "2026-03-01T10:00:00Z" })));
  const [unit] = unitsOf({ users }, task, { visible: "strict" });
  expect(unit?.user.history.map(({ date }) => date)).toEqual(["2026-03-01", "2026-03-01T09:58:20"]);
});

test.each([
  ["rows.jsonl", JSON.stringify([row()]), /line 1: an array; write one object a line/],
  ["rows.json", [row()], /record 1: own data, in an array; write one object a line into a file that ends in \.jsonl/],
  ["rows.jsonl", lines(row(), row({ user: "v" }), row()), /line 3: it is line 1 again; keep one/],
  ["rows.jsonl", JSON.stringify([row()], undefined, 1), /line 1: an array over several lines; write one object a line/],
  ["rows.jsonl", lines(row({ history: [0, 1].map(() => ({ id: "h", text: "x" })) })), /history id h is there twice/],
  ["rows.jsonl", lines(row({ id: "1" }), row({ id: "1" })), /question id 1 is there twice/],
  [
    "rows.csv",
    "user,question,gold\nann,hi,billing\n",
    /rows\.csv: own data are no CSV; write one JSON object a line into a \.jsonl file/,
  ],
])("%s: a form that is not own data's is refused with the form that is", async (name, content, message) => {
  await expect(read(name, content)).rejects.toThrow(message);
});

test("equal questions with ids of their own are two questions", async () => {
  const { facts } = await read("rows.jsonl", lines(row({ id: "1" }), row({ id: "2" })));
  expect(facts.questions).toBe(2);
});
