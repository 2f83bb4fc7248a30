import { describe, expect, test } from "vitest";
import { historiesOf, perUser, userScores } from "../../../src/report/per-user/per-user.js";
import { compareArms } from "../../../src/results/compare.js";
import { tasks } from "../../../src/tasks/index.js";
import type { Row, UnitRecord } from "../../../src/types/index.js";

const ratings = tasks.get("lamp3");
const genres = tasks.get("lamp2m");
const genre = genres.labels[0] ?? "";

interface Asked {
  readonly user: string;
  readonly question?: string;
  readonly unit?: string;
  readonly cell?: string;
  readonly gold?: string;
}
const row = ({ user, question = `${user}-q`, unit = user, cell: at = "c", gold = "3" }: Asked, reply: string): Row => ({
  cell: at,
  user,
  unit,
  question,
  gold,
  outcome: { kind: "answered", reply },
  spend: {},
  incidents: {},
});
const unit = (id: string, historySize: number, more: Partial<UnitRecord> = {}): UnitRecord => ({
  cell: "c",
  user: id,
  unit: id,
  historySize,
  spend: {},
  incidents: {},
  ...more,
});
const numbered = (count: number) => Array.from({ length: count }, (_, u) => `u${String(u).padStart(3, "0")}`);

describe("users", () => {
  test("stand in the order of their histories, then of their names; a history that is not known comes first", () => {
    const users = ["d", "c", "f", "b", "a", "e", "h", "g"];
    const units = [unit("d", 2), unit("b", 7), unit("f", 7), unit("c", 7), unit("e", 10), unit("h", 1), unit("g", 4)];
    const scores = userScores({ task: ratings, rows: users.map((user) => row({ user }, "3")), units });
    expect(scores.map(({ user, historySize }) => [user, historySize])).toEqual([
      ["a", undefined],
      ["h", 1],
      ["d", 2],
      ["g", 4],
      ["b", 7],
      ["c", 7],
      ["f", 7],
      ["e", 10],
    ]);
    expect(perUser({ task: ratings, rows: users.map((user) => row({ user }, "3")), units })?.users).toEqual(scores);
  });

  test("have a question once, however often it was repeated, and a mean history where questions see different pasts", () => {
    const rows = ["r0", "r1"].flatMap((at) => [
      row({ user: "a", question: "1", unit: "a", cell: at }, at === "r0" ? "3" : "5"),
      row({ user: "a", question: "2", unit: "a#2", cell: at }, "4"),
    ]);
    const units = [unit("a", 4), unit("a#2", 7), unit("shared/table", 0, { shared: true })];
    expect(userScores({ task: ratings, rows, units })).toEqual([
      { user: "a", historySize: 5.5, questions: 2, score: (0.5 + 1.5) / 2, gain: undefined },
    ]);
    expect(userScores({ task: ratings, rows, units: units.slice(0, 1) })[0]?.historySize).toBe(4);
  });

  test("gain over the reference on the questions that both answered only", () => {
    const own = [
      row({ user: "a", question: "1" }, "3"),
      row({ user: "a", question: "2" }, "5"),
      row({ user: "b" }, "3"),
    ];
    const reference = [row({ user: "a", question: "1", cell: "r" }, "5"), row({ user: "c", cell: "r" }, "3")];
    const found = perUser({ task: ratings, rows: own, reference, units: [] })!;
    expect(found.users.map(({ user, score, gain }) => [user, score, gain])).toEqual([
      ["a", 1, 2],
      ["b", 0, undefined],
    ]);
    expect(found.groups[0]?.gain).toEqual({ value: 2, interval: undefined, wins: 1, ties: 0, losses: 0 });
  });

  test("are none where the task has no metric or nothing was scored", () => {
    const rows = [row({ user: "a" }, "3")];
    const task = { ...ratings, metrics: [] };
    expect([perUser({ task, rows, units: [] }), userScores({ task, rows, units: [] })]).toEqual([undefined, []]);
    expect(userScores({ task: ratings, rows: [], units: [] })).toEqual([]);
  });
});

describe("histories", () => {
  test("are the mean over a user's questions, each once, whichever methods were asked it", () => {
    const asked = [
      ["1", "a"],
      ["2", "a#2"],
      ["1", "a"],
      ["1", "a"],
    ] as const;
    const rows = [
      ...asked.map(([question, at], i) => row({ user: "a", question, unit: at, cell: `c${i}` }, "3")),
      row({ user: "b", question: "1", unit: "b" }, "3"),
      row({ user: "unknown" }, "3"),
    ];
    const units = [unit("a", 2), unit("a#2", 5), unit("b", 1), unit("unknown", 9, { shared: true })];
    expect([...historiesOf({ rows, units })]).toEqual([
      ["a", 3.5],
      ["b", 1],
    ]);
  });
});

