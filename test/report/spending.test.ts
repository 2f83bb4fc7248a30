import { describe, expect, test } from "vitest";
import { cachedOf, dollars, type SummaryPrices, spentByModel, sumSpend } from "../../src/results/spending.js";
import type { Cell, PhaseTotals, Spend } from "../../src/types/index.js";
import { answered, only, row, unit } from "../helpers/summarized.js";

const cellOf = (options: Cell["options"] = {}): Cell => ({
  ...{ id: "c", task: "lamp3", dataset: "d", method: "rag", model: "m/one" },
  ...{ options, seed: 0, repeat: 0 },
});
const spent = (spend: Spend) => ({ spend });

/** A dollar a prompt token, a tenth of it from the cache, a quarter more into it; long calls a dollar a token on top. */
const prices: SummaryPrices = {
  of: (_model, phases) => {
    const of = ({ in: all, cacheRead = 0, cacheWrite = 0, long = [] }: PhaseTotals): number =>
      all - 0.9 * cacheRead + 0.25 * cacheWrite + long.reduce((sum, one) => sum + one.in - (one.cacheRead ?? 0), 0);
    return { usd: [...phases].reduce((sum, phase) => sum + of(phase), 0) };
  },
  staleSince: () => undefined,
};

describe("what the provider's cache did", () => {
  const read = { calls: 2, in: 100, out: 5, cacheRead: 40 };
  const written = { calls: 1, in: 60, out: 1, cacheWrite: 8 };
  const plain = { calls: 1, in: 30, out: 1 };

  test("is told of all phases of all parts, beside all prompt tokens", () => {
    const records = [spent({ answer: read, summary: plain }), spent({ tool: written })];
    expect(cachedOf(records)).toEqual({ cached: { in: 190, read: 40, written: 8 } });
  });

  test("of an arm is that of questions and of users together", () => {
    const cached = (tokens: number) => ({ answer: { calls: 1, in: 100, out: 1, cacheRead: tokens } });
    const rows = [row("a", "5", answered("5"), { spend: cached(30) })];
    expect(only({ rows, units: [unit("a", { spend: cached(4) })] }).cached).toMatchObject({ in: 200, read: 34 });
  });

  test("is told where as much was written as read", () => {
    const both = { calls: 2, in: 100, out: 1, cacheRead: 40, cacheWrite: 40 };
    expect(cachedOf([spent({ answer: both })]).cached).toMatchObject({ read: 40, written: 40 });
  });

  test("is not told where nothing was cached, however much was asked", () => {
    expect(cachedOf([spent({ answer: plain })])).toEqual({});
    expect(cachedOf([spent({ answer: { ...plain, cacheRead: 0 } })])).toEqual({});
  });
});

describe("what calls cost", () => {
  test("is told by model of an arm that asked several, and of one that asked nothing not at all", () => {
    const cell = cellOf({ "model.reference": "m/two" });
    expect(spentByModel(cell, [[spent({})], []], prices)).not.toHaveProperty("spent");
    expect(spentByModel(cell, [[spent({ answer: { calls: 1, in: 2, out: 3 } })]], prices).spent).toHaveLength(1);
  });

  test("is summed over all phases of all records", () => {
    const records = [
      spent({ answer: { calls: 1, in: 10, out: 2 }, tool: { calls: 2, in: 3, out: 4 } }),
      spent({}),
      spent({ answer: { calls: 1, in: 1, out: 1 } }),
    ];
    expect(sumSpend(records)).toEqual({ calls: 4, in: 14, out: 7 });
  });

  test("is known of a further model that was not asked, though nobody knows its price", () => {
    const cell = cellOf({ "model.reference": "m/two" });
    const known = { ...prices, of: (model: string) => (model === "m/one" ? { usd: 1 } : undefined) };
    const asked = spent({ "select@reference": { calls: 1, in: 1, out: 1 } });
    expect(dollars([cell], [[spent({ answer: { calls: 1, in: 1, out: 1 } })], []], known)).toEqual({ usd: 1 });
    expect(dollars([cell], [[asked]], known)).toEqual({ usd: undefined });
  });

  test("says of several old prices the oldest day", () => {
    const days: Readonly<Record<string, string>> = { "m/one": "2026-03-01", "m/two": "2026-01-01" };
    const old = { ...prices, staleSince: (model: string) => days[model] };
    expect(dollars([cellOf({ "model.reference": "m/two" })], [[]], old)).toEqual({ usd: 0, pricesOf: "2026-01-01" });
    expect(dollars([cellOf()], [[]], old)).toEqual({ usd: 0, pricesOf: "2026-03-01" });
  });
});
