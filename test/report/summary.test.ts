import { describe, expect, test } from "vitest";
import { resultsTables } from "../../src/report/tables/results.js";
import { type Summary, summarize } from "../../src/results/summary.js";
import { tasks } from "../../src/tasks/index.js";
import { noPrices, priced } from "../helpers/priced.js";
import { answered, cell, failed, only, row, unit, unparsed } from "../helpers/summarized.js";

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

  test("of unreadable replies are those of no reply, also where the official script would crash on them", () => {
    const summary = only({ rows: [row("a", "2", unparsed("nan")), row("b", "2", answered("2"))] });
    expect(metric(summary, "mae").strict).toBe(
      only({ rows: [row("a", "2", unparsed("")), row("b", "2", answered("2"))] }).metrics[0]?.strict,
    );
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
    const prices = priced((_model, { in: tokens, out }) => tokens + 10 * out);
    const spend = { summary: { calls: 30, in: 9000, out: 900 } };
    const shared = unit("", { unit: "shared/reports", shared: true, historySize: 0, spend });
    const alone = only({ ...own, prices });
    const both = only({ ...own, units: [...own.units, shared], prices });
    expect(both.shared).toEqual(spend.summary);
    for (const amount of ["callsPerUser", "tokensPerUser", "callsPerQuery", "tokensPerQuery"] as const)
      expect(both[amount]).toBe(alone[amount]);
    expect(both.usd! - alone.usd!).toBe(9000 + 10 * 900);
  });

  test("are unknown where nobody counted, never zero, as of imported predictions", () => {
    const rows = [row("a", "5", answered("5")), row("a", "4", answered("4"), { spend: {}, spendUnknown: true })];
    const { callsPerQuery, callsPerUser, tokensPerQuery, tokensPerUser, usd } = only({
      rows,
      units: [unit("a")],
      prices: priced(() => 1),
    });
    expect({ callsPerQuery, callsPerUser, tokensPerQuery, tokensPerUser, usd }).toEqual({});
    expect(only({}).callsPerQuery).toBeUndefined();
    expect(only({ rows: rows.slice(0, 1) }).callsPerUser).toBeUndefined();
  });

  test("have no price where only a part of them has one", () => {
    const material = { rows: [row("a", "5", answered("5"))], units: [unit("a")] };
    expect(
      only({ ...material, prices: priced((_model, { in: tokens }) => (tokens > 100 ? undefined : 1)) }).usd,
    ).toBeUndefined();
    expect(only({ ...material, prices: priced((model) => (model === "m/one" ? 1 : undefined)) }).usd).toBe(2);
  });

  test("in dollars are a bound where one part of them is, and say since when the price is old", () => {
    const material = { rows: [row("a", "5", answered("5"))], units: [unit("a")] };
    const prices = (boundFrom: number, since?: string) => ({
      of: (_model: string, phases: Iterable<{ readonly in: number }>) => {
        const tokens = [...phases].reduce((sum, phase) => sum + phase.in, 0);
        return { usd: tokens, ...(tokens >= boundFrom ? { atMost: true as const } : {}) };
      },
      staleSince: () => since,
    });
    const dollars = (boundFrom: number, since?: string) => {
      const { usd, usdAtMost, pricesOf } = only({ ...material, prices: prices(boundFrom, since) });
      return { usd, usdAtMost, pricesOf };
    };
    expect(dollars(1000)).toStrictEqual({ usd: 600, usdAtMost: undefined, pricesOf: undefined });
    expect(dollars(500)).toStrictEqual({ usd: 600, usdAtMost: true, pricesOf: undefined }); // the units' part alone
    expect(dollars(100, "2026-01-01")).toStrictEqual({ usd: 600, usdAtMost: true, pricesOf: "2026-01-01" });
    expect("usdAtMost" in only({ ...material, prices: prices(1000) })).toBe(false);
    expect(only({ rows: [], units: [], prices: prices(1000) }).usd).toBe(0);
    expect(only({ rows: [], units: [], prices: noPrices }).usd).toBeUndefined();
  });

  test("of a further model are at its own price", () => {
    const named = [cell({ options: { "model.reference": "m/sure" } })];
    const spend = { answer: { calls: 1, in: 10, out: 1 }, "select@reference": { calls: 5, in: 100, out: 1 } };
    const material = { cells: named, rows: [row("a", "5", answered("5"), { spend })] };
    const prices = priced((model, { in: tokens }) => (model === "m/sure" ? tokens : 2 * tokens));
    expect(only({ ...material, prices }).usd).toBe(2 * 10 + 100);
    const answer = { model: "m/one", phase: "answer", calls: 1, in: 10, out: 1 };
    const select = { model: "m/sure", phase: "select@reference", calls: 5, in: 100, out: 1 };
    expect(only({ ...material, prices }).spent).toEqual([
      { ...answer, usd: 20 },
      { ...select, usd: 100 },
    ]);
    const halfKnown = only({ ...material, prices: priced((model) => (model === "m/sure" ? undefined : 1)) });
    expect([halfKnown.usd, halfKnown.spent]).toEqual([undefined, [{ ...answer, usd: 1 }, select]]);
    const facts = [{ task: "lamp3", title: "T", dataset: "hand-made", remarks: [] }];
    const [table] = resultsTables({ summaries: [only({ ...material, prices })], facts });
    expect(table?.details).toContainEqual(
      expect.stringContaining(
        "by model: answer of m/one 1 call, 10 in, 1 out, $20.00; select@reference of m/sure 5 calls",
      ),
    );
    const shared = unit("a", { shared: true, spend: { "select@reference": { calls: 1, in: 1, out: 1 } } });
    expect(only({ ...material, units: [shared], prices }).spent?.[1]).toEqual({
      ...select,
      calls: 6,
      in: 101,
      out: 2,
      usd: 101,
    });
    expect(only(material).callsPerQuery).toBe(6);
    expect(only({ rows: material.rows })).not.toHaveProperty("spent"); // one model alone
  });

  test("in seconds are the median of questions that were really sent", () => {
    const time = (ms: number, question?: string) => ({
      cell: "c0",
      unit: "a",
      ms,
      ...(question === undefined ? {} : { question }),
    });
    const timings = [time(1000, "1"), time(3000, "2"), time(90_000)];
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
      prices: noPrices,
    });
    expect(summaries.map(({ method, variant }) => [method, variant])).toEqual([
      ["rag", "rag.k=4"],
      ["rag", "rag.k=8"],
      ["prompt", ""],
    ]);
    expect(summaries.map(({ counts }) => counts.questions)).toEqual([0, 1, 0]);
  });

  test("have the rows, units and timings of their own cells, with their repeats together", () => {
    const cells = [cell(), cell({ id: "c1", method: "prompt" }), cell({ id: "c2", repeat: 1 })];
    const at = (id: string, ms: number) => ({ cell: id, unit: "a", question: "q", ms, fromStore: false });
    const summaries = summarize({
      cells,
      task: (name) => tasks.get(name),
      rows: ["c2", "c1", "c0", "c0"].map((id, i) => row(`u${i}`, "5", answered("5"), { cell: id })),
      units: [unit("a", { cell: "c2" }), unit("a", { cell: "c1", spend: {} })],
      timings: [at("c0", 1000), at("c1", 9000), at("c2", 2000)],
      prices: noPrices,
    });
    expect(
      summaries.map(({ method, model, dataset, cells: ids, repeats, counts, callsPerUser, secondsPerQuery }) => [
        [method, model, dataset],
        ids,
        repeats,
        counts.questions,
        callsPerUser,
        secondsPerQuery,
      ]),
    ).toEqual([
      [["rag", "m/one", "hand-made"], ["c0", "c2"], 2, 3, 2, 1.5],
      [["prompt", "m/one", "hand-made"], ["c1"], 1, 1, 0, 9],
    ]);
  });

  test("are simulated as soon as one unit was prepared so", () => {
    expect(only({ units: [unit("a"), unit("b", { simulated: true })] }).simulated).toBe(true);
    expect(only({ units: [unit("a")] }).simulated).toBe(false);
  });

  test("are simulated as soon as one reply was", () => {
    expect(only({ rows: [row("a", "5", answered("5"))] }).simulated).toBe(false);
    expect(only({ rows: [row("a", "5", answered("5"), { simulated: true })] }).simulated).toBe(true);
  });
});
