import { jackknifeVariance, studentLower } from "./loss.js";
import { logit, rootOf } from "./root.js";
import { studentUpperTail } from "./student.js";

/** A value over users, as a jackknife sees it. */
export interface OverUsers {
  readonly value: number;
  /** By how much the value changes without each user. */
  readonly changes: Float64Array;
  /** Each user's share of the questions; they add up to 1. */
  readonly shares: Float64Array;
  /** Of a mean: each user's part of it; they add up to it. Told, as one far error drowns what the others' changes say of them. */
  readonly gains?: Float64Array | undefined;
}

/** Undefined for one user. */
export const overUsersOf = (
  value: number,
  withoutOne: ArrayLike<number>,
  shares: Float64Array,
  gains?: Float64Array,
): OverUsers | undefined =>
  shares.length < 2
    ? undefined
    : { value, changes: Float64Array.from(withoutOne, (without) => without - value), shares, gains };

/** Seen from the other side: losses are gains. */
export const mirrored = ({ value, changes, shares, gains }: OverUsers): OverUsers => ({
  value: -value,
  changes: changes.map((change) => -change),
  shares,
  gains: gains?.map((gain) => -gain),
});

/**
 * One-sided p of "the true value is -loss or less": Student's on the jackknife over users, the smallest that any result has whose users
 * gain no more than these. Student's own p rises with a gain in one user, as the spread grows faster than the mean; this one never does,
 * as a better result has all those below it, too. Only gains above a cap differ from Student's; each counts as the cap.
 */
export function cappedStudentP(found: OverUsers, loss: number): number {
  const degrees = found.shares.length - 1;
  if (found.value + loss >= 0) return studentUpperTail(largestT(found, loss), degrees);
  return 1 - studentUpperTail(largestT(mirrored(found), -loss), degrees);
}

/** The value above which the true one lies at risk alpha by the same test: where its p is alpha. */
export function cappedStudentLower(found: OverUsers, alpha: number): number {
  const { value, changes, shares } = found;
  const plain = studentLower(value, jackknifeVariance(0, changes), shares.length - 1, alpha);
  if (plain >= value) return plain;
  return -rootOf((loss) => logit(cappedStudentP(found, loss)) - logit(alpha), -value, -plain);
}

const ROUNDING = 1e-12;
const HALVINGS = 48;
/** Slopes above this are of far errors. */
const FAR = 64;
const NEWTON_STEPS = 50;

/**
 * The largest t of a value above -loss whose users may lose gains. A user's part of it is `above share - change (1 - share)`; t is a ratio of a
 * line and the root of a convex square, so it has one peak, and there every part is as it was or at its cap,
 * `mean share + slope (1 - share)^2`. From slope to slope t rises to that peak and falls behind it.
 */
function largestT({ value, changes, shares, gains }: OverUsers, loss: number): number {
  const above = value + loss;
  const parts = shares.map((share, u) =>
    unrounded(gains === undefined ? above * share - changes[u]! * (1 - share) : gains[u]! + loss * share),
  );
  // What the parts do not add up to: 0 for means.
  const rest = gains === undefined ? unrounded(above - sum(parts)) : 0;
  if (rest === 0 && parts.every((part) => part > 0)) return Number.POSITIVE_INFINITY;
  let high = 0;
  for (let u = 0; u < parts.length; u++)
    high = Math.max(high, (parts[u]! - above * shares[u]!) / (1 - shares[u]!) ** 2);
  const plain = cappedAt(above, high, parts, shares);
  let [low, best] = [0, plain.t];
  const at = (slope: number) => cappedAt(cappedMean(parts, shares, rest, slope), slope, parts, shares);
  // Of one far error the first slope is so large that t is flat there to the last digit: its peak is sought from below.
  if (high > FAR) {
    let beyond = FAR;
    while (beyond < high && at(beyond).rises) beyond *= 2;
    high = beyond;
  } else if (plain.rises) return best;
  const halvings = HALVINGS + Math.max(0, Math.ceil(Math.log2(high)));
  for (let step = 0; step < halvings; step++) {
    const slope = (low + high) / 2;
    const { t, rises } = at(slope);
    best = Math.max(best, t);
    if (rises) low = slope;
    else high = slope;
  }
  return best;
}

/** Student's t of parts with these caps, 0 where nothing is above 0, and whether it still rises with the slope. */
function cappedAt(
  mean: number,
  slope: number,
  parts: Float64Array,
  shares: Float64Array,
): { readonly t: number; readonly rises: boolean } {
  let [squares, products] = [0, 0];
  for (let u = 0; u < parts.length; u++) {
    const rest = 1 - shares[u]!;
    const change = (mean * shares[u]! - Math.min(parts[u]!, mean * shares[u]! + slope * rest ** 2)) / rest;
    squares += change ** 2;
    products += (change * shares[u]!) / rest;
  }
  const variance = (squares * (parts.length - 1)) / parts.length;
  const known = variance > 0 ? mean / Math.sqrt(variance) : Number.POSITIVE_INFINITY;
  return {
    t: mean > ROUNDING || variance > 0 ? known : 0,
    rises: mean <= 0 || slope * mean < squares - mean * products,
  };
}

/** The mean that the parts have where none is above its cap, which rises with that mean: Newton's steps down to it, from above. */
function cappedMean(parts: Float64Array, shares: Float64Array, rest: number, slope: number): number {
  let mean = Number.POSITIVE_INFINITY;
  for (let step = 0; step < NEWTON_STEPS; step++) {
    let [fixed, ofMean] = [rest, 0];
    for (let u = 0; u < parts.length; u++) {
      const [part, share] = [parts[u]!, shares[u]!];
      const room = slope * (1 - share) ** 2;
      if (part <= mean * share + room) fixed += part;
      else [fixed, ofMean] = [fixed + room, ofMean + share];
    }
    const next = ofMean < 1 - ROUNDING ? fixed / (1 - ofMean) : fixed;
    if (next >= mean) break;
    mean = next;
  }
  return mean;
}

/** 0 where a value is rounding: caps may go down to any size, and must not meet it there. */
const unrounded = (value: number): number => (Math.abs(value) <= ROUNDING ? 0 : value);

const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);
