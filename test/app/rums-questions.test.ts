import { join } from "node:path";
import { expect, test } from "vitest";
import { renderQuestions } from "../../src/app/rums/questions.js";
import type { ReadQueries } from "../../src/data/profile-questions/paper-data.js";
import type { PaperQuery } from "../../src/data/profile-questions/queries.js";

const cwd = join("/", "work");
const query = (personal: boolean | undefined): PaperQuery => ({
  id: "q",
  text: "q",
  ...(personal === undefined ? {} : { personal }),
});
const profile = { id: "p", items: [] };
const pair = { query: query(true), profile };
const told = (files: readonly ReadQueries[], out = "made"): string[] =>
  renderQuestions({ files, profiles: [profile], pairs: [pair, pair] }, { out }, { cwd }).split("\n");
const file = (name: string, kinds: readonly (boolean | undefined)[], left = 0): ReadQueries => ({
  file: name,
  form: "a form",
  records: 3,
  left,
  queries: kinds.map(query),
});

test("what was read is told file by file, what was left out only where something was", () => {
  expect(told([file("a.jsonl", [true, false]), file("b.json", [false], 2)])).toEqual([
    "a.jsonl: a form, 3 records, 2 questions taken",
    "b.json: a form, 3 records, 2 left out (not English, toxic, or without a line of the user's), 1 question taken",
    "1 profile; 2 pairs of a question and a profile",
    "in made; next: lamp-eval run --task profile-questions --data made --preset rums",
  ]);
});

test("people are asked for where any question of any file has no word of theirs", () => {
  const asks = (files: readonly ReadQueries[]) => told(files).some((line) => line.includes("people must say"));
  expect(asks([file("a", [true, false])])).toBe(false);
  expect(asks([file("a", [true]), file("b", [true, undefined])])).toBe(true);
});

test("the folder is named from where one stands", () => {
  expect(told([], cwd).at(-1)).toContain("in .; next: lamp-eval run --task profile-questions --data . ");
});
