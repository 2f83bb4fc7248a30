import type { PhaseTotals, TokenCounts } from "../types/index.js";

/**
 * Calls of more prompt tokens than this stand one by one in what rows hold of a phase (`PhaseTotals.long`), because prices
 * may go by the length of the single call. Every price tier that we know of begins above.
 */
export const LONG_PROMPT = 30_000;

/** Tokens of one call, or of several. */
export type Tokens = TokenCounts;

export const NO_TOKENS: Required<Tokens> = { in: 0, out: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0 };

/** Calls of one model, told apart as far as prices ask for it. */
export class CallSums {
  /** All calls without a bill of their own. */
  calls = 0;
  /** Of those with at most LONG_PROMPT tokens each. */
  short = NO_TOKENS;
  readonly long: Tokens[] = [];
  /** What the provider itself billed, US dollars; undefined where it billed no call itself. */
  billedUsd: number | undefined;
  /** Those that were asked in batches; they are in no other number. */
  batch: CallSums | undefined;

  /** The same calls, all of them asked in batches. */
  inBatches(): CallSums {
    const sums = new CallSums();
    sums.batch = this;
    return sums;
  }

  /** The calls of a phase. Long ones stand in `long`. */
  add(totals: PhaseTotals): void {
    const { billed, long, batch } = totals;
    if (billed !== undefined) this.billedUsd = (this.billedUsd ?? 0) + billed.usd;
    if (batch !== undefined) {
      this.batch ??= new CallSums();
      this.batch.add(batch);
    }
    const calls = totals.calls - (billed?.calls ?? 0) - (batch?.calls ?? 0);
    if (calls <= 0) return;
    this.calls += calls;
    const tokens = [billed, batch].reduce<Tokens>(
      (rest, part) => (part === undefined ? rest : less(rest, part)),
      totals,
    );
    if (tokens.in <= LONG_PROMPT) this.#addShort(tokens);
    else if (calls === 1) this.long.push(tokensOf(tokens));
    else if (long !== undefined) {
      this.long.push(...long);
      this.#addShort(long.reduce<Tokens>(less, tokens));
    } else this.#addShort(tokens);
  }

  #addShort(tokens: Tokens): void {
    this.short = plus(this.short, tokens);
  }
}

/** The sum of both. */
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

const less = (a: Tokens, b: Tokens): Required<Tokens> => ({
  in: a.in - b.in,
  out: a.out - b.out,
  cacheRead: (a.cacheRead ?? 0) - (b.cacheRead ?? 0),
  cacheWrite: (a.cacheWrite ?? 0) - (b.cacheWrite ?? 0),
  cacheWrite1h: (a.cacheWrite1h ?? 0) - (b.cacheWrite1h ?? 0),
});
