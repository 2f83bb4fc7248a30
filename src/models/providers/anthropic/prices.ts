import type { PriceRow } from "../../../types/index.js";

type Prices = readonly [input: number, out: number, cacheRead: number, cacheWrite: number];

/** Source: Anthropic's price list. The writes are those of five minutes; kept for an hour they cost twice the input. */
const list: readonly (readonly [name: string, prices: Prices, more?: Partial<PriceRow>])[] = [
  ["claude-fable-5-2", [8, 40, 0.2, 10], { from: "2026-11-09" }],
  ["claude-fable-5-1", [10, 50, 0.25, 12.5]],
  ["claude-mythos-5-1", [10, 50, 0.25, 12.5]],
  ["claude-fable-5", [10, 50, 1, 12.5]],
  ["claude-opus-5-5", [4, 20, 0.2, 5]],
  ["claude-opus-5", [5, 25, 0.5, 6.25]],
  ["claude-opus-4-8", [5, 25, 0.5, 6.25]],
  ["claude-opus-4-7", [5, 25, 0.5, 6.25]],
  ["claude-opus-4-6", [5, 25, 0.5, 6.25]],
  ["claude-opus-4-5", [5, 25, 0.5, 6.25]],
  ["claude-sonnet-5-5", [2, 10, 0.2, 2.5]],
  ["claude-sonnet-5-5", [2, 10, 0.1, 2.5], { from: "2026-10-07" }],
  ["claude-sonnet-5", [2, 10, 0.2, 2.5]],
  ["claude-sonnet-4-6", [3, 15, 0.3, 3.75]],
  ["claude-sonnet-4-5", [3, 15, 0.3, 3.75]],
  ["claude-haiku-5-5", [0.1, 0.5, 0.01, 0.125], { above: { tokens: 100_000, ...rates([0.5, 2.5, 0.05, 0.625]) } }],
  ["claude-haiku-4-5", [1, 5, 0.1, 1.25]],
];

function rates([input, out, cacheRead, cacheWrite]: Prices) {
  return { in: input, out, cacheRead, cacheWrite, cacheWrite1h: 2 * input };
}

/** Returns the list for a provider that serves Claude at Anthropic's prices. */
export const claudePrices = (provider: string): readonly PriceRow[] =>
  list.map(([name, prices, more]) => ({
    ...{ model: `${provider}/${name}`, ...rates(prices), ...more },
    ...{ source: "Anthropic price list", readOn: "2026-11-21" },
  }));
