import type { Usage } from "../types.js";

/** US dollars per million tokens. */
export interface PriceRow {
  /** Matches the model id behind the provider, region prefixes included. */
  readonly pattern: RegExp;
  readonly providers: readonly string[];
  /** First day of the price, UTC. Absent: the first price known for the model. */
  readonly effectiveFrom?: `${number}-${number}-${number}`;
  readonly in: number;
  readonly out: number;
  readonly cacheRead: number;
  /** Five-minute cache write. */
  readonly cacheWrite: number;
  /** Prompts above so many tokens cost `above`. */
  readonly above?: { readonly tokens: number; readonly in: number; readonly out: number };
  readonly source: string;
}

/** The row for `provider/model-id` at a time, milliseconds since the epoch; undefined where no price is known. */
function priceRow(modelId: string, atMs: number): PriceRow | undefined {
  const slash = modelId.indexOf("/");
  const provider = modelId.slice(0, slash);
  const name = modelId.slice(slash + 1);
  const since = (row: PriceRow): number => (row.effectiveFrom === undefined ? 0 : Date.parse(row.effectiveFrom));
  return PRICES.filter((row) => row.providers.includes(provider) && row.pattern.test(name) && since(row) <= atMs).sort(
    (a, b) => since(b) - since(a),
  )[0];
}

/**
 * US dollars of one call's usage. Undefined, never 0, where the price is unknown: models of compatible servers,
 * offline models, ids of other makers.
 */
export function priceOf(modelId: string, usage: Usage, atMs: number): number | undefined {
  const row = priceRow(modelId, atMs);
  if (row === undefined) return undefined;
  const high = row.above !== undefined && usage.in > row.above.tokens ? row.above : row;
  const factor = high.in / row.in;
  const cacheRead = usage.cacheRead ?? 0;
  const cacheWrite = usage.cacheWrite ?? 0;
  const plain = usage.in - cacheRead - cacheWrite;
  const prompt = plain * high.in + cacheRead * row.cacheRead * factor + cacheWrite * row.cacheWrite * factor;
  return (prompt + usage.out * high.out) / 1_000_000;
}

// --- internal ---

const LIST = "Anthropic price list, read November 2026";
const CLAUDE = { providers: ["anthropic", "bedrock"], source: LIST };

/** Five-minute writes cost 1.25 times the input; cache reads a tenth of it where the list names no price. */
const PRICES: readonly PriceRow[] = [
  {
    ...CLAUDE,
    pattern: /claude-haiku-5-5/,
    in: 0.1,
    out: 0.5,
    cacheRead: 0.01,
    cacheWrite: 0.125,
    above: { tokens: 100_000, in: 0.5, out: 2.5 },
  },
  {
    ...CLAUDE,
    pattern: /claude-sonnet-5-5/,
    in: 2,
    out: 10,
    cacheRead: 0.2,
    cacheWrite: 2.5,
  },
  {
    ...CLAUDE,
    pattern: /claude-sonnet-5-5/,
    effectiveFrom: "2026-10-07",
    in: 2,
    out: 10,
    cacheRead: 0.1,
    cacheWrite: 2.5,
  },
  {
    ...CLAUDE,
    pattern: /claude-opus-5-5/,
    in: 4,
    out: 20,
    cacheRead: 0.2,
    cacheWrite: 5,
  },
  {
    ...CLAUDE,
    pattern: /claude-fable-5-1/,
    in: 10,
    out: 50,
    cacheRead: 1,
    cacheWrite: 12.5,
  },
  {
    ...CLAUDE,
    pattern: /claude-haiku-4-5/,
    in: 1,
    out: 5,
    cacheRead: 0.1,
    cacheWrite: 1.25,
  },
];
