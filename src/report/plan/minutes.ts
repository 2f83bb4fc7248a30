/** Limits of an account, each a minute. Absent: not known. */
export interface RateLimits {
  readonly requests?: number | undefined;
  readonly tokensIn?: number | undefined;
  readonly tokensOut?: number | undefined;
  /** Of prompts and replies together. */
  readonly tokens?: number | undefined;
}

interface Load {
  readonly calls: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
}

export interface Pace {
  readonly limits: RateLimits;
  readonly inFlight: number;
  /** Of one call, without what its answer takes to write. */
  readonly secondsPerCall: number;
}

/** Seconds of a call before its answer begins, and tokens that are written a second, where nothing was measured. */
export const ASSUMED_SECONDS = 1.5;
const TOKENS_PER_SECOND = 60;

/** Minutes that calls take at limits alone, with any number in flight: the largest of need by limit. */
export function minutesAtLimits({ calls, tokensIn, tokensOut }: Load, limits: RateLimits): number {
  const { requests, tokensIn: most, tokensOut: written, tokens } = limits;
  const bounds = [
    [calls, requests],
    [tokensIn, most],
    [tokensOut, written],
    [tokensIn + tokensOut, tokens],
  ] as const;
  return Math.max(...bounds.map(([need, limit]) => need / (limit ?? Number.POSITIVE_INFINITY)));
}

/** Minutes that calls take at least: as the tightest of the limits, or the calls in flight, let them through. */
export function minutesOf(load: Load, { limits, inFlight, secondsPerCall }: Pace): number {
  const busy = (load.calls * secondsPerCall + load.tokensOut / TOKENS_PER_SECOND) / inFlight / 60;
  return Math.max(minutesAtLimits(load, limits), busy);
}
