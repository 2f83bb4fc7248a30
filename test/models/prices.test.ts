import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/errors.js";
import { priceRowsSchema, pricesAt } from "../../src/models/prices.js";
import { SpendMeter } from "../../src/models/tokens.js";
import type { PhaseTotals, PriceRow, Usage } from "../../src/types/index.js";

const NOVEMBER = Date.UTC(2026, 10, 21);
const MILLION = 1_000_000;
const HAIKU = "anthropic/claude-haiku-5-5";

const priceOf = (id: string, usage: Usage, atMs = NOVEMBER, own: readonly PriceRow[] = []) =>
  pricesAt(atMs, own).ofCall(id, usage);

/** What the phase of a row costs that made these calls. */
function costOf(id: string, calls: readonly Usage[], own: readonly PriceRow[] = []) {
  const meter = new SpendMeter();
  for (const usage of calls) meter.add("answer", usage);
  return costOfTotals(id, meter.total().answer ?? { calls: 0, in: 0, out: 0 }, own);
}

function costOfTotals(id: string, totals: PhaseTotals, own: readonly PriceRow[] = []) {
  return pricesAt(NOVEMBER, own).ofPhases(id, [totals]);
}

describe("prices", () => {
  it("prices cache reads and writes apart from plain input", () => {
    const usage = { in: 3 * MILLION, out: 0, cacheRead: MILLION, cacheWrite: MILLION };
    expect(priceOf("anthropic/claude-haiku-4-5", usage)).toBeCloseTo(1 + 0.1 + 1.25, 9);
    expect(priceOf("anthropic/claude-fable-5-1", { in: MILLION, out: 0, cacheRead: MILLION })).toBeCloseTo(0.25, 9);
  });

  it("prices cache writes for an hour at twice the input, also of a long prompt and among many calls", () => {
    const usage = { in: 200_000, out: 0, cacheWrite: 150_000, cacheWrite1h: 100_000 };
    expect(priceOf("anthropic/claude-haiku-4-5", usage)).toBeCloseTo(0.05 + 0.0625 + 0.2, 9);
    expect(priceOf(HAIKU, usage)).toBeCloseTo(0.025 + 0.03125 + 0.1, 9);
    expect(costOf(HAIKU, [usage, usage])?.usd).toBeCloseTo(2 * (0.025 + 0.03125 + 0.1), 9);
    const own = [{ model: "lab/x", in: 1, out: 1, cacheWrite: 1.25 }];
    expect(costOf("lab/x", [usage], own)).toEqual({ usd: expect.closeTo(0.05 + 0.0625 + 0.2, 9), atMost: true });
  });

  it("takes its provider's prices for an endpoint without an address, and none for one with an address", () => {
    const endpoints = { account2: { provider: "anthropic" }, lab: { provider: "anthropic", baseUrl: "http://lab" } };
    const usd = (id: string, given: readonly PriceRow[] = []) =>
      pricesAt(NOVEMBER, given, endpoints).ofCall(id, { in: MILLION, out: 0 });
    expect(usd("account2/claude-sonnet-5-5")).toBe(2);
    expect(usd("account2/claude-sonnet-5-5", [{ model: "account2/*", in: 1, out: 1 }])).toBe(1);
    expect(usd("lab/claude-sonnet-5-5")).toBeUndefined();
  });

  it("prices every token of a long prompt at the long prompt's price, cache reads and writes too", () => {
    const short = { in: 100_000, out: 0 };
    expect(priceOf(HAIKU, { ...short, cacheRead: 100_000 })).toBeCloseTo(0.001, 9);
    expect(priceOf(HAIKU, { ...short, cacheWrite: 100_000 })).toBeCloseTo(0.0125, 9);
    const long = { in: 200_000, out: 0 };
    expect(priceOf(HAIKU, { ...long, cacheRead: 200_000 })).toBeCloseTo(0.01, 9); // 0.05 a million
    expect(priceOf(HAIKU, { ...long, cacheWrite: 200_000 })).toBeCloseTo(0.125, 9); // 0.625 a million
    expect(priceOf(HAIKU, { ...long, cacheRead: 150_000 })).toBeCloseTo(0.025 + 0.0075, 9);
    expect(priceOf(HAIKU, { in: 110_000, out: 0, cacheRead: 50_000 })).toBeCloseTo(0.03 + 0.0025, 9); // the size counts reads
  });

  it("takes the price of the day", () => {
    const usage = { in: MILLION, out: 0, cacheRead: MILLION };
    expect(priceOf("anthropic/claude-sonnet-5-5", usage, Date.UTC(2026, 9, 6))).toBeCloseTo(0.2, 9);
    expect(priceOf("anthropic/claude-sonnet-5-5", usage, Date.UTC(2026, 9, 7))).toBeCloseTo(0.1, 9);
    const short = { in: 1000, out: 0 };
    expect(priceOf("openai/gpt-5.6-sol", short, Date.UTC(2026, 10, 21, 23))).toBeCloseTo(0.004, 9);
    expect(priceOf("openai/gpt-5.6-sol", short, Date.UTC(2026, 10, 22))).toBeCloseTo(0.005, 9);
  });

  it("takes a tenth more of Bedrock's regions than of its global endpoint", () => {
    const usage = { in: MILLION, out: 0 };
    expect(priceOf("bedrock/global.anthropic.claude-haiku-4-5-20251001-v1:0", usage)).toBe(1);
    expect(priceOf("bedrock/us.anthropic.claude-haiku-4-5-20251001-v1:0", usage)).toBeCloseTo(1.1, 12);
    expect(priceOf("bedrock/anthropic.claude-opus-4-6-v1", usage)).toBeCloseTo(5.5, 12);
  });

  it.each([
    "openai/qwen3:8b",
    "openai/claude-haiku-5-5",
    "offline/lexical",
    "anthropic/claude-next",
    "anthropic/claude-haiku-5-5-turbo",
    "openai/gpt-5-mini-high",
    "openai/gpt-5.3",
    "bedrock/openai.gpt-5",
  ])("does not know what %s costs, whatever its relatives cost, which is not the same as nothing", (id) => {
    expect(priceOf(id, { in: 1, out: 1 })).toBeUndefined();
    expect(costOf(id, [{ in: 1, out: 1 }])).toBeUndefined();
  });

  it("takes what the provider billed before any price, and for any model", () => {
    expect(priceOf(HAIKU, { in: MILLION, out: 0, billedUsd: 0.0123 })).toBe(0.0123);
    expect(priceOf("openai/qwen/qwen3", { in: 5, out: 5, billedUsd: 0 })).toBe(0);
  });

  it("takes one's own prices first, by name or by a pattern", () => {
    const own = [
      { model: "openai/qwen3:*", in: 1, out: 2 },
      { model: HAIKU, in: 7, out: 7 },
    ]; // prettier than a file
    expect(priceOf("openai/qwen3:8b", { in: MILLION, out: 0 }, NOVEMBER, own)).toBe(1);
    expect(priceOf("openai/qwen2:8b", { in: MILLION, out: 0 }, NOVEMBER, own)).toBeUndefined();
    expect(priceOf(HAIKU, { in: MILLION, out: 0 }, NOVEMBER, own)).toBe(7);
  });

  it("refuses two of one's own prices for one model, but not a name beside a pattern, or a later price", () => {
    const twice = [
      { model: "lab/x", in: 1, out: 1 },
      { model: "lab/x", in: 2, out: 2 },
    ];
    const usage = { in: MILLION, out: 0 };
    expect(() => priceOf("lab/x", usage, NOVEMBER, twice)).toThrow(UsageError);
    expect(() => priceOf("lab/x", usage, NOVEMBER, twice)).toThrow(
      "lab/x and lab/x are two prices for lab/x; keep one",
    );
    const patterns = [
      { ...twice[0]!, model: "lab/*" },
      { ...twice[1]!, model: "*/x" },
    ];
    expect(() => priceOf("lab/x", usage, NOVEMBER, patterns)).toThrow("lab/* and */x are two prices for lab/x");
    expect(priceOf("lab/x", usage, NOVEMBER, [patterns[0]!, twice[1]!])).toBe(2);
    expect(priceOf("lab/x", usage, NOVEMBER, [twice[0]!, { ...twice[1]!, from: "2026-11-01" }])).toBe(2);
  });

  it("names the day on which a price was read once that is 60 days back", () => {
    const soon = pricesAt(Date.UTC(2027, 0, 19));
    const dayOf = (days: number) => pricesAt(Date.UTC(2026, 9, 9 + days)).staleSince("openai/gpt-5");
    expect([dayOf(60), dayOf(61)]).toEqual([undefined, "2026-10-09"]);
    expect([soon.staleSince(HAIKU), soon.staleSince("openai/gpt-5")]).toEqual([undefined, "2026-10-09"]);
  });

  it.each([
    [[{ model: "haiku", in: 1, out: 1 }], "provider/model-id"],
    [[{ model: "a/b", in: -1, out: 1 }], ">=0"],
    [[{ model: "a/b", in: 1, out: 1, above: { tokens: 5, in: 1, out: 1 } }], "30000"],
    [[{ model: "a/b", in: 1, out: 1, caheRead: 1 }], "caheRead"],
  ])("refuses rows of one's own that cannot be meant: %j", (rows, why) => {
    expect(priceRowsSchema.safeParse(rows).error?.message).toContain(why);
  });
});

describe("the price of many calls", () => {
  it("is the high tier for the long calls among them alone", () => {
    const [short, long] = [
      { in: 40_000, out: 0 },
      { in: 60_000, out: 0, cacheRead: 50_000 },
    ];
    expect(costOf(HAIKU, [short, { ...long, in: 110_000 }, short])?.usd).toBeCloseTo(2 * 0.004 + 0.03 + 0.0025, 12);
  });

  it("is exactly what was billed, beside the price of the others", () => {
    const calls = [
      { in: 40_000, out: 0 },
      { in: 200_000, out: 9, billedUsd: 0.25 },
      { in: 200_000, out: 0 },
    ];
    expect(costOf(HAIKU, calls)?.usd).toBeCloseTo(0.004 + 0.25 + 0.1, 12);
    expect(costOf("openai/x", [{ in: 5, out: 5, billedUsd: 0.5 }])).toEqual({ usd: 0.5 });
    expect(costOf("openai/x", calls)).toBeUndefined(); // the others have no price
  });

  it("is a bound where the price of cached tokens is not known", () => {
    const usage = { in: 1000, out: 0, cacheRead: 500 };
    expect(costOf("openai/gemini-3.5-flash", [usage])).toEqual({ usd: 0.0015, atMost: true });
  });
});
