import { accuracy } from "../../../src/metrics/index.js";
import { seeded } from "../../../src/random/seeded.js";
import type { PairedCluster } from "../../../src/statistics/paired-bootstrap.js";
import type { Pair } from "../../../src/types.js";

const labels = ["yes", "no"];
export const rightOrWrong = accuracy(labels);
export const answer = (right: boolean): Pair => ({ prediction: right ? "yes" : "no", gold: "yes" });

/**
 * Users with moods: all answers of a user share a chance drawn around 1/2, and arm B is right more often by `gain`.
 * The true difference of the population is `gain`.
 */
export function moodyUsers(seed: string, users: number, gain: number): PairedCluster[] {
  const random = seeded(seed);
  return Array.from({ length: users }, () => {
    const chance = 0.2 + 0.4 * random.next();
    const own = gain + 0.3 * (random.next() - 0.5); // the gain differs between users, too
    const size = 1 + random.below(8);
    const draw = (share: number) => Array.from({ length: size }, () => answer(random.next() < share));
    return { a: draw(chance), b: draw(chance + own) };
  });
}
