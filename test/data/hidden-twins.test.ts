import { describe, expect, test } from "vitest";
import { othersOf, unitsOf } from "../../src/data/index.js";
import { lazily, nth } from "../../src/data/sequence.js";
import { tasks } from "../../src/tasks/index.js";
import type { UserData } from "../../src/types.js";
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
  Array.from(units.units, ({ user: { history } }) => history.map(({ id }) => id));

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
  ] as const)("%s: the question sees %j, and it is counted", (nearTwins, seen) => {
    for (const data of [dataset([ann]), streamed([ann])]) {
      const units = unitsOf(data, task, { ...strict, nearTwins });
      expect(idsOf(units)).toEqual([seen]);
      expect(units.nearTwins).toBe(1);
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
    const units = unitsOf(data, task, { ...strict, nearTwins: "hide" });
    expect(idsOf(units)).toEqual([[], ["a2"]]);
    expect(units.nearTwins).toBe(1);
  });

  test("is looked for, too, where every question brings its past along", () => {
    const data = dataset([user("ann", [], [{ ...query("q1", TEXT), profile: [review("a1", NEARLY)] } as never])]);
    expect(unitsOf(data, task, { ...strict, nearTwins: "hide" })).toMatchObject({ nearTwins: 1 });
  });

  test("is counted for each question that it is like, and parts no questions that see the same past", () => {
    const past = [review("b1", NEARLY), review("b2", OTHER), review("b3", "a lamp"), review("b4", "a chair of oak")];
    const one = user("one", past, [query("q1", TEXT)]);
    const two = user("two", past, [query("q2", TEXT), query("q3", OTHER.replace("indeed", "today"))]);
    for (const data of [dataset([one, two]), streamed([one, two])]) {
      const units = unitsOf(data, task, strict);
      expect(units.nearTwins).toBe(3);
      expect([units.units.length, ...idsOf(units).map((ids) => ids.length)]).toEqual([2, 4, 4]);
    }
  });

  test("is counted, too, where it is older than the past that is kept", () => {
    const kept = { ...strict, historyLimit: { kind: "latest", count: 1 } } as const;
    const units = unitsOf(dataset([ann]), task, kept);
    expect(idsOf(units)).toEqual([["a2"]]);
    expect(units.nearTwins).toBe(1);
  });

  test("stops the run where that is asked for, with user, item, question and threshold", () => {
    expect(() => unitsOf(dataset([ann]), task, { ...strict, nearTwins: "error", near: 0.9 })).toThrow(
      "user ann: past item a1 is nearly the text of question q1 (history.near=0.9)",
    );
  });
});

