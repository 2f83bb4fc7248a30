import { describe, expect, it } from "vitest";
import { othersOf } from "../../src/data/others.js";
import { unitsOf } from "../../src/data/units.js";
import { tasks } from "../../src/tasks/index.js";
import type { RawItem } from "../../src/types/index.js";
import { asking, dataset, user } from "./fixtures.js";

const task = tasks.get("lamp3");
const item = (id: string, date?: string, text = `text of ${id}`): RawItem => ({
  id,
  text,
  score: "4",
  ...(date ? { date } : {}),
});
const query = (id: string, date?: string, text = `question ${id}`) => ({
  id,
  input: asking(text),
  gold: "5",
  ...(date ? { date } : {}),
});
const shape = (units: ReturnType<typeof unitsOf>) =>
  Array.from(units, ({ id, user: { history }, examples }) => [
    id,
    history.map((event) => event.id),
    examples.map(({ question }) => question.id),
  ]);

describe("the visible history", () => {
  it("hides later events, the question itself and its text", () => {
    const past = [
      item("a", "2019-01-01"),
      item("q", "2019-02-01"),
      item("b", "2019-03-01", "The  SAME\ntext"),
      item("c", "2020-01-01"),
      item("d", "2020-01-02"),
    ];
    const data = dataset([user("u", past, [query("q", "2020-01-01", "the same text")])]);
    const strict = unitsOf(data, task, { visible: "strict" });
    expect(shape(strict)).toEqual([["u", ["a", "c"], ["q"]]]);
    const shipped = unitsOf(data, task, { visible: "as-shipped" });
    expect(shape(shipped)[0]?.[1]).toEqual(["a", "q", "b", "c", "d"]);
  });

  it("searches for LaMP-1 as the official script does as shipped, quotes in titles included", () => {
    const input = 'the paper with the title "The "best" one", which reference is related? [1]: "A" [2]: "B"';
    const data = dataset([
      user(
        "u",
        [],
        [
          { id: "q", input },
          { id: "r", input: "no title" },
        ],
      ),
    ]);
    const queries = (visible: "strict" | "as-shipped") =>
      [...unitsOf(data, tasks.get("lamp1"), { visible })].flatMap(({ examples }) =>
        examples.map((e) => e.question.query),
      );
    expect(queries("strict")).toEqual(["A B", "no title"]);
    expect(queries("as-shipped")).toEqual([" one A", "no title"]);
  });

  it("orders bare years before the days of that year", () => {
    const data = dataset([user("u", [item("y", "2020"), item("d", "2020-05-01")], [query("q", "2020")])]);
    expect(shape(unitsOf(data, task, { visible: "strict" }))).toEqual([["u", ["y"], ["q"]]]);
  });

  it("keeps the latest events, counted after hiding", () => {
    const data = dataset([
      user(
        "u",
        ["a", "b", "c", "q"].map((id) => item(id)),
        [query("q")],
      ),
    ]);
    const units = unitsOf(data, task, { visible: "strict", historyLimit: 2 });
    expect(shape(units)).toEqual([["u", ["b", "c"], ["q"]]]);
  });
});

describe("units", () => {
  it("join questions that see the same past and part those that do not, in date order", () => {
    const past = [item("a", "2019-01-01"), item("b", "2020-06-01")];
    const data = dataset([
      user("u", past, [
        query("q3", "2021-01-01"),
        query("q1", "2020-01-01"),
        query("q2", "2020-01-02"),
        query("q4", "2021-01-01"),
      ]),
      user("v", past, [query("q5", "2021-01-01")]),
    ]);
    expect(shape(unitsOf(data, task, { visible: "strict" }))).toEqual([
      ["u", ["a"], ["q1", "q2"]],
      ["u#2", ["a", "b"], ["q3", "q4"]],
      ["v", ["a", "b"], ["q5"]],
    ]);
  });

  it("are apart where items share ids but not content", () => {
    const own = (id: string, past: string) => ({ ...query(id), profile: [item("0", undefined, past)] });
    const units = unitsOf(dataset([user("u", [], [own("q1", "one"), own("q2", "other")])]), task, {
      visible: "strict",
    });
    expect(Array.from(units, ({ user: { history } }) => history[0]?.content)).toEqual(["one", "other"]);
  });

  it("never hand the gold to the question", () => {
    const units = unitsOf(dataset([user("u", [item("a")], [query("q")])]), task, { visible: "strict" });
    expect(JSON.stringify(units.at(0)?.examples[0]?.question)).not.toContain("gold");
    expect(units.at(0)?.examples[0]?.gold).toBe("5");
    const { gold: _gold, ...open } = query("open");
    const [unit] = unitsOf(dataset([user("u", [item("a")], [open])]), task, { visible: "strict" });
    expect(unit?.examples[0]).not.toHaveProperty("gold");
  });
});

