import type { PairedQuestion } from "../../../src/report/paired.js";
import type { Pair, Random } from "../../../src/types/index.js";
import { beta, type Size } from "./losses.js";

/** Draws the errors of one user's ratings before and after; `share` of its mass is spoiled, by question. */
export interface RatingProcess {
  readonly name: string;
  user(questions: number, share: number, random: Random): { readonly before: number[]; readonly after: number[] };
}

/** Where errors of ratings come from: answers that become as wrong as can be. */
export const ratingProcesses: readonly RatingProcess[] = [
  {
    name: "users fail",
    user(n, share, random) {
      const before = errors(n, random);
      return { before, after: random.next() < share ? far(n) : before };
    },
  },
  {
    name: "users fail, 20 % re-rolled",
    user(n, share, random) {
      const before = errors(n, random);
      return {
        before,
        after: random.next() < share ? far(n) : before.map((one) => (random.next() < 0.2 ? error(random) : one)),
      };
    },
  },
  {
    name: "rare far answers",
    user(n, share, random) {
      const before = errors(n, random);
      return { before, after: before.map((one) => (random.next() < share ? FAR : one)) };
    },
  },
  {
    name: "far answers, heavy-tailed over users",
    user(n, share, random) {
      const before = errors(n, random);
      const own = beta(share, 0.3, random);
      return { before, after: before.map((one) => (random.next() < own ? FAR : one)) };
    },
  },
];

/** Both runs, the second worse by `loss` in the population: in units of MAE, or of RMSE at the population's own. */
export function pairedRatings(
  process: RatingProcess,
  metric: string,
  { users, questions: [low, high] }: Size,
  loss: number,
  random: Random,
): PairedQuestion[] {
  const share =
    metric === "mae" ? loss / (FAR - MEAN) : (2 * Math.sqrt(SQUARE) * loss + loss ** 2) / (FAR ** 2 - SQUARE);
  return Array.from({ length: users }, (_, u) => {
    const { before, after } = process.user(low + random.below(high - low + 1), share, random);
    return before.map((one, q) => ({
      id: `${u}/${q}`,
      user: `u${u}`,
      baseline: [rated(one)],
      candidate: [rated(after[q]!)],
    }));
  }).flat();
}

/** An answer that is so far from its gold. */
export const rated = (away: number): Pair => RATED[away]!;

/** An error of 0, 1 or 2. */
export function error(random: Random): number {
  const place = random.next();
  return place < 0.6 ? 0 : place < 0.88 ? 1 : 2;
}

const RATED: readonly Pair[] = [0, 1, 2, 3, 4].map((away) => ({ prediction: String(1 + away), gold: "1" }));

const FAR = 4;
const MEAN = 0.28 + 2 * 0.12;
const SQUARE = 0.28 + 4 * 0.12;

const errors = (count: number, random: Random): number[] => Array.from({ length: count }, () => error(random));
const far = (count: number): number[] => Array<number>(count).fill(FAR);
