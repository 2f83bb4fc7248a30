import * as z from "zod";
import { UsageError } from "../errors.js";
import { escapeRegExp } from "../text/words.js";
import type { PhaseTotals, PriceRow, TokenCounts, Usage } from "../types/index.js";
import { endpointOf } from "./endpoints.js";
import { providers } from "./index.js";
import { LONG_PROMPT, less, NO_TOKENS, plus } from "./tokens.js";

/** Costs of calls, US dollars. */
interface Cost {
  readonly usd: number;
  /** True where it cost this or less: a price is not known. */
  readonly atMost?: true;
}

export interface Prices {
  /**
   * Returns US dollars of one call's usage: what the provider billed, where it says so. Undefined, never 0, where the price is
   * unknown: models of compatible servers, offline models, ids that no row names.
   */
  ofCall(modelId: string, usage: Usage): number | undefined;
  /** Returns the same of the phases of records, each call at the price of its own length. */
  ofPhases(modelId: string, phases: Iterable<PhaseTotals>): Cost | undefined;
  /** Returns the day on which the price of the model was read, where that is more than 60 days back. */
  staleSince(modelId: string): string | undefined;
}

/** Of endpoints by name: those without an address are their provider's own, at its prices. */
type PricedEndpoints = Readonly<Record<string, { readonly provider: string; readonly baseUrl?: unknown }>>;

const DAY_MS = 24 * 3_600_000;
const STALE_MS = 60 * DAY_MS;

/**
 * Returns prices at a time, milliseconds since the epoch; rows of one's own come before those of the lists. Throws UsageError, when it
 * is asked for the model, where two of one's own rows are its price.
 */
export function pricesAt(atMs: number, given: readonly PriceRow[] = [], endpoints: PricedEndpoints = {}): Prices {
  const found = new Map<string, Rates | undefined>();
  const ratesFor = (modelId: string): Rates | undefined => {
    if (!found.has(modelId)) found.set(modelId, ratesAt(modelId, atMs, given, endpoints));
    return found.get(modelId);
  };
  return {
    ofCall(modelId, usage) {
      if (usage.billedUsd !== undefined) return usage.billedUsd;
      const rates = ratesFor(modelId);
      if (rates === undefined) return undefined;
      return usdOf(usage, tierOf(rates.row, usage.in), rates) * (usage.batch === true ? batchShare(rates) : 1);
    },
    ofPhases(modelId, phases) {
      const all = [...phases];
      if (all.length > 0 && all.every(({ calls, billed }) => calls === billed?.calls)) return costOf(all, FREE); // all billed
      const rates = ratesFor(modelId);
      if (rates === undefined) return undefined;
      const [direct, batches] = [costOf(all, rates), all.flatMap(({ batch }) => batch ?? [])];
      if (batches.length === 0) return direct;
      const batch = costOf(batches, rates);
      const usd = direct.usd + batch.usd * batchShare(rates);
      return { usd, ...(direct.atMost || batch.atMost ? { atMost: true } : {}) };
    },
    staleSince(modelId) {
      const readOn = ratesFor(modelId)?.row.readOn;
      return readOn !== undefined && atMs - Date.parse(readOn) > STALE_MS ? readOn : undefined;
    },
  };
}

/** Returns the same for calls that are still to be asked, all of them in batches. */
export const ofBatches = (prices: Prices): Prices => ({
  ...prices,
  ofCall: (modelId, usage) => prices.ofCall(modelId, { ...usage, batch: true }),
});

/** Returns the advice for an unknown price. */
export const givePrice = (modelId: string): string =>
  `put "- { model: ${modelId}, in: X, out: Y }" (US dollars per million tokens) into a file and name it with --prices`;

interface Rates {
  readonly row: PriceRow;
  /** Of the region. */
  readonly factor: number;
}

function ratesAt(
  modelId: string,
  atMs: number,
  given: readonly PriceRow[],
  endpoints: PricedEndpoints,
): Rates | undefined {
  const own = rowFor(modelId, atMs, given) ?? rowFor(undated(modelId), atMs, given);
  if (own !== undefined) return { row: own, factor: 1 };
  const endpoint = endpointOf(endpoints, modelId);
  const [name = "", ...rest] = modelId.split("/");
  const provider = endpoint === undefined || endpoint.baseUrl !== undefined ? name : endpoint.provider;
  const { rows = [], listed } = providers.find(provider)?.prices ?? {};
  const { model, factor } = listed?.(rest.join("/")) ?? { model: rest.join("/"), factor: 1 };
  const row = rowFor(undated(`${provider}/${model}`), atMs, rows);
  return row && { row, factor };
}

/** Returns an id without the day that it is of. */
const undated = (modelId: string): string => modelId.replace(/-(\d{8}|\d{4}-\d{2}-\d{2})$/, "");

