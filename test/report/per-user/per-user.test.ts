import { describe, expect, test } from "vitest";
import { historiesOf, type PerUser, perUser } from "../../../src/report/per-user/per-user.js";
import { perUserTables } from "../../../src/report/per-user/text.js";
import { renderMarkdown } from "../../../src/report/tables/markdown.js";
import { renderText } from "../../../src/report/tables/text.js";
import { summarize } from "../../../src/results/summary.js";
import { tasks } from "../../../src/tasks/index.js";
import type { Row, UnitRecord } from "../../../src/types/index.js";
import { priced } from "../../helpers/priced.js";

const task = tasks.get("lamp3");

/** Forty users with one question each (gold 3) and 1, 2, ... 40 past interactions; `reply` by user number. */
const rowsOf = (reply: (user: number) => string, cell = "c"): Row[] =>
  Array.from({ length: 40 }, (_, u) => ({
    cell,
    user: `u${u}`,
    unit: `u${u}`,
    question: `q${u}`,
    gold: "3",
    outcome: { kind: "answered" as const, reply: reply(u) },
    spend: {},
    incidents: {},
  }));

const units: UnitRecord[] = Array.from({ length: 40 }, (_, u) => ({
  cell: "c",
  user: `u${u}`,
  unit: `u${u}`,
  historySize: u + 1,
  spend: {},
  incidents: {},
}));

/** Users with long histories are right, the others one off, the first three two off. */
const rows = rowsOf((u) => (u >= 20 ? "3" : u >= 3 ? "4" : "5"));
const reference = rowsOf((u) => (u < 10 ? "3" : "4"), "reference");
const found = () => perUser({ task, rows, units, reference })!;
const group = (name: string, of: PerUser = found()) => of.groups.filter((one) => one.name === name);

describe("groups of users", () => {
  test("are quartiles of history size, each with its users, score and interval", () => {
    const quartiles = group("history quartile");
    expect(quartiles.map(({ users }) => users.length)).toEqual([10, 10, 10, 10]);
    expect(quartiles.map(({ history }) => history)).toEqual([
      { low: 1, high: 10 },
      { low: 11, high: 20 },
      { low: 21, high: 30 },
      { low: 31, high: 40 },
    ]);
    expect(quartiles.map(({ score }) => score)).toEqual([1.3, 1, 0, 0]);
    expect(quartiles[0]!.interval!.low).toBeLessThan(1.3);
    expect(quartiles[3]!.interval).toBeUndefined(); // no spread
  });

  test("hold the same people for a method that has answered only some of them", () => {
    const part = { rows: rows.slice(0, 15), units: units.slice(0, 15) };
    const histories = historiesOf({ rows: [...rows, ...reference], units });
    const quartiles = group("history quartile", perUser({ task, ...part, histories }));
    expect(quartiles.map(({ users }) => users.length)).toEqual([10, 5]);
    expect(quartiles[0]?.users).toEqual(group("history quartile")[0]?.users);
  });

  test("are the users of at most ten interactions", () =>
    expect(group("cold start")).toMatchObject([{ history: { low: 1, high: 10 }, questions: 10, score: 1.3 }]));

  test("are the worst tenth, without an interval that would hide how they were chosen", () =>
    expect(group("worst decile")).toMatchObject([
      { users: ["u0", "u1", "u2", "u3"], score: 1.75, interval: undefined },
    ]));

  test("have the gain over the reference counted upwards, with wins, ties and losses", () => {
    expect(group("all")[0]!.gain).toMatchObject({ wins: 20, ties: 10, losses: 10 });
    expect(group("all")[0]!.gain!.value).toBeCloseTo(30 / 40 - 23 / 40, 12);
    expect(found().users[0]).toEqual({ user: "u0", historySize: 1, questions: 1, score: 2, gain: -2 });
    expect(group("history quartile")[3]!.gain).toMatchObject({ value: 1, losses: 0 });
  });

  test("have the score and interval of the main table where they are all users", () => {
    const cell = { id: "c", task: "lamp3", dataset: "d", method: "m", model: "x", options: {}, seed: 1, repeat: 0 };
    const [summary] = summarize({ cells: [cell], task: () => task, rows, units, timings: [], prices: priced(() => 0) });
    expect(group("all")[0]).toMatchObject({
      score: summary!.metrics[0]!.strict,
      interval: summary!.metrics[0]!.interval,
    });
  });
});

describe("what is not known", () => {
  test("no gain without a reference, no bucket without a history, nothing without a score", () => {
    const alone = perUser({ task, rows, units: [] })!;
    expect(alone.groups.map(({ name, gain, history }) => [name, gain, history])).toEqual([
      ["all", undefined, undefined],
      ["worst decile", undefined, undefined],
    ]);
    const failed = rows.map((row): Row => ({ ...row, outcome: { kind: "failed", error: "e" } }));
    expect(perUser({ task, rows: failed, units })).toBeUndefined();
  });

  test("users with equal histories stay together", () => {
    const alike = units.map((unit) => ({ ...unit, historySize: 7 }));
    const [only, ...more] = group("history quartile", perUser({ task, rows, units: alike })!);
    expect(only!.users).toHaveLength(40);
    expect(more).toEqual([]);
  });

  test("below ten users there is a score, and a dash for its interval", () => {
    const few = perUser({ task, rows: rows.slice(0, 9), units, reference })!;
    expect(group("all", few)[0]).toMatchObject({ interval: undefined, gain: { interval: undefined } });
  });
});

describe("as text", () => {
  const item = () => ({
    title: task.title,
    dataset: "d",
    method: "m",
    model: "x",
    reference: "prompt",
    simulated: true,
    found: found(),
  });

  test("every group is a line, and a simulated model is named", () => {
    const text = renderText(...perUserTables([item()]));
    expect(text).toContain("SIMULATED");
    expect(text).toMatch(/m +history quartile 1 of 4 +10 +1\.\.10 +10 +1\.300 \[\.\d+, /);
    expect(text).toMatch(/m +worst decile +4 +1\.\.4 +4 +1\.750 \[-\] +-1\.750 \[-\] +0\/0\/4/);
    expect(text).toContain("gain over prompt [95 %]");
    expect(renderMarkdown(...perUserTables([item()]))).toContain("| m | cold start | 10 | 1..10 |");
  });
});
