import { seeded } from "../random/seeded.js";
import { type ClusterSums, valueOfWeighted } from "./cluster-sums.js";

/**
 * Values of several metrics over resamples of whole users, in order of drawing. All metrics see the same draws, and the
 * same seed and number of users give the same draws, so that metrics, arms and runs are comparable.
 * Throws RangeError where the sums are not of equally many users.
 */
export function resample(sums: readonly ClusterSums[], resamples: number, seed: string | number): Float64Array[] {
  const users = sums[0]?.counts.length ?? 0;
  if (sums.some(({ counts }) => counts.length !== users)) throw new RangeError("sums of different numbers of users");
  const random = seeded(seed);
  const weights = new Int32Array(users);
  const rooms = sums.map(({ metric }) => new Float64Array(metric.width));
  const values = sums.map(() => new Float64Array(resamples));
  for (let i = 0; i < resamples; i++) {
    weights.fill(0);
    for (let draw = 0; draw < users; draw++) weights[random.below(users)]! += 1;
    for (let s = 0; s < sums.length; s++) values[s]![i] = valueOfWeighted(sums[s]!, weights, rooms[s]!);
  }
  return values;
}
