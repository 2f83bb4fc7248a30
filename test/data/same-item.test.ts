import { expect, test } from "vitest";
import { unitsOf } from "../../src/data/units.js";
import { tasks } from "../../src/tasks/index.js";
import type { Dataset } from "../../src/types/index.js";

test("questions whose items share ids but not content never share a past", () => {
  const task = tasks.get("lamp3");
  const query = (id: string, text: string, past: string) => ({
    id,
    input: `Instruction. review: ${text}`,
    gold: "1",
    profile: [{ id: "0", text: past, score: "5" }],
  });
  const dataset: Dataset = {
    name: "d",
    task: task.name,
    users: [{ id: "u", profile: [], queries: [query("q1", "one", "two"), query("q2", "two", "other")] }],
    files: [],
    ordered: true,
    facts: {},
  };
  const units = unitsOf(dataset, task, { visible: "strict" });
  expect(Array.from(units, ({ user, examples }) => [user.history[0]?.content, examples[0]?.question.id])).toEqual([
    ["two", "q1"],
    ["other", "q2"],
  ]);
});
