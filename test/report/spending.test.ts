import { describe, expect, test } from "vitest";
import { cachedOf, dollars, type SummaryPrices, spentByModel } from "../../src/results/spending.js";
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

const isCached = (phases: Iterable<PhaseTotals>): boolean => [...phases].some((phase) => phase.cacheRead);

describe("what the provider's cache did", () => {
  const read = { calls: 2, in: 100, out: 5, cacheRead: 40 };
  const written = { calls: 1, in: 60, out: 1, cacheWrite: 8 };
  const plain = { calls: 1, in: 30, out: 1 };

  test("is told of all phases of all parts, beside all prompt tokens and with what it saved", () => {
    const parts = [[spent({ answer: read, summary: plain })], [spent({ tool: written })]];
    const { cached } = cachedOf(cellOf(), parts, prices);
    expect(cached).toMatchObject({ in: 190, read: 40, written: 8 });
    expect(cached?.savedUsd).toBeCloseTo(0.9 * 40 - 0.25 * 8, 12);
  });

  test("of an arm is that of questions and of users together", () => {
    const cached = (tokens: number) => ({ answer: { calls: 1, in: 100, out: 1, cacheRead: tokens } });
    const rows = [row("a", "5", answered("5"), { spend: cached(30) })];
    expect(only({ rows, units: [unit("a", { spend: cached(4) })] }).cached).toMatchObject({ in: 200, read: 34 });
  });

  test("may have cost more than it saved", () => {
    expect(cachedOf(cellOf(), [[spent({ answer: written })]], prices).cached).toEqual({
      ...{ in: 60, read: 0, written: 8 },
      savedUsd: -2,
    });
  });

  test("is not told where nothing was cached, however much was asked", () => {
    expect(cachedOf(cellOf(), [[spent({ answer: plain })], []], prices)).toEqual({});
    expect(cachedOf(cellOf(), [[spent({ answer: { ...plain, cacheRead: 0 } })]], prices)).toEqual({});
  });

  test.each([
    ["no price is known", cellOf(), { ...prices, of: () => undefined }],
    ["the price is a bound", cellOf(), { ...prices, of: () => ({ usd: 1, atMost: true as const }) }],
    [
      "the price without the cache is a bound",
      cellOf(),
      {
        ...prices,
        of: (_: string, phases: Iterable<PhaseTotals>) =>
          isCached(phases) ? { usd: 1 } : { usd: 2, atMost: true as const },
      },
    ],
    [
      "the price with the cache is a bound",
      cellOf(),
      {
        ...prices,
        of: (_: string, phases: Iterable<PhaseTotals>) =>
          isCached(phases) ? { usd: 1, atMost: true as const } : { usd: 2 },
      },
    ],
    [
      "cached tokens have no price",
      cellOf(),
      { ...prices, of: (_: string, phases: Iterable<PhaseTotals>) => (isCached(phases) ? undefined : { usd: 2 }) },
    ],
    [
      "tokens that are not cached have no price",
      cellOf(),
      { ...prices, of: (_: string, phases: Iterable<PhaseTotals>) => (isCached(phases) ? { usd: 2 } : undefined) },
    ],
    ["several models have several prices", cellOf({ "model.reference": "m/two" }), prices],
  ])("saved nobody knows what where %s", (_, cell, known) => {
    expect(cachedOf(cell, [[spent({ answer: read })]], known)).toEqual({ cached: { in: 100, read: 40, written: 0 } });
  });
});

describe("what calls cost", () => {
  test("is told by model of an arm that asked several, and of one that asked nothing not at all", () => {
    const cell = cellOf({ "model.reference": "m/two" });
    expect(spentByModel(cell, [[spent({})], []], prices)).not.toHaveProperty("spent");
    expect(spentByModel(cell, [[spent({ answer: { calls: 1, in: 2, out: 3 } })]], prices).spent).toHaveLength(1);
  });

  test("is known of a further model that was not asked, though nobody knows its price", () => {
    const cell = cellOf({ "model.reference": "m/two" });
    const known = { ...prices, of: (model: string) => (model === "m/one" ? { usd: 1 } : undefined) };
    const asked = spent({ "select@reference": { calls: 1, in: 1, out: 1 } });
    expect(dollars([cell], [[spent({ answer: { calls: 1, in: 1, out: 1 } })], []], known)).toEqual({ usd: 1 });
    expect(dollars([cell], [[asked]], known)).toEqual({ usd: undefined });
  });
});
