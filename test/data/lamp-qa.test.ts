import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadDataset } from "../../src/data/load.js";
import { unitsOf } from "../../src/data/units.js";
import { tasks } from "../../src/tasks/index.js";

const task = tasks.get("LaMP-QA");
const demo = join(import.meta.dirname, "../../datasets/demo/lamp-qa");
const load = (path?: string, more = {}) =>
  loadDataset({ task, path, emptyProfile: "error", lamp1Labels: "none", seed: 0, ...more });
const art = () => JSON.parse(readFileSync(join(demo, "Art_and_Entertainment_test.json"), "utf8"));

test("three categories are read; details and aspects of a question are its rubric, and nothing else", async () => {
  const data = await load();
  expect([data.users.length, data.facts.questions, data.files.length]).toEqual([12, 12, 3]);
  const [unit] = unitsOf(data, task, { visible: "strict" });
  const { question, facts, rubric, gold } = unit!.examples[0]!;
  expect([facts?.tags, gold]).toEqual([{ category: "Art_and_Entertainment" }, undefined]);
  expect(rubric).toMatchObject({ narrative: expect.stringContaining("wide brush"), aspects: { length: 3 } });
  expect(JSON.stringify([question, facts])).not.toContain("wide brush");
  expect(unit!.user.history.map(({ session, content }) => [session, content.length > 0])).toContainEqual(["1", true]);
});

test("of a folder one part is read; a post that is the question's own is hidden", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lamp-qa-"));
  const [first, second] = art();
  const own = [...first.profile, { ...first.profile[0], id: first.id }];
  writeFileSync(join(folder, "Art_and_Entertainment_validation.json"), JSON.stringify([{ ...first, profile: own }]));
  writeFileSync(join(folder, "Society_and_Culture_train.json"), JSON.stringify([second]));
  expect([...(await load(folder)).users].map(({ id }) => id)).toEqual([first.id]);
  expect([...(await load(folder, { split: "train" })).users].map(({ id }) => id)).toEqual([second.id]);
  const [unit] = unitsOf(await load(folder), task, { visible: "strict" });
  expect(unit!.user.history).toHaveLength(first.profile.length);
});

test.each([
  ["rubric_aspects", [], 'question art1: field "rubric_aspects" is empty'],
  ["rubric_aspects", [{ reason: "x" }], 'aspect 1: field "aspect" is missing'],
  ["question", null, 'field "question" is null'],
  ["profile", [{ id: "1" }], 'field "text" is missing'],
])("a record with %s %j is refused", async (field, value, message) => {
  const file = join(mkdtempSync(join(tmpdir(), "lamp-qa-")), "Art_and_Entertainment_test.json");
  writeFileSync(file, JSON.stringify([{ ...art()[0], [field]: value }]));
  await expect(load(file)).rejects.toThrow(message);
});
