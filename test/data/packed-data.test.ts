import { expect, test } from "vitest";
import { loadDataset } from "../../src/data/load.js";
import { othersOf } from "../../src/data/others.js";
import { mergedByUser, unitsOf } from "../../src/data/units.js";
import { tasks } from "../../src/tasks/index.js";
import type { Sequence } from "../../src/types/index.js";
import { folderWith, load } from "./fixtures.js";

const item = (id: string, more: object) => ({
  id,
  title: `title ${id}`,
  abstract: "",
  text: `past ${id} é \ud83d\ude00`,
  score: "4",
  ...more,
});
const window = [item("a", { citation: "cited a" }), item("b", { citation: "cited b" })];
const official = {
  "dev_questions.json": Array.from({ length: 30 }, (_, i) => ({
    id: `q${i}`,
    user_id: `u${i % 7}`,
    input: `What is the score of the following review on a scale of 1 to 5? just answer with 1, 2, 3, 4, or 5 without further explanation. review: text ${i}`,
    profile: window.map((one) => ({ ...one, id: `${one.id}${i}`, text: `${one.text} ${i % 3}` })),
  })),
  "dev_outputs.json": {
    task: "LaMP_3",
    golds: Array.from({ length: 29 }, (_, i) => ({ id: `q${i}`, output: `${(i % 5) + 1}` })),
  },
};
const perUser = (gold: string) => ({
  "users.json": Array.from({ length: 12 }, (_, i) => ({
    user_id: `u${i}`,
    profile: window.map((one) => ({ ...one, id: `${one.id}${i}`, date: `2020-01-0${(i % 3) + 1}` })),
    query: [0, 1].map((k) => ({ id: `q${i}-${k}`, input: `asks ${k}`, gold, date: `2020-01-0${k + 1}` })),
  })),
});

/** Everything that a run takes from a data set. */
async function taken(path: string, name: string, more: Parameters<typeof load>[2]) {
  const task = tasks.get(name);
  const data = await loadDataset(load(name, path, more));
  const units = unitsOf(data, task, { visible: "strict" });
  const { kind, isEmpty, size, labelled, events } = othersOf(data, task, { others: "auto", visible: "all" }, units);
  const all = <T>(things: Sequence<T>) => [[...things], things.length, things.at(0), things.at(-1), things.at(2)];
  const pool = { kind, isEmpty, size, labelled, events };
  return { ...data, users: all(data.users), units: all(units), streams: all(mergedByUser(units)), pool };
}

test.each([
  ["lamp3", official, {}],
  ["lamp3", official, { queriesPerUser: 2, limit: 9 }],
  ["lamp3", perUser("5"), { users: 5 }],
  ["lamp1", perUser("[1]"), { lamp1Labels: "own-title-proxy" as const }],
])("data of %s that are kept in a temporary file are what they are in memory", async (name, files, more) => {
  const path = folderWith(files);
  const held = await taken(path, name, more);
  expect(await taken(path, name, { ...more, heldBytes: 0 })).toEqual(held);
  expect(held.users[1]).toBeGreaterThan(2);
});
