import * as z from "zod";
import { LONG_PROMPT } from "./call-sums.js";

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
  /** Where the price was read. */
  source: z.string().optional(),
  /** When it was read. */
  readOn: day.optional(),
});
export type PriceRow = z.infer<typeof priceRowSchema>;
export const priceRowsSchema = z.array(priceRowSchema);
