/** Limits of an account, each a minute. Absent: not known. */
export interface RateLimits {
  readonly requests?: number | undefined;
  readonly tokensIn?: number | undefined;
  readonly tokensOut?: number | undefined;
}

export interface Load {
  readonly calls: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
}

export interface Pace {
  readonly limits: RateLimits;
  /** Most calls in flight. */
  readonly inFlight: number;
  /** Of one call, without what its answer takes to write. */
  readonly secondsPerCall: number;
}

/** Seconds of a call before its answer begins, and tokens that are written a second, where nothing was measured. */
export const ASSUMED_SECONDS = 1.5;
const TOKENS_PER_SECOND = 60;

/** Minutes that calls take at least: as the tightest of the limits, or the calls in flight, let them through. */
export function minutesOf({ calls, tokensIn, tokensOut }: Load, { limits, inFlight, secondsPerCall }: Pace): number {
  const busy = (calls * secondsPerCall + tokensOut / TOKENS_PER_SECOND) / inFlight / 60;
  const bounds = [
    calls / (limits.requests ?? Number.POSITIVE_INFINITY),
    tokensIn / (limits.tokensIn ?? Number.POSITIVE_INFINITY),
    tokensOut / (limits.tokensOut ?? Number.POSITIVE_INFINITY),
    busy,
  ];
  return Math.max(...bounds);
}
