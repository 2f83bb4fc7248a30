import { describe, expect, test } from "vitest";
import { type OthersSettings, othersOf, poolOf } from "../../src/data/others.js";
import { unitsOf } from "../../src/data/units.js";
import { tasks } from "../../src/tasks/index.js";
import type { Event, Unit } from "../../src/types/index.js";
import { asking, dataset, user } from "./fixtures.js";

const review = (id: string, text: string) => ({ id, text, score: "3" });

const event = (id: string, date?: string): Event => ({
  id,
  ...(date === undefined ? {} : { date }),
  fields: { id },
  content: id,
  document: id,
  label: "x",
});
describe("the pool that a run opens", () => {
  const task = tasks.get("lamp3");
  const unit = (id: string, history: readonly Event[], ...asked: readonly Event[]): Unit => ({
    id,
    user: { id, history },
    examples: asked.map(({ id, content }) => ({ question: { id, text: content, content, query: content } })),
  });
  const trained = (id: string, ...ids: readonly string[]) => ({
    id,
    profile: ids.map((item) => ({ id: item, text: `text ${item}`, score: "3" })),
    queries: [],
  });
  const open = (
    others: "auto" | "training-users" | "leave-one-out" | "all",
    units: Iterable<Unit>,
    ...users: ReturnType<typeof trained>[]
  ) => othersOf({ others: users }, task, { others, visible: "before-query" }, units);
  const [a, b, c] = [event("a"), event("b"), event("c")] as const;
  const bare = [unit("x", []), unit("y", []), unit("z", [])];

  test("holds what any of a user's questions may see, once", () => {
    const [first, second, third] = ["1", "2", "3"].map((id) => task.event({ id, text: `text ${id}`, score: "3" }));
    const units = [unit("u", [first!, second!]), unit("u", [second!, third!]), unit("v", [])];
    expect(open("leave-one-out", units).events.map(({ event }) => event.id)).toEqual(["1", "2", "3"]);
  });

  test.each<[string, boolean, ...Parameters<typeof open>]>([
    ["nobody has a past", true, "auto", bare],
    ["one user alone has a past", true, "auto", [unit("u", [a, b])]],
    ["only one of several users has a past", true, "auto", [unit("u", [a, b]), ...bare]],
    ["two users have one", false, "auto", [unit("u", [a]), unit("v", [b])]],
    ["two have one behind many that have none", false, "auto", [...bare, ...bare, unit("u", [a]), unit("v", [b])]],
    [
      "each has one more event than the questions",
      false,
      "auto",
      [unit("u", [a, c], a), unit("v", [b, event("d")], b)],
    ],
    ["training users are asked for, and there are none", true, "training-users", [unit("u", [a]), unit("v", [b])]],
    ["a training user has an event", false, "auto", bare, trained("t", "t1")],
    ["leave-one-out leaves the training users out", true, "leave-one-out", bare, trained("t", "t1")],
    ["training users stand beside the test users", false, "all", [unit("u", [a])], trained("t", "t1")],
  ])("is empty where nobody else has a past: %s", (_case, isEmpty, others, units, ...users) => {
    const pool = open(others, units, ...users);
    expect(pool.isEmpty).toBe(isEmpty);
    expect(pool.size === 0).toBe(isEmpty);
    expect(pool.isEmpty).toBe(isEmpty);
    expect(pool.events.length === 0 || pool.size <= pool.events.length).toBe(true);
    const isVisible = pool.visibleTo("u", undefined);
    expect(pool.events.filter((_one, place) => isVisible(place))).toEqual(pool.eventsFor("u", undefined));
  });

  test("shows what others did up to the day of a question, that day included", () => {
    const days = [event("before", "2020-01-01"), event("same", "2020-01-02"), event("after", "2020-01-03")];
    const events = days.map((one) => ({ owner: "v", event: one }));
    const pool = poolOf(events, { kind: "all", askers: ["u"], dated: true });
    expect(pool.eventsFor("u", "2020-01-02").map((one) => one.event.id)).toEqual(["before", "same"]);
  });
});

describe("items of other users that bear the id of a question", () => {
  const task = tasks.get("lamp3");
  const asks = (id: string, text: string) => ({ id, input: asking(text), gold: "3" });
  const data = dataset([
    user(
      "ann",
      [review("1", "a lamp that stands by the door of the old house")],
      [asks("2", "a chair"), asks("3", "a desk")],
    ),
    user(
      "ben",
      [review("2", "a rug of wool"), review("3", "a bed of oak"), review("4", "a chair")],
      [asks("4", "a shelf")],
    ),
  ]);
  const pool = (more: Partial<OthersSettings> = {}) => {
    const units = unitsOf(data, task, { visible: "as-shipped" });
    const made = othersOf(data, task, { others: "leave-one-out", visible: "all", ...more }, units);
    return made.events.map(({ owner, event: { id: found } }) => `${owner} ${found}`);
  };

  test("go where the question is their own user's", () => {
    const own = dataset([
      user("ann", [review("1", "a lamp")], [asks("2", "a chair")]),
      user(
        "ben",
        [review("4", "a bed of oak"), review("5", "a rug of wool"), review("6", "a chair")],
        [asks("4", "a shelf")],
      ),
    ]);
    const units = unitsOf(own, task, { visible: "as-shipped" });
    const made = othersOf(own, task, { others: "leave-one-out", visible: "all" }, units);
    expect(made.events.map(({ event: { id: found } }) => found)).toEqual(["1", "5"]);
  });

  test("stay, since ids are numbered anew for every user; a user's own question under its id goes", () => {
    expect(pool()).toEqual(["ann 1", "ben 2", "ben 3"]);
  });
});