describe("an item of others that is nearly a question's text", () => {
  const bob = user("bob", [review("b1", OTHER)], [query("q2", NEARLY)]);
  const made = (users: readonly UserData[], more: object) => {
    const data = dataset(users);
    const pool = othersOf(data, task, { ...others, ...more }, unitsOf(data, task, strict).units);
    return { ids: pool.events.map(({ event }) => event.id), remarks: pool.remarks };
  };
  const carl = user("carl", [review("c1", `${NEARLY} too`)], [query("q3", "something else was asked here")]);

  test("is shown, and the run says so", () => {
    expect(made([user("ann", [], [query("q1", TEXT)]), carl], {})).toEqual({
      ids: ["c1"],
      remarks: ["shown in the pool: 1 item (nearly a question's text)"],
    });
  });

  test("can be left out", () => {
    const two = user("dan", [review("d1", `${NEARLY} now`)], [query("q4", "is the fifth thing asked here")]);
    expect(made([user("ann", [], [query("q1", TEXT)]), carl, two], { nearTwins: "hide" })).toEqual({
      ids: [],
      remarks: ["left out of the pool: 2 items (nearly a question's text)"],
    });
  });

  test("can stop the run, which names its owner and the question", () => {
    expect(() => made([user("ann", [], [query("q1", TEXT)]), carl], { nearTwins: "error" })).toThrow(
      "user carl: item c1, in the pool of other users, is nearly the text of question q1",
    );
  });

  test("is none where the question is its owner's own: that is a matter of the past", () => {
    expect(made([ann, user("bob", [], [query("q2", "what of the lamp")])], { nearTwins: "hide" })).toEqual({
      ids: ["a1", "a2"],
      remarks: [],
    });
  });

  test("what is a question by its text is left out whatever the settings, and told apart from near ones", () => {
    expect(made([user("ann", [review("a3", NEARLY)], [query("q1", OTHER)]), bob], {})).toEqual({
      ids: [],
      remarks: ["left out of the pool: 2 items (a question's text)"],
    });
  });

  test("the pool has nothing to say before anybody looked into it, and its emptiness is told after what is hidden", () => {
    const bobs = user("bob", [review("b1", NEARLY)], [query("q2", `${OTHER} so`)]);
    const data = dataset([user("ann", [review("a1", OTHER)], [query("q1", TEXT)]), bobs]);
    const pool = othersOf(data, task, { ...others, nearTwins: "hide" }, unitsOf(data, task, strict).units);
    expect(pool.remarks).toEqual([]);
    expect(pool.isEmpty).toBe(true);
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
    expect(made.units.length).toBe(1);
    const { id, user: owner, examples } = made.units.at(0)!;
    expect([id, owner.id, owner.history.map((event) => event.id)]).toEqual(["d", "d", ["p1"]]);
    expect(examples.map(({ question, gold, before: earlier }) => [question.id, gold, earlier])).toEqual([
      ["q1", "yes", before],
      ["q2", "yes", undefined],
    ]);
    expect("before" in examples[1]!).toBe(false);
  });

  test("shows no fact dated behind its first turn, and counts it", () => {
    const made = unit([said("p1", "2019"), said("p2", "2021"), said("p3")], [turn("q1", "2020-01")]);
    expect(made.units.at(0)?.user.history.map(({ id }) => id)).toEqual(["p1", "p3"]);
    expect(made.removed.later).toBe(1);
  });

  test("may speak of its persona in its own words: they are no twins of a turn", () =>
    expect(unit([{ ...said("p1"), text: TEXT }], [{ ...turn("q1"), input: NEARLY }]).nearTwins).toBe(0));

  test("without turns shows its whole persona", () => {
    expect(unit([said("p1", "2019")], []).units.at(0)?.user.history).toHaveLength(1);
  });
});

describe("near twins of large data", () => {
  const people = (count: number, questions: readonly string[], items = 1) =>
    dataset(
      Array.from({ length: count }, (_, u) =>
        user(
          `u${u}`,
          Array.from({ length: items }, (_, i) => review(`p${u}-${i}`, NEARLY)),
          questions.map((text, q) => query(`${u}-${q}`, text)),
        ),
      ),
    );

  test.each([
    ["one question a user, of one past item", [TEXT], 1, Math.floor(640 / 200)],
    ["several questions", [TEXT, OTHER], 1, Math.floor(640 / 133)], // 1 + 2 a user
    ["long pasts", [TEXT], 100, Math.floor(639 / 3)], // 101 a user
  ] as const)(
    "are counted in steps of at most 400 past items and users, between which other work goes on: %s",
    (_, questions, items, steps) => {
      const units = unitsOf(people(640, questions, items), task, strict);
      expect([...units.counting!()]).toHaveLength(steps);
      expect(units.nearTwins).toBe(640 * items);
      expect([...units.counting!()], "nothing is left to count").toHaveLength(0);
      expect(unitsOf(people(640, questions, items), task, strict).nearTwins, "at once").toBe(640 * items);
    },
  );

  test("of few users, and where the past is cut by them, they are known at once", () => {
    expect(unitsOf(people(500, [TEXT]), task, strict).counting).toBeUndefined();
    expect(unitsOf(people(640, [TEXT]), task, { ...strict, nearTwins: "hide" }).counting).toBeUndefined();
  });
});