describe("groups", () => {
  const users = numbered(120);
  const rows = users.map((user, u) => row({ user, gold: genre }, u % 3 === 0 ? "wrong" : genre));
  const reference = users.map((user, u) => row({ user, gold: genre, cell: "r" }, u % 2 === 0 ? "wrong" : genre));
  const units = users.map((user, u) => unit(user, u + 1));
  const group = (name: string) =>
    perUser({ task: genres, rows, reference, units })!.groups.filter((one) => one.name === name);

  test("of the worst are a tenth, rounded up, by the metric's own direction, and have no interval at all", () => {
    const wrong = users.filter((_, u) => u % 3 === 0);
    expect(group("worst decile")).toMatchObject([
      {
        users: wrong.slice(0, 12),
        score: 0,
        interval: undefined,
        gain: { value: -6 / 12, interval: undefined, ties: 6, losses: 6 },
      },
    ]);
    const eleven = perUser({ task: genres, rows: rows.slice(0, 11), units })!;
    expect(eleven.groups.at(-1)?.users).toHaveLength(2);
    const ten = perUser({ task: genres, rows: rows.slice(0, 10), units })!;
    expect(ten.groups.at(-1)?.users).toHaveLength(1);
  });

  test("have the paired interval of their gain, upwards on every metric", () => {
    const [all] = group("all");
    const [metric] = compareArms({ a: reference, b: rows, metrics: genres.metrics }).metrics;
    expect(all?.gain?.interval).toEqual(metric!.interval);
    expect(all).toMatchObject({ users: expect.arrayContaining(users), questions: 120 });
    expect(all?.interval?.low).toBeLessThan(80 / 120);
    expect(all?.gain?.value).toBeCloseTo(80 / 120 - 60 / 120, 12);
    expect(all?.gain).toMatchObject({ wins: 40, ties: 60, losses: 20 });
    const rated = (reply: string, at: string) =>
      users.slice(0, 30).map((user, u) => row({ user, cell: at }, u % 5 === 0 ? "3" : reply));
    const errors = perUser({ task: ratings, rows: rated("4", "c"), reference: rated("5", "r"), units: [] })!;
    expect(errors.groups[0]?.gain?.value).toBeCloseTo(0.8, 12);
    expect(errors.groups[0]?.gain?.interval?.low).toBeGreaterThan(0.5);
  });

  test("count only users who have a gain, and need ten of them for its interval", () => {
    const some = (count: number) =>
      perUser({ task: genres, rows, reference: reference.slice(0, count), units })!.groups[0]!;
    expect(some(9).gain).toMatchObject({ interval: undefined, wins: 3, ties: 5, losses: 1 });
    expect(some(10).gain?.interval).toBeDefined();
    expect(some(0)).toMatchObject({ gain: undefined, questions: 120 });
  });

  test("are cut at the quartiles of all users' histories; users of the same length as a cut stand below it", () => {
    const five = [1, 2, 3, 4, 5].map((size) => unit(`u00${size - 1}`, size));
    const quartiles = perUser({ task: genres, rows: rows.slice(0, 5), units: five })!.groups.filter(
      ({ name }) => name === "history quartile",
    );
    expect(quartiles.map(({ history }) => history)).toEqual([
      { low: 1, high: 2 },
      { low: 3, high: 3 },
      { low: 4, high: 4 },
      { low: 5, high: 5 },
    ]);
    const shuffled = perUser({
      task: genres,
      rows: [2, 0, 4, 1, 3].map((u) => rows[u]!),
      units: five,
    })!.groups;
    expect(shuffled.flatMap(({ name, history }) => (name === "history quartile" ? [history?.low] : []))).toEqual([
      1, 3, 4, 5,
    ]);
    const partly = perUser({ task: genres, rows: rows.slice(0, 5), units: five.slice(0, 3) })!.groups;
    expect(partly.filter(({ name }) => name === "history quartile").flatMap(({ users: own }) => own)).toHaveLength(3);
    expect(partly.find(({ name }) => name === "cold start")?.users).toHaveLength(3);
  });
});
