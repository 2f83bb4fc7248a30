/**
 * Regularised incomplete beta function I_x(a, b) for a, b > 0, to about 1e-14.
 * Source: DLMF 8.17.22, its continued fraction by Lentz's method (Numerical Recipes, 3rd ed., 6.4).
 */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (!(a > 0 && b > 0)) throw new RangeError(`no beta distribution of ${a} and ${b}`);
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  return x < (a + 1) / (a + b + 2) ? (front * fraction(x, a, b)) / a : 1 - (front * fraction(1 - x, b, a)) / b;
}

const TINY = 1e-300;
const MOST_TERMS = 10_000;

/** Both terms of a step in one go: this is where intervals spend their time. */
function fraction(x: number, a: number, b: number): number {
  let c = 1;
  let d = 1 / away(1 - ((a + b) * x) / (a + 1));
  let sum = d;
  for (let m = 1; m <= MOST_TERMS; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    sum *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    sum *= d * c;
    if (Math.abs(d * c - 1) < Number.EPSILON) break;
  }
  return sum;
}

const away = (value: number): number => (Math.abs(value) < TINY ? TINY : value);

/** Source: Lanczos, SIAM J. Numer. Anal. B 1, 1964; g = 671/128 and 15 terms, as Numerical Recipes, 3rd ed., 6.1. */
function logGamma(x: number): number {
  let sum = LANCZOS_FIRST;
  for (const [i, term] of LANCZOS.entries()) sum += term / (x + i + 1);
  const base = x + 671 / 128;
  return (x + 0.5) * Math.log(base) - base + Math.log((Math.sqrt(2 * Math.PI) * sum) / x);
}

const LANCZOS_FIRST = 0.9999999999999971;
const LANCZOS: readonly number[] = [
  57.15623566586292, -59.59796035547549, 14.136097974741746, -0.4919138160976202, 3.399464998481189e-5,
  4.652362892704858e-5, -9.837447530487956e-5, 0.0001580887032249125, -0.00021026444172410488, 0.00021743961811521265,
  -0.0001643181065367639, 8.441822398385275e-5, -2.6190838401581408e-5, 3.6899182659531625e-6,
];

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
