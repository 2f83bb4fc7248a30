import { describe, expect, test } from "vitest";
import { CallMeter, LONG_PROMPT } from "../../src/models/tokens.js";
import type { Usage } from "../../src/types/index.js";

const usage = (tokensIn: number, out: number, more: Partial<Usage> = {}): Usage => ({
  in: tokensIn,
  out,
  estimated: false,
  ...more,
});
const total = (...usages: readonly Usage[]) => {
  const meter = new CallMeter();
  for (const one of usages) meter.add(one);
  return meter.total();
};
const [short, edge, long] = [usage(100, 5), usage(LONG_PROMPT, 1), usage(LONG_PROMPT + 1, 2)];

describe("the calls of a phase", () => {
  test("are summed, caches only where something was cached", () => {
    expect(total(short, usage(7, 1))).toEqual({ calls: 2, in: 107, out: 6 });
    expect(total(short, usage(7, 1, { cacheRead: 3, cacheWrite: 0 }))).toEqual({
      calls: 2,
      in: 107,
      out: 6,
      cacheRead: 3,
    });
    expect(total(usage(7, 1, { cacheWrite: 4 }))).toEqual({ calls: 1, in: 7, out: 1, cacheWrite: 4 });
    expect(total()).toEqual({ calls: 0, in: 0, out: 0 });
  });

  test("of more than so many prompt tokens stand one by one beside the sum, where there are other calls", () => {
    expect(total(edge, edge)).toEqual({ calls: 2, in: 2 * LONG_PROMPT, out: 2 });
    expect(total(long)).toEqual({ calls: 1, in: LONG_PROMPT + 1, out: 2 });
    expect(total(long, short)).toEqual({
      calls: 2,
      in: LONG_PROMPT + 101,
      out: 7,
      long: [{ in: LONG_PROMPT + 1, out: 2 }],
    });
  });

  test("that were billed stand as a sum of their own with the dollars, and are not priced as long calls too", () => {
    const billed = (usd: number, one = short) => ({ ...one, billedUsd: usd });
    expect(total(billed(0.5), short, billed(0.25, long))).toEqual({
      calls: 3,
      in: LONG_PROMPT + 201,
      out: 12,
      billed: { calls: 2, in: LONG_PROMPT + 101, out: 7, usd: 0.75 },
    });
    expect(total(billed(0))).toEqual({ calls: 1, in: 100, out: 5, billed: { calls: 1, in: 100, out: 5, usd: 0 } });
  });

  test("of a batch are in the sum, and stand beside it with their own long calls, since they are priced otherwise", () => {
    const batch = (one: Usage): Usage => ({ ...one, batch: true });
    expect(total(batch(short), usage(7, 1), batch(long))).toEqual({
      calls: 3,
      in: LONG_PROMPT + 108,
      out: 8,
      batch: { calls: 2, in: LONG_PROMPT + 101, out: 7, long: [{ in: LONG_PROMPT + 1, out: 2 }] },
    });
    expect(total(batch({ ...short, billedUsd: 0.5 }))).toEqual({
      calls: 1,
      in: 100,
      out: 5,
      billed: { calls: 1, in: 100, out: 5, usd: 0.5 },
    });
  });

  test("give the same bytes in whatever order they came", () => {
    const calls = [
      usage(LONG_PROMPT + 20, 2),
      usage(LONG_PROMPT + 100, 1),
      usage(LONG_PROMPT + 20, 1),
      usage(LONG_PROMPT + 20, 1, { cacheRead: 9 }),
      usage(LONG_PROMPT + 20, 2),
      usage(10, 1, { billedUsd: 0.1 }),
      usage(10, 1, { billedUsd: 0.2 }),
      usage(10, 1, { billedUsd: 0.3 }),
      usage(10, 1, { billedUsd: 1e9 }),
    ];
    const expected = JSON.stringify(total(...calls));
    for (let turn = 1; turn < calls.length; turn++) {
      const turned = [...calls.slice(turn), ...calls.slice(0, turn)];
      expect(JSON.stringify(total(...turned))).toBe(expected);
      expect(JSON.stringify(total(...turned.toReversed()))).toBe(expected);
    }
    expect(total(...calls).long?.map((one) => [one.in - LONG_PROMPT, one.out, one.cacheRead])).toEqual([
      [100, 1, undefined],
      [20, 1, 9],
      [20, 1, undefined],
      [20, 2, undefined],
      [20, 2, undefined],
    ]);
  });
});
