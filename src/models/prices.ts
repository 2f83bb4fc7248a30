import type { PhaseTotals, Usage } from "../types/index.js";
import { less, NO_TOKENS, plus, type Tokens } from "./call-tokens.js";
import { endpointOf } from "./endpoints.js";
import { type PriceRow, priceList } from "./price-list.js";

/** What calls cost, US dollars. */
interface Cost {
  readonly usd: number;
  /** True where it cost this or less: a price is not known. */
  readonly atMost?: true;
}

export interface Prices {
  /**
   * US dollars of one call's usage: what the provider billed, where it says so. Undefined, never 0, where the price is
   * unknown: models of compatible servers, offline models, ids that no row names.
   */
  ofCall(modelId: string, usage: Usage): number | undefined;
  /** The same of the phases of records, each call at the price of its own length. */
  ofPhases(modelId: string, phases: Iterable<PhaseTotals>): Cost | undefined;
  /** The day on which the price of the model was read, where that is more than 60 days back. */
  staleSince(modelId: string): string | undefined;
}

/** Of endpoints by name: those without an address are their provider's own, at its prices. */
type PricedEndpoints = Readonly<Record<string, { readonly provider: string; readonly baseUrl?: unknown }>>;

/** Prices at a time, milliseconds since the epoch; rows of one's own come before those of the list. */
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
      const share = usage.batch === true ? batchShare(rates) : 1;
      return (usdOf(usage, tierOf(rates.row, usage.in)) * rates.factor * share) / MILLION;
    },
    ofPhases(modelId, phases) {
      const all = [...phases];
      const isBilled = ({ calls, billed }: PhaseTotals): boolean => calls === billed?.calls;
      if (all.length > 0 && all.every(isBilled)) return costOf(all, FREE);
      const rates = ratesFor(modelId);
      if (rates === undefined) return undefined;
      const batches = all.flatMap(({ batch }) => batch ?? []);
      const direct = costOf(all, rates);
      return batches.length === 0 ? direct : sumOf(direct, costOf(batches, rates), batchShare(rates));
    },
    staleSince(modelId) {
      const readOn = ratesFor(modelId)?.row.readOn;
      return readOn !== undefined && atMs - Date.parse(readOn) > STALE_MS ? readOn : undefined;
    },
  };
}

/** The same for calls that are still to be asked, all of them in batches. */
export const ofBatches = (prices: Prices): Prices => ({
  ...prices,
  ofCall: (modelId, usage) => prices.ofCall(modelId, { ...usage, batch: true }),
});

const MILLION = 1_000_000;
const STALE_MS = 60 * 24 * 3_600_000;

type Tier = Pick<PriceRow, keyof Tokens>;

interface Rates {
  readonly row: PriceRow;
  /** Of the region. */
  readonly factor: number;
}

/** Where model ids name a region, or none, the model is served there at 1.1 times the price of `global.`. */
const REGIONAL = 1.1;

function ratesAt(
  modelId: string,
  atMs: number,
  given: readonly PriceRow[],
  endpoints: PricedEndpoints,
): Rates | undefined {
  const exact = rowFor(modelId, atMs, given);
  if (exact !== undefined) return { row: exact, factor: 1 };
  const slash = modelId.indexOf("/");
  const endpoint = endpointOf(endpoints, modelId);
  const listed =
    endpoint === undefined || endpoint.baseUrl !== undefined ? modelId : `${endpoint.provider}${modelId.slice(slash)}`;
  const row = rowFor(plainId(modelId), atMs, given) ?? rowFor(plainId(listed), atMs, priceList);
  return row === undefined ? undefined : { row, factor: factorOf(listed) };
}

/** The youngest row that names the model and holds at the time. */
function rowFor(modelId: string, atMs: number, rows: readonly PriceRow[]): PriceRow | undefined {
  let found: PriceRow | undefined;
  for (const row of rows) {
    const holds = since(row) <= atMs && (row.until === undefined || atMs < Date.parse(row.until) + DAY_MS);
    if (holds && names(row.model, modelId) && (found === undefined || since(row) > since(found))) found = row;
  }
  return found;
}

