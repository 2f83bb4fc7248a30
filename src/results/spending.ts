import { furtherModels, modelOf } from "../registry/further-models.js";
import type { ArmSpec, PhaseTotals, Row } from "../types/index.js";

/** What calls of a model cost. */
export interface SummaryPrices {
  /** Undefined where no price is known. */
  of(model: string, phases: Iterable<PhaseTotals>): { readonly usd: number; readonly atMost?: true } | undefined;
  /** The day of a price, where that is long past. */
  staleSince(model: string): string | undefined;
}

/** Prompt tokens in all, and those of them that the provider read from its cache or wrote to it. */
export interface CacheUse {
  readonly in: number;
  readonly read: number;
  readonly written: number;
}

/** Returns what several records cost, over all phases. */
export function sumSpend(records: readonly Spent[]): PhaseTotals {
  const sum = { calls: 0, in: 0, out: 0 };
  for (const totals of phasesOf(records)) {
    sum.calls += totals.calls;
    sum.in += totals.in;
    sum.out += totals.out;
  }
  return sum;
}

/** By arm and model, calls that records count and that were not paid for again. */
export type RepeatedCalls = Readonly<Record<string, Readonly<Record<string, PhaseTotals>>>>;

/** Each model's calls at its own price: what an arm would cost by itself. `arms`: its repeats. */
export function dollars(
  arms: readonly ArmSpec[],
  parts: readonly (readonly Spent[])[],
  prices: SummaryPrices,
  repeated: RepeatedCalls = {},
): { readonly usd: number | undefined; readonly usdAtMost?: true; readonly pricesOf?: string } {
  const arm = arms[0]!; // groups are never empty
  const models = [...new Set([arm.model, ...Object.values(furtherModels(arm))])];
  let [usd, atMost] = [0, false];
  for (const model of models) {
    const ofModel = (phase: string): boolean => models.length === 1 || modelOf(phase, arm) === model;
    const spent = parts.filter((records) => !phasesOf(records, ofModel)[Symbol.iterator]().next().done);
    for (const records of spent.length === 0 && model === arm.model ? [[]] : spent) {
      const cost = prices.of(model, phasesOf(records, ofModel));
      if (cost === undefined) return { usd: undefined };
      usd += cost.usd;
      atMost ||= cost.atMost === true;
    }
    const again = arms.flatMap(({ id }) => repeated[id]?.[model] ?? []);
    usd -= again.length === 0 ? 0 : (prices.of(model, again)?.usd ?? 0);
  }
  const pricesOf = models.flatMap((model) => prices.staleSince(model) ?? []).sort()[0];
  return { usd, ...(atMost ? { usdAtMost: true } : {}), ...(pricesOf === undefined ? {} : { pricesOf }) };
}

/** Returns what of the prompts came from the provider's cache; nothing where it did nothing. */
export function cachedOf(records: readonly Spent[]): { readonly cached?: CacheUse } {
  let [all, read, written] = [0, 0, 0];
  for (const { in: tokensIn, cacheRead = 0, cacheWrite = 0 } of phasesOf(records)) {
    all += tokensIn;
    read += cacheRead;
    written += cacheWrite;
  }
  return read + written === 0 ? {} : { cached: { in: all, read, written } };
}

type Spent = Pick<Row, "spend">;

function* phasesOf(records: readonly Spent[], wanted: (phase: string) => boolean = () => true): Iterable<PhaseTotals> {
  for (const { spend } of records) for (const [phase, totals] of Object.entries(spend)) if (wanted(phase)) yield totals;
}
