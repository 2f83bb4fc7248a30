import { describe, expect, test } from "vitest";
import { othersOf, unitsOf } from "../../src/data/index.js";
import { lazily, nth } from "../../src/data/sequence.js";
import { tasks } from "../../src/tasks/index.js";
import type { UserData } from "../../src/types/index.js";
import { asking, dataset, user } from "./fixtures.js";

const task = tasks.get("lamp3");
const review = (id: string, text: string) => ({ id, text, score: "3" });
const TEXT = "a sturdy kettle that boils fast and pours without any drip on the table";
const NEARLY = "a sturdy kettle that boils fast and pours without any drip on the shelf";
const OTHER = "this novel of two sisters drags in its middle part yet ends rather well indeed";
const query = (id: string, text: string) => ({ id, input: asking(text), gold: "5" });
const strict = { visible: "strict" } as const;
const others = { others: "leave-one-out", visible: "before-query" } as const;

const ann = user("ann", [review("a1", NEARLY), review("a2", OTHER)], [query("q1", TEXT)]);
const idsOf = (units: ReturnType<typeof unitsOf>) =>
  Array.from(units, ({ user: { history } }) => history.map(({ id }) => id));

/** The same users, read anew each time, as from a large file. */
const streamed = (users: readonly UserData[]) => ({
  ...dataset([]),
  users: lazily(
    users.length,
    () => users.values(),
    (index) => nth(users.values(), index),
  ),
});

describe("a past item that is nearly a question's text", () => {
  test.each([
    ["show", ["a1", "a2"]],
    ["hide", ["a2"]],
  ] as const)("%s: the question sees %j", (nearDuplicates, seen) => {
    for (const data of [dataset([ann]), streamed([ann])]) {
      const units = unitsOf(data, task, { ...strict, nearDuplicates });
      expect(idsOf(units)).toEqual([seen]);
    }
  });

  test("is shown where nothing else is asked for", () => {
    expect(idsOf(unitsOf(dataset([ann]), task, strict))).toEqual([["a1", "a2"]]);
  });

  test("is looked for in the past that each question brings along, and hidden from that question alone", () => {
    const both = [review("a1", NEARLY), review("a2", OTHER)];
    const data = dataset([
      user("ann", [], [query("q2", "a novel")].concat({ ...query("q1", TEXT), profile: both } as never)),
    ]);
    const units = unitsOf(data, task, { ...strict, nearDuplicates: "hide" });
    expect(idsOf(units)).toEqual([[], ["a2"]]);
  });

  test("is looked for, too, where every question brings its past along", () => {
    const data = dataset([user("ann", [], [{ ...query("q1", TEXT), profile: [review("a1", NEARLY)] } as never])]);
    expect(idsOf(unitsOf(data, task, { ...strict, nearDuplicates: "hide" }))).toEqual([[]]);
  });

  test("stops the run where that is asked for, with user, item, question and threshold", () => {
    expect(() => unitsOf(dataset([ann]), task, { ...strict, nearDuplicates: "error", near: 0.9 })).toThrow(
      "user ann: past item a1 is nearly the text of question q1 (history.near=0.9)",
    );
  });
});

describe("an item of others that is nearly a question's text", () => {
  const bob = user("bob", [review("b1", OTHER)], [query("q2", NEARLY)]);
  const made = (users: readonly UserData[], more: object) => {
    const data = dataset(users);
    const pool = othersOf(data, task, { ...others, ...more }, unitsOf(data, task, strict));
    return pool.events.map(({ event }) => event.id);
  };
  const carl = user("carl", [review("c1", `${NEARLY} too`)], [query("q3", "something else was asked here")]);

  test("is shown", () => {
    expect(made([user("ann", [], [query("q1", TEXT)]), carl], {})).toEqual(["c1"]);
  });

  test("can be left out", () => {
    const two = user("dan", [review("d1", `${NEARLY} now`)], [query("q4", "is the fifth thing asked here")]);
    expect(made([user("ann", [], [query("q1", TEXT)]), carl, two], { nearDuplicates: "hide" })).toEqual([]);
  });

  test("can stop the run, which names its owner and the question", () => {
    expect(() => made([user("ann", [], [query("q1", TEXT)]), carl], { nearDuplicates: "error" })).toThrow(
      "user carl: item c1, in the pool of other users, is nearly the text of question q1",
    );
  });

  test("is none where the question is its owner's own: that is a matter of the past", () => {
    expect(made([ann, user("bob", [], [query("q2", "what of the lamp")])], { nearDuplicates: "hide" })).toEqual([
      "a1",
      "a2",
    ]);
  });

  test("what is a question by its text is left out whatever the settings", () => {
    expect(made([user("ann", [review("a3", NEARLY)], [query("q1", OTHER)]), bob], {})).toEqual([]);
  });
});

describe("a dialogue", () => {
  const chat = tasks.get("personachat");
  const said = (id: string, date?: string) => ({
    id,
    text: `fact ${id}`,
    speaker: "answers",
    ...(date ? { date } : {}),
  });
  const turn = (id: string, date?: string) => ({ id, input: `${id}?`, gold: "yes", ...(date ? { date } : {}) });
  const unit = (profile: readonly object[], queries: readonly object[]) =>
    unitsOf({ users: [{ id: "d", profile, queries }] as never }, chat, strict);

  test("is one unit in order of date, with what was said before and the persona as its past", () => {
    const before = [{ id: "t1", said: "hi", reply: "hello" }];
    const made = unit([said("p1")], [turn("q2", "2020-02"), { ...turn("q1", "2020-01"), before }]);
    expect(made.length).toBe(1);
    const { id, user: owner, examples } = made.at(0)!;
    expect([id, owner.id, owner.history.map((event) => event.id)]).toEqual(["d", "d", ["p1"]]);
    expect(examples.map(({ question, gold, before: earlier }) => [question.id, gold, earlier])).toEqual([
      ["q1", "yes", before],
      ["q2", "yes", undefined],
    ]);
    expect("before" in examples[1]!).toBe(false);
  });

  test("shows no fact dated behind its first turn", () => {
    const made = unit([said("p1", "2019"), said("p2", "2021"), said("p3")], [turn("q1", "2020-01")]);
    expect(made.at(0)?.user.history.map(({ id }) => id)).toEqual(["p1", "p3"]);
  });

  test("without turns shows its whole persona", () => {
    expect(unit([said("p1", "2019")], []).at(0)?.user.history).toHaveLength(1);
  });
});