describe("users that are made when they are asked for", () => {
  const users = [
    user(
      "u",
      [item("a", "2019-01-01"), item("late", "2022-01-01")],
      [query("q", "2020-01-01"), query("r", "2023-01-01")],
    ),
    user("v", [item("b"), item("s")], [query("s")]),
    user("w", [item("c")], [query("t"), query("x")]),
  ];
  const asked = {
    length: 3,
    at: (index: number) => users.at(index),
    [Symbol.iterator]: () => users[Symbol.iterator](),
  };
  const held = unitsOf({ users }, task, { visible: "strict" });
  const made = unitsOf({ users: asked }, task, { visible: "strict" });

  it("give the units that users in memory give, in order and by number", () => {
    expect(held).toBeInstanceOf(Array);
    expect(made).not.toBeInstanceOf(Array);
    expect([...made]).toEqual([...held]);
    expect([...made]).toEqual([...held]);
    expect(made.length).toBe(4);
    expect([0, 1, 2, 3, 4, -1].map((index) => made.at(index))).toEqual(
      [0, 1, 2, 3, 4, -1].map((index) => held.at(index)),
    );
  });
});

describe("the pool of other users", () => {
  const users = [
    user("u", [item("u1", "2019-01-01"), item("u2", "2020-01-01")], [query("qu", "2020-06-01")]),
    user("v", [item("v1", "2019-06-01"), item("v2", "2020-12-01")], [query("qv", "2021-01-01")]),
  ];
  const training = [user("t", [item("t1", "2019-01-01"), item("t2", "2022-01-01")], []), user("v", [item("x")], [])];
  const pool = (
    data: ReturnType<typeof dataset>,
    others: "auto" | "training-users" | "leave-one-out" | "all",
    visible: "before-query" | "all" = "before-query",
  ) => othersOf(data, task, { others, visible }, unitsOf(data, task, { visible: "strict" }));
  const ids = (made: ReturnType<typeof pool>, asking: string, date?: string) =>
    made.eventsFor(asking, date).map(({ event }) => event.id);

  it("is the training users where there are any, never a test user among them", () => {
    const made = pool(dataset(users, training), "auto", "all");
    expect(made.kind).toBe("training users");
    expect(ids(made, "u")).toEqual(["t1", "t2"]);
    expect(made.size).toBe(2);
  });

  it("is the other test users' visible pasts where there are none", () => {
    const made = pool(dataset(users), "auto");
    expect(made.kind).toBe("leave-one-out");
    expect(ids(made, "u", "2020-06-01")).toEqual(["v1"]);
    expect(ids(made, "u", "2021-06-01")).toEqual(["v1", "v2"]);
    expect(ids(made, "v", "2021-01-01")).toEqual(["u1", "u2"]);
  });

  it("is the test users alone, or both, where that is asked for", () => {
    const alone = pool(dataset(users, training), "leave-one-out");
    expect(alone.kind).toBe("leave-one-out");
    expect(ids(alone, "u")).toEqual(["v1", "v2"]);
    const both = pool(dataset(users, training), "all", "all");
    expect(both.kind).toBe("training users and leave-one-out");
    expect(ids(both, "u")).toEqual(["t1", "t2", "v1", "v2"]);
    expect(ids(both, "stranger")).toEqual(["t1", "t2", "u1", "u2", "v1", "v2"]);
  });

  it("lists an event that several of a user's questions see once", () => {
    const later = [query("q1", "2019-06-01"), query("q2", "2020-06-01")];
    const twice = [user("u", [item("u1", "2019-01-01"), item("u2", "2020-01-01")], later), users[1]!];
    expect(ids(pool(dataset(twice), "auto"), "v")).toEqual(["u1", "u2"]);
  });

  it("keeps what has no text: a question without text is a twin of nothing", () => {
    const blank = user("u", [], [{ id: "q", input: asking(""), gold: "5" }]);
    const others = [user("t", [item("t1", undefined, ""), item("t2")], [])];
    expect(ids(pool(dataset([blank], others), "auto"), "u")).toEqual(["t1", "t2"]);
  });

  it("shows nobody's future unless asked to", () => {
    expect(ids(pool(dataset(users, training), "training-users"), "u", "2020-06-01")).toEqual(["t1"]);
    expect(ids(pool(dataset(users, training), "training-users", "all"), "u", "2020-06-01")).toEqual(["t1", "t2"]);
  });

  it("holds no text of a test question, but what only bears its id; what has no label is in it and counted apart", () => {
    const others = [user("t", [item("qu"), item("t1", undefined, "question  QV"), item("t2")], [])];
    expect(ids(pool(dataset(users, others), "auto"), "u")).toEqual(["qu", "t2"]);
    const papers = dataset([
      user("u", [{ id: "1", title: "A", abstract: "" }], [{ id: "q", input: "x" }]),
      user("v", [{ id: "2", title: "B", abstract: "" }], [{ id: "r", input: "y" }]),
    ]);
    const lamp1 = tasks.get("lamp1");
    const units = unitsOf(papers, lamp1, { visible: "strict" });
    expect(othersOf(papers, lamp1, { others: "auto", visible: "all" }, units)).toMatchObject({ size: 1, labelled: 0 });
    expect(pool(dataset(users, training), "auto")).toMatchObject({ size: 2, labelled: 2 });
  });

  it("says when it is empty for the worst-off user", () => {
    expect(pool(dataset(users.slice(0, 1)), "auto").size).toBe(0);
    expect(pool(dataset(users), "training-users").size).toBe(0);
  });
});
