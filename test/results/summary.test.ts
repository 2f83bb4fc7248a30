import { describe, expect, test } from "vitest";
import { median } from "../../src/results/samples.js";
import { cachedOf, dollars, type SummaryPrices } from "../../src/results/spending.js";
import { incompleteBeta } from "../../src/results/student.js";
import { summarize } from "../../src/results/summary.js";
import { tasks } from "../../src/tasks/index.js";
import type { Row } from "../../src/types/index.js";
import { noPrices, priced } from "../helpers/priced.js";
import { answered, armSpec, failed, only, row, unit, unparsed } from "../helpers/summarized.js";

type Rows = readonly Row[];
const scoreOf = (rows: Rows, name = "mae") => only({ rows }).metrics.find((one) => one.name === name)!; // of the task's own
const rated = (users: number) =>
  Array.from({ length: users }, (_, i) => row(`u${i}`, "3", answered(String(1 + (i % 5)))));

describe("scores", () => {
  test("are of answered and unparsed questions with a gold; an unreadable reply is as wrong as can be", () => {
    const rows = [
      row("a", "5", answered("5")),
      row("a", "2", answered("3")),
      row("b", "2", unparsed("nan")), // on which the official script crashes
      row("b", "1", failed),
      row("c", undefined, answered("1")),
    ];
    expect(scoreOf(rows).strict).toBeCloseTo((0 + 1 + 3) / 3, 12);
    expect(scoreOf(rows, "rmse").strict).toBeCloseTo(Math.sqrt((0 + 1 + 9) / 3), 12);
    expect(only({ rows })).toMatchObject({
      users: 3,
      counts: { questions: 5, answered: 3, unparsed: 1, failed: 1, unscored: 1, scored: 3 },
    });
  });

  test("of the forgiving reading stand beside the official ones", () =>
    expect(scoreOf([row("a", "5", unparsed("I say 5!", "5")), row("b", "4", answered("4"))])).toMatchObject({
      ...{ strict: 2, lenient: 0 },
    }));

  test("that do not exist are missing, never zero", () => {
    for (const rows of [[], [row("a", "5", failed)], [row("a", undefined, answered("5"))]])
      for (const { strict, lenient, interval, spread } of only({ rows }).metrics)
        expect({ strict, lenient, interval, spread }).toEqual({});
  });

  test("have an interval around them from ten users with scored questions on", () => {
    const { strict, interval } = scoreOf(rated(10));
    expect(interval!.low).toBeLessThan(strict!);
    expect(interval!.high).toBeGreaterThan(strict!);
    const nine = [...rated(9), row("u9", "3", failed), row("u10", undefined, answered("1"))];
    expect(scoreOf(nine).interval).toBeUndefined();
  });

  test("of repeats are their mean, with the deviation between them; an empty one does not pull it to zero", () => {
    const arms = [0, 1, 2].map((repeat) => armSpec({ id: `c${repeat}`, repeat }));
    const rows = ["5", "4", "3"].map((reply, i) => row("a", "5", answered(reply), { arm: `c${i}` }));
    expect(only({ specs: arms, rows })).toMatchObject({
      repeats: 3,
      users: 1,
      metrics: [{ strict: 1, spread: 1 }, {}],
    });
    expect(only({ specs: arms, rows: rows.slice(1) }).metrics[0]!.strict).toBe(1.5);
  });
});

describe("a stream", () => {
  /** Answers that are off by `error`, at these places of a user's stream. */
  const at = (user: string, errors: readonly number[], over: Partial<Row> = {}) =>
    errors.map((error, i) =>
      row(user, "1", answered(String(1 + error)), { position: i + 1, question: `${user}${i}`, ...over }),
    );

  test("is cut into quarters of each user's own questions; empty ones are missing", () => {
    const rows = [...at("a", [4, 4, 3, 3, 2, 2, 1, 1]), ...at("b", [2, 2, 1, 1])].reverse();
    expect(only({ rows }).stream).toEqual([(4 + 4 + 2) / 3, (3 + 3 + 2) / 3, (2 + 2 + 1) / 3, (1 + 1 + 1) / 3]);
    expect(only({ rows: at("a", [3, 1]) }).stream).toEqual([3, undefined, 1, undefined]);
    expect(only({ rows: [row("a", "5", answered("5"))] })).not.toHaveProperty("stream");
  });

  test("of a repeat counts by itself, and leaves out what is not scored", () => {
    const arms = [armSpec(), armSpec({ id: "c1", repeat: 1 })];
    const rows = [...at("a", [4, 4, 0, 0]), ...at("a", [2, 0, 0, 0, 0, 0, 0, 0], { arm: "c1" })];
    expect(only({ specs: arms, rows }).stream).toEqual([(4 + 1) / 2, 2, 0, 0]);
    const lost = row("a", "1", failed, { position: 2, question: "lost" });
    expect(only({ rows: [...at("a", [4, 0, 0, 0]), lost] }).stream).toEqual([4, 0, 0, 0]);
  });
});

