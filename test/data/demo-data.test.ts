import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { demoFiles } from "../../scripts/demo-data.js";
import { audit } from "../../src/data/audit.js";
import { openSource } from "../../src/data/formats/index.js";
import { loadDataset } from "../../src/data/load.js";
import { othersOf } from "../../src/data/others.js";
import { unitsOf } from "../../src/data/units.js";
import { tasks } from "../../src/tasks/index.js";
import type { Task, Unit } from "../../src/types/index.js";

const files = demoFiles();
const names = ["lamp1", "lamp2m", "lamp2n", "lamp3", "lamp4", "lamp5"];

describe("the built-in demo data", () => {
  it("are made byte for byte by the script, within 3 MB", () => {
    let bytes = 0;
    for (const [path, text] of files) {
      const stored = readFileSync(fileURLToPath(new URL(`../../datasets/demo/${path}`, import.meta.url)));
      expect(stored.equals(Buffer.from(text)), `${path}: run npm run demo-data`).toBe(true);
      bytes += stored.length;
    }
    expect(files.size).toBe(46);
    expect(bytes).toBeLessThan(3e6);
  });

  it.each(names)("%s has 20 users or more with dated histories, training users, and no leak", async (name) => {
    const task = tasks.get(name);
    const data = await loadDataset({ task, lamp1Labels: "auto", emptyProfile: "error", seed: 0 });
    const units = unitsOf(data, task, { visible: "strict" });
    expect(data).toMatchObject({ name: "demo", ordered: true });
    expect(data.users.length).toBeGreaterThanOrEqual(20);
    for (const { profile, queries } of data.users) {
      expect(profile.length).toBeGreaterThanOrEqual(12);
      expect(queries.length).toBeGreaterThanOrEqual(3);
      for (const item of profile) expect(item.date).toBeDefined();
    }
    for (const { user } of units) for (const event of user.history) expect(event.label, event.id).toBeDefined();
    const pool = (others: "auto" | "leave-one-out" | "all") =>
      othersOf(data, task, { others, visible: "before-query" }, units).events.length;
    expect(pool("auto")).toBeGreaterThan(100);
    expect(pool("all")).toBe(pool("auto") + pool("leave-one-out"));
    const { grades } = await audit(await openSource(undefined, task), task);
    expect(grades.hidden).toBe(0); // made of few templates: some texts are near-duplicates
  });

  it.each([
    ["lamp2m", 0.5],
    ["lamp2n", 0.5],
    ["lamp3", 0.5],
  ])(
    "%s rewards a look at similar history items, above the majority label and below certainty",
    async (name, least) => {
      const task = tasks.get(name);
      const data = await loadDataset({ task, lamp1Labels: "auto", emptyProfile: "error", seed: 0 });
      const units = unitsOf(data, task, { visible: "strict" });
      const nearest = accuracy(task, [...units], nearestLabel);
      const majority = accuracy(task, [...units], majorityLabel);
      expect(nearest).toBeGreaterThan(least);
      expect(nearest).toBeLessThan(0.85);
      expect(nearest).toBeGreaterThan(majority + 0.15);
    },
  );
});

type Guess = (unit: Unit, content: string) => string | undefined;

function accuracy(task: Task, units: readonly Unit[], guess: Guess): number {
  const answers = units.flatMap((unit) =>
    unit.examples.map(({ question, gold }) => guess(unit, question.content) === gold),
  );
  expect(task.labels.length).toBeGreaterThan(0);
  return answers.filter(Boolean).length / answers.length;
}

/** The label of the history item that shares the rarest words with the question. */
const nearestLabel: Guess = ({ user }, content) => {
  const documents = user.history.map((event) => new Set(event.content.split(" ")));
  const weight = (word: string): number =>
    Math.log(documents.length / (1 + documents.filter((words) => words.has(word)).length));
  const words = new Set(content.split(" "));
  const scores = documents.map((document) =>
    [...words].reduce((sum, word) => sum + (document.has(word) ? weight(word) : 0), 0),
  );
  return user.history[scores.indexOf(Math.max(...scores))]?.label;
};

const majorityLabel: Guess = ({ user }) => {
  const counts = new Map<string, number>();
  for (const { label = "" } of user.history) counts.set(label, (counts.get(label) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
};
