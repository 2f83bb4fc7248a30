import { incompleteBeta } from "./beta.js";
import { normalQuantile } from "./normal.js";

/**
 * P(T > t) of Student's t, to about 1e-15 absolute for whole degrees of freedom (Abramowitz and Stegun 26.7.3, 26.7.4), 1e-14 for
 * others (26.7.1, by the incomplete beta function).
 */
export function studentUpperTail(t: number, degrees: number): number {
  if (!(degrees > 0 && degrees < Number.POSITIVE_INFINITY))
    throw new RangeError(`no t distribution of ${degrees} degrees`);
  if (t < 0) return 1 - studentUpperTail(-t, degrees);
  if (!Number.isInteger(degrees)) return incompleteBeta(degrees / (degrees + t ** 2), degrees / 2, 0.5) / 2;
  const angle = Math.atan2(t, Math.sqrt(degrees));
  return (1 - (degrees % 2 === 0 ? insideEven(angle, degrees) : insideOdd(angle, degrees))) / 2;
}

/** The t with P(T <= t) = share. Throws RangeError outside (0, 1). */
export function studentQuantile(share: number, degrees: number): number {
  if (share < 0.5) return -studentQuantile(1 - share, degrees);
  const tail = 1 - share;
  let low = 0;
  let high = Math.max(1, normalQuantile(share));
  while (studentUpperTail(high, degrees) > tail) high *= 2;
  for (let step = 0; step < BISECTIONS && low < high; step++) {
    const middle = (low + high) / 2;
    if (studentUpperTail(middle, degrees) > tail) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

const BISECTIONS = 60;

/** P(|T| < t) for even degrees of freedom. */
function insideEven(angle: number, degrees: number): number {
  const square = Math.cos(angle) ** 2;
  let term = 1;
  let sum = 1;
  for (let k = 2; k < degrees && term > sum * Number.EPSILON; k += 2) {
    term *= (square * (k - 1)) / k;
    sum += term;
  }
  return Math.sin(angle) * sum;
}

/** P(|T| < t) for odd degrees of freedom. */
function insideOdd(angle: number, degrees: number): number {
  if (degrees === 1) return (2 * angle) / Math.PI;
  const cosine = Math.cos(angle);
  let term = cosine;
  let sum = cosine;
  for (let k = 3; k < degrees && term > sum * Number.EPSILON; k += 2) {
    term *= (cosine ** 2 * (k - 1)) / k;
    sum += term;
  }
  return (2 * (angle + Math.sin(angle) * sum)) / Math.PI;
}
