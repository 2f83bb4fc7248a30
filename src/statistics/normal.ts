/** P(Z > z) of the standard normal, to about 1e-15. */
export function normalUpperTail(z: number): number {
  if (z < 0) return 1 - normalUpperTail(-z);
  return z < SERIES_LIMIT ? 0.5 - density(z) * series(z) : density(z) * fraction(z);
}

/** The z with P(Z <= z) = share. Throws RangeError outside (0, 1). */
export function normalQuantile(share: number): number {
  if (!(share > 0 && share < 1)) throw new RangeError(`no normal quantile at ${share}`);
  if (share > 0.5) return -normalQuantile(1 - share);
  if (share === 0.5) return 0;
  let z = firstGuess(share);
  for (let step = 0; step < NEWTON_STEPS; step++) z -= (normalUpperTail(-z) - share) / density(z);
  return z;
}

const SERIES_LIMIT = 3;
const NEWTON_STEPS = 4;
const FRACTION_DEPTH = 120;

const density = (z: number): number => Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);

/** z + z^3/3 + z^5/(3 5) + ... Source: Abramowitz and Stegun 26.2.11. */
function series(z: number): number {
  let term = z;
  let sum = z;
  for (let odd = 3; term > sum * Number.EPSILON; odd += 2) {
    term *= (z * z) / odd;
    sum += term;
  }
  return sum;
}

/** 1/(z + 1/(z + 2/(z + 3/(z + ...)))). Source: Abramowitz and Stegun 26.2.14. */
function fraction(z: number): number {
  let tail = z;
  for (let depth = FRACTION_DEPTH; depth >= 1; depth--) tail = z + depth / tail;
  return 1 / tail;
}

/** Lower tail, within 4.5e-4. Source: Abramowitz and Stegun 26.2.23. */
function firstGuess(share: number): number {
  const t = Math.sqrt(-2 * Math.log(share));
  return -t + (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}
