import type { Usage } from "../../types.js";

/**
 * The most that a call may cost at a server whose prices nobody knows but that tells what it bills: no token can be dearer than
 * the cheapest call says, had it been billed for its prompt alone, or its reply alone. Holds while the prices stay as they are.
 */
export class BilledBound {
  #in = Number.POSITIVE_INFINITY;
  #out = Number.POSITIVE_INFINITY;

  hear({ in: prompt, out, billedUsd }: Usage): void {
    if (billedUsd === undefined) return;
    if (prompt > 0) this.#in = Math.min(this.#in, billedUsd / prompt);
    if (out > 0) this.#out = Math.min(this.#out, billedUsd / out);
  }

  /** US dollars; undefined before the first bill. */
  most(promptTokens: number, outTokens: number): number | undefined {
    const usd = promptTokens * this.#in + outTokens * this.#out;
    return Number.isFinite(usd) ? usd : undefined;
  }
}
