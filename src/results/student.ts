import { incompleteBeta } from "./beta.js";

/** Returns P(T > t) of Student's t for any positive degrees of freedom. Source: Abramowitz and Stegun 26.5.27, 26.7.1. */
export function studentUpperTail(t: number, degrees: number): number {
  if (!(degrees > 0 && degrees < Number.POSITIVE_INFINITY))
    throw new RangeError(`no t distribution of ${degrees} degrees`);
  if (t < 0) return 1 - studentUpperTail(-t, degrees);
  return incompleteBeta(degrees / (degrees + t ** 2), degrees / 2, 0.5) / 2;
}

/** Returns the t with P(T <= t) = share. */
export function studentQuantile(share: number, degrees: number): number {
  if (share < 0.5) return -studentQuantile(1 - share, degrees);
  const key = `${share} ${degrees}`;
  let t = known.get(key);
  if (t === undefined) {
    t = bisected(1 - share, degrees);
    known.set(key, t);
  }
  return t;
}

/** Tables ask for the same quantile on every line. */
const known = new Map<string, number>();

function bisected(tail: number, degrees: number): number {
  let [low, high] = [0, 1];
  while (studentUpperTail(high, degrees) > tail) high *= 2;
  for (let step = 0; step < BISECTIONS; step++) {
    const middle = (low + high) / 2;
    if (studentUpperTail(middle, degrees) > tail) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

const BISECTIONS = 60;