describe("costs", () => {
  const one = { rows: [row("a", "5", answered("5"))], units: [unit("a")] };

  test("are per answered question and per user, over all calls", () => {
    const rows = [row("a", "5", answered("5")), row("a", "4", answered("4")), row("b", "5", failed, { spend: {} })];
    const summary = only({ rows, units: [unit("a"), unit("b")] });
    expect(summary).toMatchObject({ callsPerUser: 2, tokensPerUser: 600, incidents: { "summary-empty": 2 } });
    expect([summary.callsPerQuery, summary.tokensPerQuery, summary.tokens]).toEqual([1, 110, (220 + 1200) / 2]);
  });

  test("of what all users share stand by themselves: in the dollars, in no amount per user", () => {
    const prices = priced((_model, { in: tokens, out }) => tokens + 10 * out);
    const spend = { summary: { calls: 30, in: 9000, out: 900 } };
    const shared = unit("", { unit: "shared/reports", shared: true, historySize: 0, spend });
    const [alone, both] = [only({ ...one, prices }), only({ ...one, units: [...one.units, shared], prices })];
    expect(both.shared).toEqual(spend.summary);
    for (const amount of ["callsPerUser", "tokensPerUser", "callsPerQuery", "tokensPerQuery"] as const)
      expect(both[amount]).toBe(alone[amount]);
    expect(both.usd! - alone.usd!).toBe(9000 + 10 * 900);
  });

  test("are unknown where nobody counted, never zero, as of imported predictions", () => {
    const rows = [...one.rows, row("a", "4", answered("4"), { spend: {}, spendUnknown: true })];
    const summary = only({ rows, units: [unit("a")], prices: priced(() => 1) });
    const { callsPerQuery, callsPerUser, tokensPerQuery, tokensPerUser, tokens, usd } = summary;
    expect({ callsPerQuery, callsPerUser, tokensPerQuery, tokensPerUser, tokens, usd }).toEqual({});
    expect(only({}).callsPerQuery).toBeUndefined();
  });

  test("have no price where only a part of them has one, and are a bound where one part of them is", () => {
    const partly = priced((_model, { in: tokens }) => (tokens > 100 ? undefined : 1));
    expect(only({ ...one, prices: partly }).usd).toBeUndefined();
    expect(only({ rows: [], units: [], prices: noPrices }).usd).toBeUndefined();
    const bound: SummaryPrices = {
      of: (_model, phases) => {
        const usd = [...phases].reduce((sum, phase) => sum + phase.in, 0);
        return { usd, ...(usd >= 500 ? { atMost: true } : {}) };
      },
      staleSince: () => "2026-01-01",
    };
    expect(only({ ...one, prices: bound })).toMatchObject({ usd: 600, usdAtMost: true, pricesOf: "2026-01-01" });
    expect(only({ ...one, units: [], prices: bound })).not.toHaveProperty("usdAtMost");
  });

  test("of a further model are at its own price", () => {
    const arms = [armSpec({ options: { "model.reference": "m/sure" } })];
    const spend = { answer: { calls: 1, in: 10, out: 1 }, "select@reference": { calls: 5, in: 100, out: 1 } };
    const material = { specs: arms, rows: [row("a", "5", answered("5"), { spend })] };
    const prices = priced((model, { in: tokens }) => (model === "m/sure" ? tokens : 2 * tokens));
    expect(only({ ...material, prices })).toMatchObject({ usd: 120, callsPerQuery: 6 });
    const halfKnown = only({ ...material, prices: priced((model) => (model === "m/sure" ? undefined : 1)) });
    expect(halfKnown.usd).toBeUndefined();
    const unasked = { ...noPrices, of: (model: string) => (model === "m/one" ? { usd: 1 } : undefined) };
    expect(dollars(arms, [[{ spend: { answer: spend.answer } }], []], unasked)).toEqual({ usd: 1 });
  });

  test("tell what the provider's cache did, beside all prompt tokens", () => {
    const read = { calls: 2, in: 100, out: 5, cacheRead: 40 };
    const written = { calls: 1, in: 60, out: 1, cacheWrite: 8 };
    const plain = { calls: 1, in: 30, out: 1 };
    const records = [{ spend: { answer: read, summary: plain } }, { spend: { tool: written } }];
    expect(cachedOf(records)).toEqual({ cached: { in: 190, read: 40, written: 8 } });
    expect(cachedOf([{ spend: { answer: plain } }])).toEqual({});
  });

  test("in seconds are the median of questions that were really sent", () => {
    const time = (ms: number) => ({ arm: "c0", unit: "a", ms });
    const timings = [{ ...time(1000), question: "1" }, { ...time(3000), question: "2" }, time(90_000)];
    expect(only({ timings }).secondsPerQuery).toBe(2);
    expect(only({ timings: timings.slice(2) }).secondsPerQuery).toBeUndefined();
  });
});

