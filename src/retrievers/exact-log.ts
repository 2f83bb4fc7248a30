/**
 * The natural logarithm, correctly rounded: the double nearest to ln(x) for x > 0, finite and normal.
 * V8's Math.log is off by one unit in the last place on some 3 % of arguments, glibc's (under Python) is not, and
 * BM25 must match bit for bit.
 */
export function exactLog(x: number): number {
  const exponent = Math.round(Math.log2(x));
  // x = mantissa * 2^exponent with the mantissa in about [0.7, 1.42], here as a whole number of 2^-53.
  const mantissa = BigInt((x / 2 ** exponent) * 2 ** 53);
  const ratio = ((mantissa - ONE_53) << BITS) / (mantissa + ONE_53);
  return Number(2n * atanh(ratio) + BigInt(exponent) * LN_2) / 2 ** Number(BITS);
}

/** Fractional bits of the fixed-point numbers below. */
const BITS = 160n;
const ONE_53 = 2n ** 53n;
/** ln 2 = 2 atanh(1/3). */
const LN_2 = 2n * atanh((1n << BITS) / 3n);

/** atanh(s) = s + s^3/3 + s^5/5 + ..., in fixed point. */
function atanh(s: bigint): bigint {
  const square = (s * s) >> BITS;
  let sum = 0n;
  let power = s;
  for (let n = 1n; power !== 0n && power !== -1n; n += 2n) {
    sum += power / n;
    power = (power * square) >> BITS;
  }
  return sum;
}
