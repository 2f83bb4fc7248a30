import { describe, expect, test } from "vitest";
import { type Material, type Summary, summarize } from "../../src/report/summary.js";
import { tasks } from "../../src/tasks/index.js";
import type { Cell, Outcome, Row, UnitRecord } from "../../src/types.js";

const cell = (over: Partial<Cell> = {}): Cell => ({
  id: "c0",
  task: "lamp3",
  dataset: "hand-made",
  method: "rag",
  model: "m/one",
  options: { "rag.k": 4 },
  seed: 0,
  repeat: 0,
  ...over,
});

const answered = (reply: string, lenient = reply): Outcome => ({ kind: "answered", reply, lenient });
const unparsed = (reply: string, lenient?: string): Outcome => ({
  kind: "unparsed",
  reply,
  ...(lenient === undefined ? {} : { lenient }),
});
const failed: Outcome = { kind: "failed", error: "no reply" };

function row(user: string, gold: string | undefined, outcome: Outcome, over: Partial<Row> = {}): Row {
  const question = `${user}-${gold}-${JSON.stringify(outcome)}`;
  return {
    cell: "c0",
    user,
    unit: user,
    question,
    ...(gold === undefined ? {} : { gold }),
    outcome,
    spend: { answer: { calls: 1, in: 100, out: 10 } },
    incidents: {},
    ...over,
  };
}

const unit = (user: string, over: Partial<UnitRecord> = {}): UnitRecord => ({
  cell: "c0",
  user,
  unit: user,
  historySize: 3,
  spend: { summary: { calls: 2, in: 500, out: 100 } },
  incidents: { "summary-empty": 1 },
  ...over,
});

function only(material: Partial<Material>): Summary {
  const summaries = summarize({
    cells: [cell()],
    task: (name) => tasks.get(name),
    rows: [],
    units: [],
    timings: [],
    price: () => undefined,
    ...material,
  });
  expect(summaries).toHaveLength(1);
  return summaries[0]!; // counted in the line above
}
const metric = (summary: Summary, name: string) => summary.metrics.find((one) => one.name === name)!; // of the task's own
const rated = (users: number) =>
  Array.from({ length: users }, (_, i) => row(`u${i}`, "3", answered(String(1 + (i % 5)))));

describe("scores", () => {
  test("are of answered and unparsed questions: errors 0, 1 and, for the unreadable reply, the far end", () => {
    const summary = only({
      rows: [row("a", "5", answered("5")), row("a", "2", answered("3")), row("b", "2", unparsed("two"))],
    });
    expect(metric(summary, "mae").strict).toBeCloseTo((0 + 1 + 3) / 3, 12); // LaMP: unreadable is as wrong as can be
    expect(metric(summary, "rmse").strict).toBeCloseTo(Math.sqrt((0 + 1 + 9) / 3), 12);
    expect(summary.counts).toEqual({ questions: 3, answered: 2, unparsed: 1, failed: 0, unscored: 0, scored: 3 });
  });

  test("leave failed questions out, and count them", () => {
    const rows = [row("a", "5", answered("5")), row("b", "1", failed)];
    const summary = only({ rows });
    expect(metric(summary, "mae").strict).toBe(0);
    expect(summary.counts).toMatchObject({ questions: 2, failed: 1, scored: 1 });
    expect(summary.users).toBe(2);
  });

  test("leave questions without gold out, and count them", () => {
    const summary = only({ rows: [row("a", "5", answered("4")), row("b", undefined, answered("1"))] });
    expect(metric(summary, "mae").strict).toBe(1);
    expect(summary.counts).toMatchObject({ questions: 2, unscored: 1, scored: 1 });
  });

  test("count a failed question without gold once, as failed", () => {
    const summary = only({ rows: [row("a", undefined, failed)] });
    expect(summary.counts).toEqual({ questions: 1, answered: 0, unparsed: 0, failed: 1, unscored: 0, scored: 0 });
  });

  test("of the forgiving reading stand beside the official ones", () => {
    const summary = only({ rows: [row("a", "5", unparsed("I say 5!", "5")), row("b", "4", answered("4"))] });
    expect(metric(summary, "mae")).toMatchObject({ strict: 2, lenient: 0 });
  });

  test("that do not exist are missing, never zero", () => {
    for (const rows of [[], [row("a", "5", failed)], [row("a", undefined, answered("5"))]])
      for (const { strict, lenient, interval, spread } of only({ rows }).metrics)
        expect({ strict, lenient, interval, spread }).toEqual({});
  });
});