/** Returns the row that names the model and holds at the time: by its whole name before a pattern, the youngest first. */
function rowFor(modelId: string, atMs: number, rows: readonly PriceRow[]): PriceRow | undefined {
  const holding = rows.filter(
    ({ model, from, until }) =>
      sinceMs(from) <= atMs && (until === undefined || atMs < Date.parse(until) + DAY_MS) && matches(model, modelId),
  );
  const exact = holding.filter(({ model }) => model === modelId);
  const [first, second] = (exact.length > 0 ? exact : holding).sort((a, b) => sinceMs(b.from) - sinceMs(a.from));
  if (first === undefined || second === undefined || first.from !== second.from) return first;
  throw new UsageError(`prices: ${first.model} and ${second.model} are two prices for ${modelId}; keep one`);
}

const sinceMs = (from: string | undefined): number => (from === undefined ? 0 : Date.parse(from));

/** Tells whether a model id fits a pattern, in which `*` stands for any characters. */
function matches(pattern: string, modelId: string): boolean {
  return new RegExp(`^${pattern.split("*").map(escapeRegExp).join(".*")}$`).test(modelId);
}

type Tier = Pick<PriceRow, keyof TokenCounts>;

const tierOf = (row: PriceRow, promptTokens: number): Tier =>
  row.above !== undefined && promptTokens > row.above.tokens ? row.above : row;

/** Dollars. An unknown price of a cache read or write counts as the most that any provider asks. */
function usdOf(counts: TokenCounts, tier: Tier, { factor }: Rates): number {
  const { in: tokensIn, out, cacheRead = 0, cacheWrite = 0, cacheWrite1h = 0 } = counts;
  const write = tier.cacheWrite ?? tier.in;
  const { cacheRead: read = tier.in, cacheWrite1h: hour = Math.max(write, 2 * tier.in) } = tier;
  const written = (cacheWrite - cacheWrite1h) * write + cacheWrite1h * hour;
  const plain = tokensIn - cacheRead - cacheWrite;
  return ((plain * tier.in + cacheRead * read + written + out * tier.out) * factor) / 1_000_000;
}

/** Returns the cost of all calls but those in batches. */
function costOf(phases: readonly PhaseTotals[], rates: Rates): Cost {
  const { row } = rates;
  const above = row.above ?? row;
  let [low, high, billedUsd] = [NO_TOKENS, NO_TOKENS, 0];
  for (const totals of phases) {
    const { billed, batch, long = [] } = totals;
    const tokens = less(less(totals, billed ?? NO_TOKENS), batch ?? NO_TOKENS);
    const calls = totals.calls - (billed?.calls ?? 0) - (batch?.calls ?? 0);
    const single = calls === 1 ? [tokens] : long; // a lone call is not listed in `long`
    const highTier = single.filter((call) => tierOf(row, call.in) !== row).reduce<typeof NO_TOKENS>(plus, NO_TOKENS);
    low = plus(low, less(tokens, highTier));
    high = plus(high, highTier);
    billedUsd += billed?.usd ?? 0;
  }
  const usd = usdOf(low, row, rates) + usdOf(high, above, rates) + billedUsd;
  return { usd, ...(lacksCachePrice(low, row) || lacksCachePrice(high, above) ? { atMost: true } : {}) };
}

const FREE: Rates = { row: { model: "", in: 0, out: 0 }, factor: 1 };

/** Batches cost half on Anthropic and OpenAI, whatever else makes the price. */
const batchShare = ({ row }: Rates): number => row.batch ?? 0.5;

const lacksCachePrice = ({ cacheRead = 0, cacheWrite1h = 0 }: TokenCounts, tier: Tier): boolean =>
  (cacheRead > 0 && tier.cacheRead === undefined) || (cacheWrite1h > 0 && tier.cacheWrite1h === undefined);

const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, "expected a day like 2026-11-21");
const dollars = z.number().nonnegative();
const rates = {
  in: dollars,
  out: dollars,
  cacheRead: dollars.optional(),
  cacheWrite: dollars.optional(),
  cacheWrite1h: dollars.optional(),
};

/** Schema of `prices:` and of a file of prices. */
export const priceRowsSchema: z.ZodType<PriceRow[]> = z.array(
  z.strictObject({
    model: z.string().regex(/^[^/\s]+\/\S+$/, "expected provider/model-id"),
    ...rates,
    above: z
      .strictObject({
        tokens: z.int().min(LONG_PROMPT, `expected at least ${LONG_PROMPT}: shorter calls are not stored one by one`),
        ...rates,
      })
      .optional(),
    batch: z.number().min(0).max(1).optional(),
    from: day.optional(),
    until: day.optional(),
    source: z.string().optional(),
    readOn: day.optional(),
  }),
);
