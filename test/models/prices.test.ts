import { describe, expect, it } from "vitest";
import { priceOf } from "../../src/models/prices.js";

const NOVEMBER = Date.UTC(2026, 10, 21);
const MILLION = 1_000_000;

describe("prices", () => {
  it("prices a call of short prompts and of a long one", () => {
    const small = priceOf("anthropic/claude-haiku-5-5", { in: 900, out: 20 }, NOVEMBER);
    expect((small ?? 0) * MILLION).toBeCloseTo(100, 6); // a million such calls
    expect(priceOf("anthropic/claude-haiku-5-5", { in: 200_000, out: 1000 }, NOVEMBER)).toBeCloseTo(0.1025, 9);
    expect(priceOf("anthropic/claude-sonnet-5-5", { in: 900, out: 20 }, NOVEMBER)).toBeCloseTo(0.002, 9);
  });

  it("prices Bedrock's spellings of the same model", () => {
    expect(priceOf("bedrock/us.anthropic.claude-haiku-4-5-20251001-v1:0", { in: MILLION, out: 0 }, NOVEMBER)).toBe(1);
  });

  it("prices cache reads and writes apart from plain input", () => {
    const usage = { in: 3 * MILLION, out: 0, cacheRead: MILLION, cacheWrite: MILLION };
    expect(priceOf("anthropic/claude-haiku-4-5", usage, NOVEMBER)).toBeCloseTo(1 + 0.1 + 1.25, 9);
  });

  it("prices every token of a long prompt at the long prompt's price, cache reads and writes too", () => {
    const id = "anthropic/claude-haiku-5-5";
    const short = { in: 100_000, out: 0 };
    expect(priceOf(id, { ...short, cacheRead: 100_000 }, NOVEMBER)).toBeCloseTo(0.001, 9);
    expect(priceOf(id, { ...short, cacheWrite: 100_000 }, NOVEMBER)).toBeCloseTo(0.0125, 9);
    const long = { in: 200_000, out: 0 };
    expect(priceOf(id, { ...long, cacheRead: 200_000 }, NOVEMBER)).toBeCloseTo(0.01, 9); // 0.05 a million
    expect(priceOf(id, { ...long, cacheWrite: 200_000 }, NOVEMBER)).toBeCloseTo(0.125, 9); // 0.625 a million
    expect(priceOf(id, { ...long, cacheRead: 150_000 }, NOVEMBER)).toBeCloseTo(0.025 + 0.0075, 9);
  });

  it("counts a prompt of exactly the threshold as short", () => {
    expect(priceOf("anthropic/claude-haiku-5-5", { in: 100_001, out: 0 }, NOVEMBER)).toBeCloseTo(0.0500005, 9);
    expect(priceOf("anthropic/claude-haiku-5-5", { in: 100_000, out: 0 }, NOVEMBER)).toBeCloseTo(0.01, 9);
  });

  it("takes the price of the day", () => {
    const usage = { in: MILLION, out: 0, cacheRead: MILLION };
    expect(priceOf("anthropic/claude-sonnet-5-5", usage, Date.UTC(2026, 9, 6))).toBeCloseTo(0.2, 9);
    expect(priceOf("anthropic/claude-sonnet-5-5", usage, Date.UTC(2026, 9, 7))).toBeCloseTo(0.1, 9);
  });

  it.each(["openai/qwen3:8b", "openai/claude-haiku-5-5", "offline/lexical", "anthropic/claude-next"])(
    "does not know what %s costs, which is not the same as nothing",
    (id) => {
      expect(priceOf(id, { in: 1, out: 1 }, NOVEMBER)).toBeUndefined();
    },
  );
});