describe("intervals", () => {
  test("are missing below ten users", () => {
    expect(metric(only({ rows: rated(9) }), "mae").interval).toBeUndefined();
    expect(metric(only({ rows: rated(10) }), "mae").interval).toBeDefined();
  });

  test("hold the score, and are the same on every try", () => {
    const rows = rated(20);
    const { strict, interval } = metric(only({ rows }), "mae");
    expect(interval!.low).toBeLessThan(strict!);
    expect(interval!.high).toBeGreaterThan(strict!);
    expect(metric(only({ rows }), "mae").interval).toEqual(interval);
  });

  test("count users with scored questions only", () => {
    const rows = [...rated(9), row("u9", "3", failed), row("u10", undefined, answered("1"))];
    expect(metric(only({ rows }), "mae").interval).toBeUndefined();
  });
});

describe("repeats", () => {
  const cells = [cell(), cell({ id: "c1", repeat: 1 }), cell({ id: "c2", repeat: 2 })];
  const rows = ["5", "4", "3"].map((reply, i) => row("a", "5", answered(reply), { cell: `c${i}` }));

  test("are one line: the mean, and the sample standard deviation between them", () => {
    const summary = only({ cells, rows });
    expect(summary.repeats).toBe(3);
    expect(metric(summary, "mae")).toMatchObject({ strict: 1, spread: 1 });
    expect(summary.users).toBe(1);
  });

  test("of which one is empty do not pull the mean to zero", () => {
    expect(metric(only({ cells, rows: rows.slice(1) }), "mae").strict).toBe(1.5);
  });
});

describe("costs", () => {
  test("are per question and per user, over all calls", () => {
    const rows = [row("a", "5", answered("5")), row("a", "4", answered("4")), row("b", "5", failed, { spend: {} })];
    const summary = only({ rows, units: [unit("a"), unit("b")] });
    expect(summary.callsPerQuery).toBeCloseTo(2 / 3, 12);
    expect(summary.tokensPerQuery).toBeCloseTo(220 / 3, 12);
    expect(summary.callsPerUser).toBe(2);
    expect(summary.tokensPerUser).toBe(600);
    expect(summary.incidents).toEqual({ "summary-empty": 2 });
  });

  test("of what all users share stand by themselves: in the dollars, in no amount per user", () => {
    const own = { rows: [row("a", "5", answered("5")), row("b", "5", answered("5"))], units: [unit("a"), unit("b")] };
    const price: Material["price"] = (_model, { in: tokens, out }) => tokens + 10 * out;
    const spend = { summary: { calls: 30, in: 9000, out: 900 } };
    const shared = unit("", { unit: "shared/reports", shared: true, historySize: 0, spend });
    const alone = only({ ...own, price });
    const both = only({ ...own, units: [...own.units, shared], price });
    expect(both.shared).toEqual(spend.summary);
    for (const amount of ["callsPerUser", "tokensPerUser", "callsPerQuery", "tokensPerQuery"] as const)
      expect(both[amount]).toBe(alone[amount]);
    expect(both.usd! - alone.usd!).toBe(9000 + 10 * 900);
  });

  test("in dollars are there only where a price is", () => {
    const material = { rows: [row("a", "5", answered("5"))], units: [unit("a")] };
    expect(only(material).usd).toBeUndefined();
    expect(only({ ...material, price: (_model, { in: tokens, out }) => tokens + 10 * out }).usd).toBe(200 + 1500);
  });

  test("in seconds are the median of questions that were really sent", () => {
    const time = (ms: number, fromStore: boolean, question?: string) => ({
      cell: "c0",
      unit: "a",
      ms,
      fromStore,
      ...(question === undefined ? {} : { question }),
    });
    const timings = [time(1000, false, "1"), time(3000, false, "2"), time(1, true, "3"), time(90_000, false)];
    expect(only({ timings }).secondsPerQuery).toBe(2);
    expect(only({ timings: timings.slice(2) }).secondsPerQuery).toBeUndefined();
  });
});

describe("arms", () => {
  test("keep their order and say in what they differ from their like", () => {
    const cells = [
      cell({ id: "c0", options: { "rag.k": 4, seed: 1 } }),
      cell({ id: "c1", options: { "rag.k": 8, seed: 1 } }),
      cell({ id: "c2", method: "prompt", options: {} }),
    ];
    const summaries = summarize({
      cells,
      task: (name) => tasks.get(name),
      rows: [row("a", "5", answered("5"), { cell: "c1" })],
      units: [],
      timings: [],
      price: () => undefined,
    });
    expect(summaries.map(({ method, variant }) => [method, variant])).toEqual([
      ["rag", "rag.k=4"],
      ["rag", "rag.k=8"],
      ["prompt", ""],
    ]);
    expect(summaries.map(({ counts }) => counts.questions)).toEqual([0, 1, 0]);
  });

  test("are simulated as soon as one reply was", () => {
    expect(only({ rows: [row("a", "5", answered("5"))] }).simulated).toBe(false);
    expect(only({ rows: [row("a", "5", answered("5"), { simulated: true })] }).simulated).toBe(true);
  });
});
