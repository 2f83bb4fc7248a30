/**
 * Holm's step-down correction: the p of each hypothesis after paying for the whole family, in the given order.
 * Controls the chance of any false alarm, whatever the dependence. Source: Holm, Scand. J. Statistics 6(2), 1979.
 */
export function holm(ps: readonly number[]): number[] {
  const order = ps.map((_, i) => i).sort((a, b) => ps[a]! - ps[b]!);
  const corrected = ps.slice();
  let floor = 0;
  for (const [step, i] of order.entries()) {
    floor = Math.max(floor, Math.min(1, ps[i]! * (ps.length - step)));
    corrected[i] = floor;
  }
  return corrected;
}

/** Level of every test that is marked as significant. */
const ALPHA = 0.05;

/** Whether a p, corrected where there are several, is small enough to be marked. No p is none. */
export const isSignificant = (p: number | undefined): boolean => (p ?? 1) <= ALPHA;
