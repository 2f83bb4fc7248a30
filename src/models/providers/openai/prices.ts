import type { PriceRow } from "../../../types/index.js";

type Listed = readonly [
  name: string,
  input: number,
  out: number,
  cacheRead: number,
  cacheWrite?: number,
  more?: Partial<PriceRow>,
];

/**
 * Source: OpenAI's model catalogue. From 5.6 on writing the cache is billed. Inferred from their relatives: the write of gpt-6-astra,
 * and the cache prices of gpt-5.6-sol from 22 November 2026 on.
 */
const list: readonly Listed[] = [
  ["gpt-6-astra", 10, 50, 1, 12.5],
  ["gpt-6.1-sol", 2, 10, 0.1, 2.5],
  ["gpt-6.1-terra", 1, 5, 0.05, 1.25],
  ["gpt-6-sol", 2, 10, 0.2, 2.5],
  ["gpt-6-luna", 0.1, 0.5, 0.01, 0.125],
  ["gpt-5.6-sol", 4, 20, 0.4, 5, { until: "2026-11-21" }],
  ["gpt-5.6-sol", 5, 30, 0.5, 6.25, { from: "2026-11-22" }],
  ["gpt-5.6-terra", 2, 12, 0.2, 2.5],
  ["gpt-5.6-luna", 0.2, 1.2, 0.02, 0.25],
  ["gpt-5.5", 5, 30, 0.5],
  ["gpt-5.4", 2.5, 15, 0.25],
  ["gpt-5.4-mini", 0.75, 4.5, 0.075],
  ["gpt-5.4-nano", 0.2, 1.25, 0.02],
  ["gpt-5.2", 1.75, 14, 0.175],
  ["gpt-5.1", 1.25, 10, 0.125],
  ["gpt-5", 1.25, 10, 0.125],
  ["gpt-5-mini", 0.25, 2, 0.025],
  ["gpt-5-nano", 0.05, 0.4, 0.005],
  ["gpt-4.1", 2, 8, 0.5],
  ["gpt-4.1-mini", 0.4, 1.6, 0.1],
  ["o4-mini", 1.1, 4.4, 0.275],
];

/** A request of more than 272,000 prompt tokens costs twice the input and one and a half times the output as a whole. */
function rowOf([name, input, out, cacheRead, cacheWrite, more]: Listed): PriceRow {
  const writes = (factor: number) => (cacheWrite === undefined ? {} : { cacheWrite: factor * cacheWrite });
  return {
    ...{ model: `openai/${name}`, in: input, out, cacheRead, ...writes(1), ...more },
    above: { tokens: 272_000, in: 2 * input, out: 1.5 * out, cacheRead: 2 * cacheRead, ...writes(2) },
    ...{ source: "OpenAI model catalogue", readOn: "2026-10-09" },
  };
}

/** Source: Gemini's price list. Cache prices are not known; the output of 2.5 Pro is from an older list. */
const gemini: readonly PriceRow[] = [
  { model: "gemini-3.8-flash", in: 0.75, out: 3.75, until: "2026-12-31" },
  { model: "gemini-3.8-flash", in: 1.5, out: 7.5, from: "2027-01-01" },
  { model: "gemini-3.5-flash", in: 1.5, out: 9 },
  { model: "gemini-3.5-flash-lite", in: 0.3, out: 2.5 },
  { model: "gemini-3.1-pro", in: 2, out: 12, above: { tokens: 200_000, in: 4, out: 18 } },
  { model: "gemini-2.5-pro", in: 1.25, out: 10, above: { tokens: 200_000, in: 2.5, out: 15 } },
];

export const gptPrices: readonly PriceRow[] = [
  ...list.map(rowOf),
  ...gemini.map((row) => ({
    ...row,
    model: `openai/${row.model}`,
    ...{ source: "Gemini price list", readOn: "2026-10-07" },
  })),
];
