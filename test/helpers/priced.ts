import type { SummaryPrices } from "../../src/results/spending.js";
import type { PhaseTotals } from "../../src/types/index.js";

/** Prices by a formula over the sum of all phases. */
export const priced = (usdOf: (model: string, sum: PhaseTotals) => number | undefined): SummaryPrices => ({
  of(model, phases) {
    const sum = { calls: 0, in: 0, out: 0 };
    for (const { calls, in: tokensIn, out } of phases) {
      sum.calls += calls;
      sum.in += tokensIn;
      sum.out += out;
    }
    const usd = usdOf(model, sum);
    return usd === undefined ? undefined : { usd };
  },
  staleSince: () => undefined,
});

export const noPrices: SummaryPrices = priced(() => undefined);
