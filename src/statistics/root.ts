/**
 * Where a falling function crosses 0, to 1e-13 of the distance of the ends, or of the crossing where they are far from it; an end
 * where it does not. Inverse quadratic interpolation where that is safe, else halving. Source: Chandrupatla, Advances in
 * Engineering Software 28(3), 1997.
 */
export function rootOf(f: (x: number) => number, from: number, to: number): number {
  let [a, b] = [from, to];
  let [atA, atB] = [f(a), f(b)];
  if (atA <= 0) return a;
  if (atB >= 0) return b;
  const closeTo = (one: number, other: number) =>
    CLOSE * Math.min(to - from, Math.max(FAR, Math.abs(one), Math.abs(other)));
  let share = 0.5;
  for (let step = 0, close = closeTo(a, b); step < STEPS && Math.abs(b - a) > close; step++) {
    const x = a + share * (b - a);
    const atX = f(x);
    if (atX === 0) return x;
    // a is the newest point, b on the other side of the crossing, c the one before.
    let [c, atC] = [b, atB];
    if (atX > 0 === atA > 0) [c, atC] = [a, atA];
    else [b, atB] = [a, atA];
    [a, atA] = [x, atX];
    close = closeTo(a, b);
    const least = close / (2 * Math.abs(b - a));
    share = Math.min(1 - least, Math.max(least, interpolated([a, b, c], [atA, atB, atC])));
  }
  return Math.abs(atA) < Math.abs(atB) ? a : b;
}

/** The log of the odds: a p that falls by powers of ten becomes nearly a line, on which a crossing is found in few steps. */
export const logit = (p: number): number => Math.log(Math.max(TINY, p)) - Math.log(Math.max(TINY, 1 - p));

const CLOSE = 1e-13;
/** Ends nearer than this are those of a metric's scale. */
const FAR = 64;
const STEPS = 200;
const TINY = 1e-300;

type Three = readonly [number, number, number];

/** How far from a to b the parabola through the three points crosses 0; a half where it is not to be trusted. */
function interpolated([a, b, c]: Three, [atA, atB, atC]: Three): number {
  const place = (a - b) / (c - b);
  const height = (atA - atB) / (atC - atB);
  if (!(height ** 2 < place && (1 - height) ** 2 < 1 - place)) return 0.5;
  return (atA / (atB - atA)) * (atC / (atB - atC)) + ((c - a) / (b - a)) * (atA / (atC - atA)) * (atB / (atC - atB));
}
