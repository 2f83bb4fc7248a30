import { describe, expect, test } from "vitest";
import { type SelectionSettings, selection } from "../../src/data/selection.js";
import type { RawItem } from "../../src/types/index.js";

const past: readonly RawItem[] = [{ id: "p", text: "past" }];
const record = (user: string, questions: readonly string[], profile: readonly RawItem[] = past) => ({
  where: `users.json[${user}]`,
  user,
  profile,
  queries: questions.map((id) => ({ id, input: `asks ${id}` })),
});
const select = (settings: Partial<SelectionSettings>, ...records: readonly ReturnType<typeof record>[]) => {
  const chosen = selection({ emptyProfile: "error", ...settings });
  for (const one of records) chosen.visit(one, 100);
  return { ...chosen, seen: chosen.seen, users: () => [...chosen.users()] };
};
const shape = (chosen: ReturnType<typeof select>) =>
  chosen.users().map(({ id, queries }) => [id, queries.map((query) => query.id).join("")]);

describe("the selection", () => {
  const records = [record("u", ["a", "b"]), record("v", ["c"]), record("w", ["d", "e"])];

  test("is everything where nothing is asked for, and counts what it saw", () => {
    const chosen = select({}, ...records);
    expect(shape(chosen)).toEqual([
      ["u", "ab"],
      ["v", "c"],
      ["w", "de"],
    ]);
    expect(chosen.users()[0]!.profile).toBe(past);
    expect(chosen.seen).toEqual({ users: 3, questions: 5 });
  });

  test("keeps the first users, and all records of those, and still counts the whole file", () => {
    const chosen = select({ users: 2 }, ...records, record("v", ["f"]), record("u", ["g"]));
    expect(shape(chosen)).toEqual([
      ["u", "abg"],
      ["v", "cf"],
    ]);
    expect(chosen.seen).toEqual({ users: 3, questions: 7 });
  });

  test("draws users by the seed, whatever their order, more of them with those of fewer, and passes over those not drawn", () => {
    const many = Array.from({ length: 30 }, (_, i) => record(`u${i}`, [`q${i}`]));
    const drawn = (users: number, userSeed: number, from = many) =>
      select({ users, userSeed }, ...from)
        .users()
        .map(({ id }) => id);
    const ten = drawn(10, 1);
    expect(ten).toHaveLength(10);
    expect(ten).not.toEqual(drawn(10, 2));
    expect(ten).not.toEqual(many.slice(0, 10).map(({ user }) => user));
    expect(ten).toEqual(many.map(({ user }) => user).filter((user) => ten.includes(user))); // in file order
    expect(drawn(10, 1, many.toReversed()).sort()).toEqual([...ten].sort());
    expect(ten.filter((user) => drawn(4, 1).includes(user))).toEqual(drawn(4, 1));
    const chosen = select({ users: 10, userSeed: 1, limit: 5 }, ...many);
    expect(chosen.users().map(({ id }) => id)).toEqual(ten.slice(0, 5));
    expect(many.filter(({ user }) => chosen.has(user)).map(({ user }) => user)).toEqual(ten.slice(0, 5));
    const emptied = (user: string) => many.map((one) => (one.user === user ? { ...one, profile: [] } : one));
    const other = many.find(({ user }) => !ten.includes(user))!.user;
    expect(drawn(10, 1, emptied(other))).toEqual(ten);
    expect(() => drawn(10, 1, emptied(ten[3]!))).toThrow(`user ${ten[3]} (question q${ten[3]!.slice(1)}) has an empty`);
  });

  test("keeps so many questions in all, from the users in turn", () => {
    const taken = (limit: number, more = {}) =>
      shape(select({ limit, ...more }, record("u", ["a", "b", "c"]), record("v", ["d"]), record("w", ["e", "f"])))
        .map(([, questions]) => questions)
        .join(" ");
    expect([1, 2, 3, 4, 5, 6, 9].map((limit) => taken(limit))).toEqual([
      "a",
      "a d",
      "a d e",
      "ab d e",
      "ab d ef",
      "abc d ef",
      "abc d ef",
    ]);
    expect(taken(3, { users: 2 })).toBe("ab d");
    expect(shape(select({ limit: 5 }, record("u", ["a", "b", "c"]), record("v", ["d", "e", "f"])))).toEqual([
      ["u", "abc"],
      ["v", "de"],
    ]);
    expect(taken(5, { queriesPerUser: 1 }).split(" ")).toHaveLength(3);
  });
});

describe("the draw of questions", () => {
  const names = [..."abcdefghij"];
  const draw = (queriesPerUser: number, user = "u", order = names) =>
    shape(select({ queriesPerUser }, record(user, order)))[0]?.[1] ?? "";

  test("is in file order, and a larger draw holds the smaller one", () => {
    for (let count = 1; count < names.length; count++) {
      expect([...draw(count)]).toHaveLength(count);
      expect([...draw(count)].sort().join("")).toBe(draw(count));
      expect([...draw(count + 1)]).toEqual(expect.arrayContaining([...draw(count)]));
    }
    expect(draw(20)).toBe("abcdefghij");
    expect(draw(0)).toBe("");
  });

  test("depends on the user, not on the order or the records they come in", () => {
    const draws = new Set([draw(3), draw(3, "v"), draw(3, "w")]);
    expect(draws.size).toBe(3);
    expect([...draw(3, "u", names.toReversed())].sort().join("")).toBe(draw(3));
    const apart = names.map((name) => record("u", [name]));
    expect(shape(select({ queriesPerUser: 3 }, ...apart))).toEqual([["u", draw(3)]]);
  });
});

describe("an empty profile", () => {
  test("is refused by record, user, question and fix, or kept", () => {
    const empty = record("u", ["a"], []);
    expect(() => select({}, empty)).toThrow("users.json[u]: user u (question a) has an empty profile; use --set");
    expect(shape(select({ emptyProfile: "keep" }, empty))).toEqual([["u", "a"]]);
  });
});
