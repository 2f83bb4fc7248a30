import { type Interval, jackknife, MIN_USERS, type Theta } from "../../results/inference.js";
import { studentQuantile } from "../../results/student.js";
import { asShare } from "./implied.js";

/** A published value, as printed, and the number of questions behind it. */
interface Published {
  readonly value: number;
  readonly printed: string;
  readonly count: number;
}

/**
 * Returns ours minus a published value, give or take t se sqrt(1 + Q / N) and half a unit of the last printed digit: Q questions of
 * ours, N of the paper's, whose own error is taken to be as ours. Undefined below MIN_USERS users.
 */
export function differenceFrom(ours: Theta, { value, printed, count }: Published): Interval | undefined {
  if (ours.without.length < MIN_USERS) return undefined;
  const { se, effective } = jackknife(ours);
  const own = ours.questions.reduce((sum, questions) => sum + questions, 0);
  const rounding = 0.5 * 10 ** -(asShare(printed).split(".")[1]?.length ?? 0);
  const half = studentQuantile(0.975, effective - 1) * se * Math.sqrt(1 + own / count) + rounding;
  return { low: ours.value - value - half, high: ours.value - value + half };
}