const DAY_MS = 24 * 3_600_000;

const since = ({ from }: PriceRow): number => (from === undefined ? 0 : Date.parse(from));

function names(pattern: string, modelId: string): boolean {
  if (!pattern.includes("*")) return pattern === modelId;
  const parts = pattern.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(modelId);
}

const BEDROCK = /^bedrock\/(?:(global|us|eu|jp|au|apac|us-gov)\.)?anthropic\./;

/** The id without what says where it is served and of which day it is: `bedrock/us.anthropic.claude-x-20251001-v1:0`. */
const plainId = (modelId: string): string =>
  modelId
    .replace(BEDROCK, "bedrock/")
    .replace(/^(bedrock\/.*)-v\d+(:\d+)?$/, "$1")
    .replace(/-(\d{8}|\d{4}-\d{2}-\d{2})$/, "");

function factorOf(modelId: string): number {
  const region = BEDROCK.exec(modelId);
  return region === null || region[1] === "global" ? 1 : REGIONAL;
}

const tierOf = (row: PriceRow, promptTokens: number): Tier =>
  row.above !== undefined && promptTokens > row.above.tokens ? row.above : row;

/** Dollars times a million. */
function usdOf({ in: tokensIn, out, cacheRead = 0, cacheWrite = 0, cacheWrite1h = 0 }: Tokens, tier: Tier): number {
  const plain = tokensIn - cacheRead - cacheWrite;
  const write = tier.cacheWrite ?? tier.in;
  const written =
    (cacheWrite - cacheWrite1h) * write + cacheWrite1h * (tier.cacheWrite1h ?? Math.max(write, 2 * tier.in));
  return plain * tier.in + cacheRead * (tier.cacheRead ?? tier.in) + written + out * tier.out;
}

const FREE: Rates = { row: { model: "", in: 0, out: 0 }, factor: 1 };

/** Of all calls but those in batches. */
function costOf(phases: readonly PhaseTotals[], { row, factor }: Rates): Cost {
  const above = row.above ?? row;
  let [low, high, billedUsd] = [NO_TOKENS, NO_TOKENS, 0];
  for (const totals of phases) {
    const { billed, batch, long = [] } = totals;
    const tokens = less(less(totals, billed ?? NO_TOKENS), batch ?? NO_TOKENS);
    const calls = totals.calls - (billed?.calls ?? 0) - (batch?.calls ?? 0);
    const single = calls === 1 ? [tokens] : long;
    const dear = single.filter((call) => tierOf(row, call.in) !== row).reduce<Required<Tokens>>(plus, NO_TOKENS);
    low = plus(low, less(tokens, dear));
    high = plus(high, dear);
    billedUsd += billed?.usd ?? 0;
  }
  const usd = (usdOf(low, row) * factor) / MILLION + (usdOf(high, above) * factor) / MILLION;
  const isBound = lacksCachePrice(low, row) || lacksCachePrice(high, above);
  return { usd: usd + billedUsd, ...(isBound ? { atMost: true } : {}) };
}

/** Batches cost half on Anthropic and OpenAI, whatever else makes the price. */
const batchShare = ({ row }: Rates): number => row.batch ?? 0.5;

const sumOf = (direct: Cost, batch: Cost, share: number): Cost => ({
  usd: direct.usd + batch.usd * share,
  ...(direct.atMost || batch.atMost ? { atMost: true } : {}),
});

/** Reads then count as plain tokens, which they cost at most, and writes for an hour twice the input, which is the most that any provider asks. */
const lacksCachePrice = ({ cacheRead = 0, cacheWrite1h = 0 }: Tokens, tier: Tier): boolean =>
  (cacheRead > 0 && tier.cacheRead === undefined) || (cacheWrite1h > 0 && tier.cacheWrite1h === undefined);
