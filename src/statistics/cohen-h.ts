/** Cohen's h of two shares, positive when `b` is larger: .2 is small, .5 medium, .8 large. Source: Cohen, Statistical Power Analysis, 1988, ch. 6. */
export function cohenH(a: number, b: number): number {
  return 2 * Math.asin(Math.sqrt(b)) - 2 * Math.asin(Math.sqrt(a));
}
