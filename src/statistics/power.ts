import { MIN_USERS, type Repeats, withRepeats } from "./interval.js";
import { normalQuantile } from "./normal.js";
import { studentQuantile } from "./student.js";

/** How far a difference of two arms scatters, as so many users show it. */
export interface Scatter {
  readonly users: number;
  /** Variance of the difference over these users. */
  readonly ofUsers: number;
  /** Variance of the two questions added to it, which falls with the square of the users. */
  readonly ofTwo: number;
  /** Of each arm: noise that its whole runs share, which no number of users takes away. */
  readonly repeats: readonly Repeats[];
}

/** What users like these find in 80 of 100 cases, two-sided at .05, by Student's test. */
export interface Power {
  /** Users needed, were the difference seen the true one. Undefined for no difference, and above MOST_USERS. */
  readonly needed: number | undefined;
  /** The smallest difference that as many users find. */
  readonly detectable: number;
}

export function powerOf(difference: number, scatter: Scatter): Power {
  const detectable = detectableBy(scatter.users, scatter);
  const isFound = (users: number): boolean => detectableBy(users, scatter) <= Math.abs(difference) + ROUNDING;
  if (difference === 0 || !isFound(MOST_USERS)) return { needed: undefined, detectable };
  let [low, high] = [MIN_USERS - 1, MOST_USERS];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isFound(middle)) high = middle;
    else low = middle;
  }
  return { needed: high, detectable };
}

/** In standard errors: what a difference must exceed, and by how much its mean lies above that where it does in 80 %. */
interface Found {
  readonly threshold: number;
  readonly reach: number;
}

export function foundAt(degrees: number): Found {
  if (degrees > MOST_DEGREES) return { threshold: normalQuantile(0.975), reach: normalQuantile(POWER) };
  const known = foundBy.get(degrees) ?? {
    threshold: studentQuantile(0.975, degrees),
    reach: studentQuantile(POWER, degrees),
  };
  foundBy.set(degrees, known);
  return known;
}

const POWER = 0.8;
/** Of more, Student's distribution is the normal one to a thousandth. */
const MOST_DEGREES = 2_000;
const foundBy = new Map<number, Found>();
const MOST_USERS = 1_000_000;
const ROUNDING = 1e-12;

function detectableBy(users: number, { users: seen, ofUsers, ofTwo, repeats }: Scatter): number {
  const fewer = seen / users;
  const { variance, degrees } = withRepeats(ofUsers * fewer + ofTwo * fewer ** 2, users, repeats);
  const { threshold, reach } = foundAt(degrees);
  return (threshold + reach) * Math.sqrt(variance);
}
