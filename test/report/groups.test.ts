import { describe, expect, test } from "vitest";
import { historySizes, userGroups, userScores } from "../../src/report/groups.js";
import { compareArms } from "../../src/results/compare.js";
import { tasks } from "../../src/tasks/index.js";
import type { Row, UnitRecord } from "../../src/types/index.js";
import { tempDir } from "../helpers/temp-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const task = tasks.get("lamp3");
const metric = task.metrics[0]!; // it has some
const users = Array.from({ length: 40 }, (_, u) => `u${String(u).padStart(2, "0")}`);

/** Forty users with one question each (gold 3); `reply` by user number. */
const rowsOf = (reply: (user: number) => string, cell = "c"): Row[] =>
  users.map((user, u) => ({
    ...{ cell, user, unit: user, question: `q-${user}`, gold: "3", spend: {}, incidents: {} },
    outcome: { kind: "answered", reply: reply(u) },
  }));
const unit = (id: string, historySize: number, more: Partial<UnitRecord> = {}): UnitRecord => ({
  ...{ cell: "c", user: id, unit: id, historySize, spend: {}, incidents: {}, ...more },
});
const units = users.map((user, u) => unit(user, u + 1));

/** Users with long histories are right, the others one off, the first three two off. */
const rows = rowsOf((u) => (u >= 20 ? "3" : u >= 3 ? "4" : "5"));
const reference = rowsOf((u) => (u < 10 ? "3" : "4"), "reference");
const histories = historySizes(rows, units);
const groups = (over: Partial<Parameters<typeof userGroups>[0]> = {}, known = histories) =>
  userGroups({ metric, rows, reference, ...over }, known);
const group = (name: string, of = groups()) => of.filter((one) => one.name.startsWith(name));

describe("groups of users", () => {
  test("are quartiles of history size, each with its users, score and interval", () => {
    const quartiles = group("history quartile");
    expect(quartiles.map((one) => [one.users, one.history?.low, one.history?.high, one.score])).toEqual([
      [10, 1, 10, 1.3],
      [10, 11, 20, 1],
      [10, 21, 30, 0],
      [10, 31, 40, 0],
    ]);
    expect(quartiles[0]!.interval!.low).toBeLessThan(1.3);
    expect(quartiles[3]!.interval).toBeUndefined(); // no spread
  });

  test("are the users of at most ten items, and the worst tenth without an interval", () => {
    expect(group("cold start")).toMatchObject([{ history: { low: 1, high: 10 }, questions: 10, score: 1.3 }]);
    expect(group("worst")).toMatchObject([
      { users: 4, score: 1.75, interval: undefined, gain: { interval: undefined } },
    ]);
  });

  test("have the gain over the reference counted upwards, paired as in a comparison", () => {
    const [compared] = compareArms({ a: reference, b: rows, metrics: task.metrics }).metrics;
    expect(group("all")[0]!.gain).toMatchObject({
      gain: compared!.gain,
      interval: compared!.interval,
    });
    expect(group("history quartile")[3]!.gain).toMatchObject({ gain: 1 });
    const [first] = userScores({ metric, rows, reference });
    expect(first).toMatchObject({ user: "u00", score: 2, gain: -2 });
    expect(userScores({ metric, rows, reference: reference.slice(1) })[0]?.gain).toBeUndefined();
  });

  test("without a reference, a history, ten users or a score have no gain, quartile, interval, group", () => {
    const alone = userGroups({ metric, rows }, new Map());
    expect(alone.map(({ name, gain, history }) => [name, gain, history])).toEqual([
      ["all", undefined, undefined],
      ["worst decile", undefined, undefined],
    ]);
    expect(group("all", groups({ rows: rows.slice(0, 9) }))[0]).toMatchObject({ interval: undefined });
    const failed = rows.map((row): Row => ({ ...row, outcome: { kind: "failed", error: "e" } }));
    expect(groups({ rows: failed })).toEqual([]);
  });
});

test("a history is the mean over a user's questions, each once; users of equal histories stay together", () => {
  const asked = (question: string, unit: string): Row => ({ ...rows[0]!, user: "a", question, unit });
  const known = historySizes(
    [asked("1", "a"), asked("2", "a#2"), asked("1", "a")],
    [unit("a", 2), unit("a#2", 5), unit("b", 9, { shared: true })],
  );
  expect([...known]).toEqual([["a", 3.5]]);
  const alike = new Map(users.map((user) => [user, 7]));
  expect(group("history quartile", groups({}, alike)).map((one) => one.users)).toEqual([40]);
});

test("a run is broken down by a tag of its questions, and an unknown tag is named", async () => {
  const cwd = tempDir();
  await runCommandLine("run --task personamem --method prompt,rag --out run", { cwd });
  const { stdout } = await runCommandLine("report run --by pref_type --format csv", { cwd });
  const [head, ...lines] = stdout.trimEnd().split("\n");
  expect(head).toMatch(/^pref_type,method,users,n,accuracy,accuracy_low/);
  expect(lines.map((line) => line.split(",").slice(0, 4).join(" "))).toEqual(
    ["ask_to_forget", "other_person", "stated_preference", "updated_preference"].flatMap((value) => [
      `${value} prompt 12 12`,
      `${value} rag 12 12`,
    ]),
  );
  const { code, stderr } = await runCommandLine("report run --by type", { cwd });
  expect([code, stderr]).toEqual([2, expect.stringMatching(/--by type: not in .*run; it has pref_type, who, updated/)]);
});
