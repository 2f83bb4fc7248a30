import * as z from "zod";
import { LONG_PROMPT } from "./call-tokens.js";

type ListedRow = Omit<PriceRow, "model" | "source" | "readOn"> & { readonly name: string };

/** The writes of five minutes; those of an hour cost twice the input. Prompts of Haiku 5.5 above 100,000 tokens cost five times as much as a whole. */
const anthropicShort: readonly ListedRow[] = [
  { name: "claude-fable-5-2", in: 8, out: 40, cacheRead: 0.2, cacheWrite: 10, from: "2026-11-09" },
  { name: "claude-fable-5-1", in: 10, out: 50, cacheRead: 0.25, cacheWrite: 12.5 },
  { name: "claude-mythos-5-1", in: 10, out: 50, cacheRead: 0.25, cacheWrite: 12.5 },
  { name: "claude-fable-5", in: 10, out: 50, cacheRead: 1, cacheWrite: 12.5 },
  { name: "claude-opus-5-5", in: 4, out: 20, cacheRead: 0.2, cacheWrite: 5 },
  { name: "claude-opus-5", in: 5, out: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  { name: "claude-opus-4-8", in: 5, out: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  { name: "claude-opus-4-7", in: 5, out: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  { name: "claude-opus-4-6", in: 5, out: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  { name: "claude-opus-4-5", in: 5, out: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  { name: "claude-sonnet-5-5", in: 2, out: 10, cacheRead: 0.2, cacheWrite: 2.5 },
  { name: "claude-sonnet-5-5", in: 2, out: 10, cacheRead: 0.1, cacheWrite: 2.5, from: "2026-10-07" },
  { name: "claude-sonnet-5", in: 2, out: 10, cacheRead: 0.2, cacheWrite: 2.5 },
  { name: "claude-sonnet-4-6", in: 3, out: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  { name: "claude-sonnet-4-5", in: 3, out: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  {
    name: "claude-haiku-5-5",
    in: 0.1,
    out: 0.5,
    cacheRead: 0.01,
    cacheWrite: 0.125,
    above: { tokens: 100_000, in: 0.5, out: 2.5, cacheRead: 0.05, cacheWrite: 0.625 },
  },
  { name: "claude-haiku-4-5", in: 1, out: 5, cacheRead: 0.1, cacheWrite: 1.25 },
];

const withHour = <T extends { readonly in: number }>(tier: T) => ({ ...tier, cacheWrite1h: 2 * tier.in });
const anthropic: readonly ListedRow[] = anthropicShort.map(({ above, ...row }) => ({
  ...withHour(row),
  ...(above === undefined ? {} : { above: withHour(above) }),
}));

/**
 * From 5.6 on writing the cache is billed. Inferred from their relatives: the write of gpt-6-astra, and the cache prices of
 * gpt-5.6-sol from 22 November 2026 on.
 */
const openaiShort: readonly ListedRow[] = [
  { name: "gpt-6-astra", in: 10, out: 50, cacheRead: 1, cacheWrite: 12.5 },
  { name: "gpt-6.1-sol", in: 2, out: 10, cacheRead: 0.1, cacheWrite: 2.5 },
  { name: "gpt-6.1-terra", in: 1, out: 5, cacheRead: 0.05, cacheWrite: 1.25 },
  { name: "gpt-6-sol", in: 2, out: 10, cacheRead: 0.2, cacheWrite: 2.5 },
  { name: "gpt-6-luna", in: 0.1, out: 0.5, cacheRead: 0.01, cacheWrite: 0.125 },
  { name: "gpt-5.6-sol", in: 4, out: 20, cacheRead: 0.4, cacheWrite: 5, until: "2026-11-21" },
  { name: "gpt-5.6-sol", in: 5, out: 30, cacheRead: 0.5, cacheWrite: 6.25, from: "2026-11-22" },
  { name: "gpt-5.6-terra", in: 2, out: 12, cacheRead: 0.2, cacheWrite: 2.5 },
  { name: "gpt-5.6-luna", in: 0.2, out: 1.2, cacheRead: 0.02, cacheWrite: 0.25 },
  { name: "gpt-5.5", in: 5, out: 30, cacheRead: 0.5 },
  { name: "gpt-5.4", in: 2.5, out: 15, cacheRead: 0.25 },
  { name: "gpt-5.4-mini", in: 0.75, out: 4.5, cacheRead: 0.075 },
  { name: "gpt-5.4-nano", in: 0.2, out: 1.25, cacheRead: 0.02 },
  { name: "gpt-5.2", in: 1.75, out: 14, cacheRead: 0.175 },
  { name: "gpt-5.1", in: 1.25, out: 10, cacheRead: 0.125 },
  { name: "gpt-5", in: 1.25, out: 10, cacheRead: 0.125 },
  { name: "gpt-5-mini", in: 0.25, out: 2, cacheRead: 0.025 },
  { name: "gpt-5-nano", in: 0.05, out: 0.4, cacheRead: 0.005 },
  { name: "gpt-4.1", in: 2, out: 8, cacheRead: 0.5 },
  { name: "gpt-4.1-mini", in: 0.4, out: 1.6, cacheRead: 0.1 },
  { name: "o4-mini", in: 1.1, out: 4.4, cacheRead: 0.275 },
];

const openai: readonly ListedRow[] = openaiShort.map((row) => ({ ...row, above: openaiAbove(row) }));

/** A request of more than 272,000 prompt tokens costs twice the input and one and a half times the output as a whole. */
function openaiAbove({ in: input, out, cacheRead, cacheWrite }: ListedRow): ListedRow["above"] {
  return {
    tokens: 272_000,
    in: 2 * input,
    out: 1.5 * out,
    ...(cacheRead === undefined ? {} : { cacheRead: 2 * cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWrite: 2 * cacheWrite }),
  };
}

/** Cache prices are not known; the output of 2.5 Pro is from an older list. */
const gemini: readonly ListedRow[] = [
  { name: "gemini-3.8-flash", in: 0.75, out: 3.75, until: "2026-12-31" },
  { name: "gemini-3.8-flash", in: 1.5, out: 7.5, from: "2027-01-01" },
  { name: "gemini-3.5-flash", in: 1.5, out: 9 },
  { name: "gemini-3.5-flash-lite", in: 0.3, out: 2.5 },
  { name: "gemini-3.1-pro", in: 2, out: 12, above: { tokens: 200_000, in: 4, out: 18 } },
  { name: "gemini-2.5-pro", in: 1.25, out: 10, above: { tokens: 200_000, in: 2.5, out: 15 } },
];

const listed = (providers: readonly string[], rows: readonly ListedRow[], facts: Pick<PriceRow, "source" | "readOn">) =>
  providers.flatMap((provider) => rows.map(({ name, ...row }) => ({ model: `${provider}/${name}`, ...row, ...facts })));

/**
 * List prices, US dollars per million tokens, as read on the days that the rows name. Exact names: a model that no row names
 * has no known price, whatever its relatives cost.
 */
export const priceList: readonly PriceRow[] = [
  ...listed(["anthropic", "bedrock"], anthropic, { source: "Anthropic price list", readOn: "2026-11-21" }),
  ...listed(["openai"], openai, { source: "OpenAI model catalogue", readOn: "2026-10-09" }),
  ...listed(["openai"], gemini, { source: "Gemini price list", readOn: "2026-10-07" }),
];

const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, "expected a day like 2026-11-21");
const dollars = z.number().nonnegative();

const rates = {
  in: dollars,
  out: dollars,
  /** Absent: not known; such tokens count as plain input, and the sum is marked as a bound. */
  cacheRead: dollars.optional(),
  /** Five-minute cache write. Absent: as plain input. */
  cacheWrite: dollars.optional(),
  /** Cache write that is kept for an hour. Absent: twice the input, and the sum is marked as a bound. */
  cacheWrite1h: dollars.optional(),
};

/** US dollars per million tokens of a model, over a time. */
const priceRowSchema = z.strictObject({
  /** As in `--model`: `openai/qwen3-8b`. `*` stands for any characters. */
  model: z.string().regex(/^[^/\s]+\/\S+$/, "expected provider/model-id"),
  ...rates,
  /** Calls with a longer prompt, cache reads and writes included, cost this as a whole. */
  above: z
    .strictObject({
      tokens: z
        .int()
        .min(LONG_PROMPT, `rows tell calls of more than ${LONG_PROMPT} prompt tokens apart, no shorter ones`),
      ...rates,
    })
    .optional(),
  /** What a request in a batch costs, as a share of that. Absent: half. */
  batch: z.number().min(0).max(1).optional(),
  /** First day of the price, UTC. Absent: the first price known. */
  from: day.optional(),
  /** Last day of the price, UTC. */
  until: day.optional(),
  source: z.string().optional(),
  readOn: day.optional(),
});
export type PriceRow = z.infer<typeof priceRowSchema>;
export const priceRowsSchema = z.array(priceRowSchema);
