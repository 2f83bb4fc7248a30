import { normalUpperTail } from "./normal.js";

/**
 * P(sum_i E_i z_i <= worst E_0) for independent standard exponentials E: the p of "the mean of these values is 0 or less", one
 * unseen value of -worst added. Exact by a recurrence of positive terms (two rows of exponential phases run against each
 * other), so nothing is drawn and nothing cancels; beyond EXACT_STEPS steps by the saddlepoint, to a few percent of p.
 * Where the values are independent, alike and never below -worst, P(p <= alpha) is at most alpha.
 * Source: Gaffke, Habilitation, 2005 (conjecture); Learned-Miller and Thomas, arXiv 1905.06208, 2019; proof: Vlassis and Thomas,
 * arXiv 2607.08415, 2026; saddlepoint: Lugannani and Rice, Adv. Appl. Prob. 12, 1980.
 */
export function race(values: Iterable<number>, worst: number): number {
  const gains: number[] = [];
  const losses: number[] = [];
  for (const value of values)
    if (value > ROUNDING) gains.push(value);
    else if (value < -ROUNDING) losses.push(-value);
  if (worst > ROUNDING) losses.push(worst);
  if (gains.length === 0) return 1;
  if (losses.length === 0) return 0;
  return gains.length * losses.length <= EXACT_STEPS ? exactRace(gains, losses) : saddlepoint(gains, losses);
}

/** P(sum gains_i E_i <= sum losses_j E_j), all positive, by Lugannani and Rice's formula. */
export function saddlepoint(gains: readonly number[], losses: readonly number[]): number {
  const at = root(gains, losses);
  let [log, square, cube] = [0, 0, 0];
  for (const gain of gains) {
    const term = gain / (1 - at * gain);
    log -= Math.log1p(-at * gain);
    square += term ** 2;
    cube += 2 * term ** 3;
  }
  for (const loss of losses) {
    const term = loss / (1 + at * loss);
    log -= Math.log1p(at * loss);
    square += term ** 2;
    cube -= 2 * term ** 3;
  }
  const far = Math.sign(at) * Math.sqrt(Math.max(0, -2 * log));
  const slope = at * Math.sqrt(square);
  if (Math.abs(slope) < NEAR) return 0.5 + cube / (6 * Math.sqrt(2 * Math.PI) * square ** 1.5);
  const density = Math.exp((-far * far) / 2) / Math.sqrt(2 * Math.PI);
  return Math.min(1, Math.max(0, normalUpperTail(-far) + density * (1 / far - 1 / slope)));
}

/** Values this near 0 are rounding. */
const ROUNDING = 1e-12;
/** About 10 ms. */
const EXACT_STEPS = 4e6;
/** Nearer to the mean the saddlepoint formula is a difference of two large numbers. */
const NEAR = 1e-4;
const BISECTIONS = 80;

/**
 * f(i, j): chance that the gains end first when i of them and j of the losses are over. One row of it at a time. Gains are taken in
 * order, so that equal ones share their chances of the next phase, and two rows of equal gains are filled side by side.
 */
function exactRace(gains: readonly number[], losses: readonly number[]): number {
  const sorted = Float64Array.from(gains).sort();
  const count = losses.length;
  const row = new Float64Array(count + 1).fill(1);
  row[count] = 0;
  const lost = new Float64Array(count);
  const gained = new Float64Array(count);
  for (let i = 0; i < sorted.length; i++) {
    const gain = sorted[i]!;
    if (i === 0 || gain !== sorted[i - 1])
      for (let j = 0; j < count; j++) {
        lost[j] = losses[j]! / (gain + losses[j]!);
        gained[j] = gain / (gain + losses[j]!);
      }
    if (sorted[i + 1] === gain) {
      twoRows(row, lost, gained);
      i += 1;
    } else oneRow(row, lost, gained);
  }
  return row[0]!;
}

function oneRow(row: Float64Array, lost: Float64Array, gained: Float64Array): void {
  let next = 0;
  for (let j = lost.length - 1; j >= 0; j--) {
    next = lost[j]! * row[j]! + gained[j]! * next;
    row[j] = next;
  }
}

function twoRows(row: Float64Array, lost: Float64Array, gained: Float64Array): void {
  let [first, second] = [0, 0];
  for (let j = lost.length - 1; j >= 0; j--) {
    const [loss, gain] = [lost[j]!, gained[j]!];
    first = loss * row[j]! + gain * first;
    second = loss * first + gain * second;
    row[j] = second;
  }
}

/** Where the derivative of the cumulant generating function is 0: between -1 / the largest loss and 1 / the largest gain. */
function root(gains: readonly number[], losses: readonly number[]): number {
  let low = -1 / losses.reduce((most, loss) => Math.max(most, loss), 0);
  let high = 1 / gains.reduce((most, gain) => Math.max(most, gain), 0);
  for (let step = 0; step < BISECTIONS; step++) {
    const middle = (low + high) / 2;
    let slope = 0;
    for (const gain of gains) slope += gain / (1 - middle * gain);
    for (const loss of losses) slope -= loss / (1 + middle * loss);
    if (slope < 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
