import { describe, expect, test } from "vitest";
import { cutUser, isAskedPart, readCut } from "../../src/data/cut.js";
import type { UserRecord } from "../../src/data/source.js";
import { tasks } from "../../src/tasks/index.js";
import type { RawItem } from "../../src/types/index.js";
import { asking } from "./fixtures.js";

const task = tasks.get("lamp3");
const item = (id: string, day: number): RawItem => ({
  id,
  text: `text ${id}`,
  score: "4",
  date: `2019-01-0${day}`,
});
const record = (file: "train" | "dev", id: string, profile?: readonly RawItem[]): UserRecord => ({
  where: `${file}_questions.json[0]`,
  user: "u",
  profile: [],
  queries: [{ id, input: asking(id), gold: "5", ...(profile === undefined ? {} : { profile }) }],
});
const [a, b, c] = [item("a", 1), item("b", 2), item("c", 3)];
const ids = (things: readonly { readonly id: string }[]) => things.map(({ id }) => id);

describe("the cut of a time line", () => {
  test.each(["questions", "dev"] as const)("is read by name: %s", (text) =>
    expect(readCut(text)).toEqual({ kind: text }),
  );

  test.each([
    ["share:0.4", 0.4],
    ["share:.25", 0.25],
    ["share:0.125", 0.125],
  ])("is read as a share: %s", (text, share) => expect(readCut(text)).toEqual({ kind: "share", share }));

  test.each([
    "share:0",
    "share:1",
    "share:0.0",
    "share:1.0",
    "share:2.5",
    "share:-0.5",
    "share:0.5x",
    "a share:0.5",
    "share:",
    "share:.",
    "share:x",
    "dev ",
  ])("refuses %j", (text) => expect(() => readCut(text)).toThrow(`--cut ${text}: expected questions, dev or share:X`));
});

test("the official parts are all asked, or dev alone", () => {
  const asked = (kind: "questions" | "dev") => ["train", "dev"].map((part) => isAskedPart(part, { kind }));
  expect(asked("questions")).toEqual([true, true]);
  expect(asked("dev")).toEqual([false, true]);
});

describe("the cut at questions", () => {
  const records = [record("train", "t", [a, b]), record("dev", "d", [b, c, a])];

  test("asks all, over the past that every one of them may see, in the first one's order", () => {
    const { user, earlier } = cutUser("u", records, task, { kind: "questions" });
    expect(user.id).toBe("u");
    expect(ids(user.queries)).toEqual(["t", "d"]);
    expect(ids(user.profile)).toEqual(["a", "b"]);
    expect(earlier).toEqual([]);
  });

  test("can ask those of dev only: those of train are earlier ones, and do not shorten the past", () => {
    const { user, earlier } = cutUser("u", records, task, { kind: "dev" });
    expect(ids(user.queries)).toEqual(["d"]);
    expect(ids(user.profile)).toEqual(["b", "c", "a"]);
    expect(earlier).toMatchObject([{ id: "t", gold: "5" }]);
  });

  test("leaves no question a window of its own", () => {
    const { user, earlier } = cutUser("u", records, task, { kind: "dev" });
    for (const query of [...user.queries, ...earlier]) expect(query).not.toHaveProperty("profile");
  });

  test("knows items by what is in them: files number them per question", () => {
    const renumbered = { ...b, id: "0" };
    const { user } = cutUser("u", [record("train", "t", [a, b]), record("dev", "d", [renumbered])], task, {
      kind: "questions",
    });
    expect(ids(user.profile)).toEqual(["b"]);
  });

  test("leaves no past to a single question without one", () =>
    expect(cutUser("u", [record("dev", "d")], task, { kind: "questions" }).user.profile).toEqual([]));

  test("leaves no past where a question has none, or nothing is asked", () => {
    const { user } = cutUser("u", [record("train", "t", [a]), record("dev", "d")], task, { kind: "questions" });
    expect(user.profile).toEqual([]);
    expect(cutUser("u", [record("train", "t", [a])], task, { kind: "dev" }).user).toMatchObject({
      profile: [],
      queries: [],
    });
  });
});

describe("the cut of items", () => {
  const share = (part: number) => ({ kind: "share", share: part }) as const;

  test("asks the last share of the items of all windows, rounded down, each once and by date", () => {
    const records = [
      record("train", "none"),
      record("train", "t", [c, a]),
      record("dev", "d", [b, a, item("d", 4), item("e", 5)]),
    ];
    const { user, earlier } = cutUser("u", records, task, share(0.5));
    expect(ids(user.profile)).toEqual(["a", "b", "c"]);
    expect(user.queries).toMatchObject([
      { id: "d", gold: "4", date: "2019-01-04" },
      { id: "e", gold: "4", date: "2019-01-05" },
    ]);
    expect(earlier).toEqual([]);
  });

  test("refuses undated items: their order means nothing", () => {
    const records = [record("dev", "d", [a, { id: "x", text: "undated", score: "4" }]), record("dev", "none")];
    expect(() => cutUser("u", records, task, share(0.5))).toThrow("user u has undated items");
  });

  test("asks nothing of an item without label, or of which the task makes no question", () => {
    const own: typeof task = {
      ...task,
      pose: (event) => (event.id === "b" ? undefined : task.pose({ ...event, label: "1" })),
      event(raw) {
        const { label, ...bare } = task.event(raw);
        return raw.id === "c" || label === undefined ? bare : { ...bare, label };
      },
    };
    const { user } = cutUser("u", [record("dev", "d", [a, b, c, item("d", 4)])], own, share(0.75));
    expect(ids(user.queries)).toEqual(["d"]);
  });

  test("asks nothing of a paper without options", () => {
    const paper = (id: string, more: Readonly<Record<string, string>> = {}) => ({
      id,
      title: id,
      abstract: "",
      date: "2019",
      ...more,
    });
    const options = { option1: "One", option2: "Two" };
    const papers = [paper("old"), paper("plain"), paper("open", options), paper("full", { ...options, label: "[1]" })];
    const { user } = cutUser("u", [record("dev", "d", papers)], tasks.get("lamp1"), share(0.75));
    expect(ids(user.queries)).toEqual(["full"]);
  });
});