describe("arms", () => {
  test("keep their order, say in what they differ from their like, and have the records of their own arms", () => {
    const arms = [
      armSpec({ id: "c0", options: { "rag.k": 4, seed: 1 } }),
      armSpec({ id: "c1", options: { "rag.k": 8, seed: 1 } }),
      armSpec({ id: "c2", method: "prompt", options: {} }),
      armSpec({ id: "c3", options: { "rag.k": 4, seed: 1 }, repeat: 1 }),
    ];
    const at = (id: string, ms: number) => ({ arm: id, unit: "a", question: "q", ms });
    const summaries = summarize({
      ...{ specs: arms, task: (name) => tasks.get(name), prices: noPrices },
      rows: ["c3", "c2", "c0", "c0"].map((id, i) => row(`u${i}`, "5", answered("5"), { arm: id })),
      units: [unit("a", { arm: "c3" }), unit("a", { arm: "c2", spend: {} })],
      timings: [at("c0", 1000), at("c2", 9000), at("c3", 2000)],
    });
    expect(
      summaries.map(({ method, variant, arms: ids, counts, callsPerUser, secondsPerQuery }) => [
        ...[method, variant, ids.join(" "), counts.questions, callsPerUser, secondsPerQuery],
      ]),
    ).toEqual([
      ["rag", "rag.k=4", "c0 c3", 3, 2, 1.5],
      ["rag", "rag.k=8", "c1", 0, undefined, undefined],
      ["prompt", "", "c2", 1, 0, 9],
    ]);
  });

  test("are simulated as soon as one reply was, or one user was prepared so", () => {
    const rows = [row("a", "5", answered("5"))];
    expect(only({ rows, units: [unit("a")] }).simulated).toBe(false);
    expect(only({ rows, units: [unit("a", { simulated: true })] }).simulated).toBe(true);
    expect(only({ rows: [row("a", "5", answered("5"), { simulated: true })] }).simulated).toBe(true);
  });
});

test("a median is the middle value or the mean of two", () => {
  expect([median([10, 9, 2]), median([10, 1, 2, 3]), median([])]).toEqual([9, 2.5, undefined]);
});

test("the beta distribution has its closed forms, and keeps its digits where it is small", () => {
  for (const x of [0.001, 0.2, 0.5, 0.77, 0.999])
    for (const a of [0.5, 1, 3.3, 40, 700]) {
      expect(incompleteBeta(x, a, 1)).toBeCloseTo(x ** a, 12);
      expect(incompleteBeta(x, a, 5.5)).toBeCloseTo(1 - incompleteBeta(1 - x, 5.5, a), 12);
    }
  for (const x of [1e-12, 1e-6, 0.01, 0.3]) {
    const share = (2 / Math.PI) * Math.asin(Math.sqrt(x)); // the arcsine law
    expect(Math.abs(incompleteBeta(x, 0.5, 0.5) / share - 1)).toBeLessThan(1e-13);
  }
});
