import { describe, expect, it } from "vitest";
import { audit } from "../../src/data/audit.js";
import { openSource } from "../../src/data/formats/index.js";
import { tasks } from "../../src/tasks/index.js";
import { asking, folderWith, review } from "./fixtures.js";

const task = tasks.get("lamp3");
const source = (files: Record<string, unknown>) => openSource(folderWith(files), task);
const clean = {
  user_id: "u",
  profile: [
    review("a", "one", 5, "2019-01-01"),
    review("b", "two", 5, "2019-02-01"),
    review("c", "three", 1, "2020-01-01"),
  ],
  query: [{ id: "q", input: asking("asked"), gold: "4", date: "2020-01-01" }],
};

describe("the leak audit", () => {
  it("passes clean data and counts items of the same day apart", async () => {
    const found = await audit(
      await source({ "users.json": [clean], "user_others.json": [{ ...clean, user_id: "t" }] }),
      task,
    );
    expect(found.verdict).toBe("clean");
    expect(found).toMatchObject({
      questions: 1,
      pairs: 3,
      sameDate: 1,
      grades: { shown: 0, hidden: 0, suspicion: 0 },
      undatedQuestions: 0,
    });
  });

  it("finds each kind of leak and the place", async () => {
    const leaky = {
      ...clean,
      profile: [
        review("q", "x", 1, "2019-01-01"),
        review("b", "ASKED ", 5, "2019-01-01"),
        review("c", "y", 1, "2020-01-02"),
      ],
    };
    const others = [clean, { ...clean, user_id: "t", query: [], profile: [review("z", "asked", 2, "2018-01-01")] }];
    const found = await audit(await source({ "users.json": [leaky], "user_others.json": others }), task);
    expect(found.verdict).toBe("clean");
    expect(found).toMatchObject({
      found: { own: 1, later: 1, sameText: 1, testUserInTraining: 1, poolText: 1 },
      grades: { shown: 0, hidden: 5, suspicion: 0 },
    });
    expect(found.examples.join("\n")).toMatch(
      /users\.json: record 1: question q, history item c: history items dated after the question \(hidden\)/,
    );
  });

  it("flags history items dated by the question's year or month alone, which may be later, and no others", async () => {
    const dates = ["2020", "2020-01", "2019", "2019-12", "2020-01-01"];
    const vague = { ...clean, profile: dates.map((date, at) => review(`${at}`, `item ${at}`, 5, date)) };
    const found = await audit(await source({ "users.json": [vague] }), task);
    expect([found.verdict, found.found.shorterDate]).toEqual(["suspicions", 2]);
    expect(found.examples).toEqual([
      expect.stringMatching(
        /question q, history item 0: history items dated only by the year or month of the question/,
      ),
      expect.stringMatching(/history item 1: /),
    ]);
  });
});

it("finds a question that a user asks twice in two lines of own data", async () => {
  const line = (id: string) => JSON.stringify({ user: "u", id, question: "a", gold: "4", history: [] });
  const folder = folderWith({ "rows.jsonl": `${line("1")}\n${line("2")}\n` });
  const found = await audit(await openSource(`${folder}/rows.jsonl`, task), task);
  expect(found).toMatchObject({ verdict: "suspicions", found: { repeatedQuestion: 1 } });
});

it("finds a question's text in another user's items where the item's owner asks it too", async () => {
  const line = (user: string, history: readonly object[]) =>
    JSON.stringify({ user, id: `${user}-q`, question: "Same text", gold: "4", history });
  const folder = folderWith({ "rows.jsonl": `${line("u", [{ text: "same TEXT", score: "4" }])}\n${line("v", [])}\n` });
  const found = await audit(await openSource(`${folder}/rows.jsonl`, task), task);
  expect(found.found.poolText).toBe(1);
});
