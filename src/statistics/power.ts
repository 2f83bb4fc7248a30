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

/** The difference that is found in 80 %, in units of its standard error: about the mean of the noncentral t of which so much lies above the threshold. */
export function detectableErrors(degrees: number): number {
  if (degrees > MOST_DEGREES) return normalQuantile(0.975) + normalQuantile(POWER);
  const known = errorsBy.get(degrees) ?? studentQuantile(0.975, degrees) + studentQuantile(POWER, degrees);
  errorsBy.set(degrees, known);
  return known;
}

// --- internal ---

const POWER = 0.8;
/** Of more, Student's distribution is the normal one to a thousandth. */
const MOST_DEGREES = 2_000;
const errorsBy = new Map<number, number>();
const MOST_USERS = 1_000_000;
const ROUNDING = 1e-12;

function detectableBy(users: number, { users: seen, ofUsers, ofTwo, repeats }: Scatter): number {
  const fewer = seen / users;
  const { variance, degrees } = withRepeats(ofUsers * fewer + ofTwo * fewer ** 2, users, repeats);
  return detectableErrors(degrees) * Math.sqrt(variance);
}
