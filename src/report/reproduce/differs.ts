import { type Interval, inferenceOf, type Theta } from "../../results/inference.js";
import { asShare } from "./implied.js";

/** A published value, as printed, and the number of questions behind it. */
interface Published {
  readonly value: number;
  readonly printed: string;
  readonly count: number;
}

/**
 * Returns ours minus a published value, give or take t se sqrt(1 + Q / N) and half a unit of the last printed digit: Q questions of
 * ours, N of the paper's, whose own error is taken to be as ours. Undefined where ours has no interval.
 */
export function differenceFrom(ours: Theta, { value, printed, count }: Published): Interval | undefined {
  const { interval } = inferenceOf(ours) ?? {};
  if (interval === undefined) return undefined;
  const own = ours.questions.reduce((sum, questions) => sum + questions, 0);
  const rounding = 0.5 * 10 ** -(asShare(printed).split(".")[1]?.length ?? 0);
  const half = (interval.high - ours.value) * Math.sqrt(1 + own / count) + rounding;
  return { low: ours.value - value - half, high: ours.value - value + half };
}
