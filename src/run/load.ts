/** Calls with their tokens and US dollars. */
export interface Load {
  readonly calls: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** Undefined where no price is known. */
  readonly usd: number | undefined;
}

export const NOTHING: Load = { calls: 0, tokensIn: 0, tokensOut: 0, usd: 0 };

/** The dollars of a sum with a part of unknown price are unknown. */
export const addLoads = (a: Load, b: Load): Load => ({
  calls: a.calls + b.calls,
  tokensIn: a.tokensIn + b.tokensIn,
  tokensOut: a.tokensOut + b.tokensOut,
  usd: a.usd === undefined || b.usd === undefined ? undefined : a.usd + b.usd,
});

export const timesLoad = ({ calls, tokensIn, tokensOut, usd }: Load, factor: number): Load => ({
  calls: calls * factor,
  tokensIn: tokensIn * factor,
  tokensOut: tokensOut * factor,
  usd: usd === undefined ? undefined : usd * factor,
});
