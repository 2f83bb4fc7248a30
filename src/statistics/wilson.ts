import type { Interval } from "./interval.js";
import { normalQuantile } from "./normal.js";

/** Wilson's score interval of a share of independent answers. Throws RangeError without answers. Source: Wilson, JASA 22, 1927. */
export function wilson(hits: number, count: number, level = 0.95): Interval {
  if (!(count > 0 && hits >= 0 && hits <= count)) throw new RangeError(`no share: ${hits} of ${count}`);
  const z = normalQuantile((1 + level) / 2);
  const share = hits / count;
  const scale = 1 + z ** 2 / count;
  const center = (share + z ** 2 / (2 * count)) / scale;
  const half = (z / scale) * Math.sqrt((share * (1 - share)) / count + z ** 2 / (4 * count ** 2));
  return { low: Math.max(0, center - half), high: Math.min(1, center + half) };
}
