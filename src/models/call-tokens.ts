import type { TokenCounts } from "../types/index.js";

/**
 * Calls of more prompt tokens than this stand one by one in what rows hold of a phase (`PhaseTotals.long`), because prices
 * may go by the length of the single call. Every price tier that we know of begins above.
 */
export const LONG_PROMPT = 30_000;

export type Tokens = TokenCounts;

export const NO_TOKENS: Required<Tokens> = { in: 0, out: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0 };

export const plus = (a: Tokens, b: Tokens): Required<Tokens> => ({
  in: a.in + b.in,
  out: a.out + b.out,
  cacheRead: (a.cacheRead ?? 0) + (b.cacheRead ?? 0),
  cacheWrite: (a.cacheWrite ?? 0) + (b.cacheWrite ?? 0),
  cacheWrite1h: (a.cacheWrite1h ?? 0) + (b.cacheWrite1h ?? 0),
});

/** Without the members of a total that are no tokens, and without caches where nothing was cached. */
export const tokensOf = ({ in: tokensIn, out, cacheRead, cacheWrite, cacheWrite1h }: Tokens): Tokens => ({
  in: tokensIn,
  out,
  ...(cacheRead ? { cacheRead } : {}),
  ...(cacheWrite ? { cacheWrite } : {}),
  ...(cacheWrite1h ? { cacheWrite1h } : {}),
});

export const less = (a: Tokens, b: Tokens): Required<Tokens> => ({
  in: a.in - b.in,
  out: a.out - b.out,
  cacheRead: (a.cacheRead ?? 0) - (b.cacheRead ?? 0),
  cacheWrite: (a.cacheWrite ?? 0) - (b.cacheWrite ?? 0),
  cacheWrite1h: (a.cacheWrite1h ?? 0) - (b.cacheWrite1h ?? 0),
});
