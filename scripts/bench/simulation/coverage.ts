import { accuracy, macroF1, mae, rmse } from "../../../src/metrics/index.js";
import { seeded } from "../../../src/random/seeded.js";
import { intervalsOfSums } from "../../../src/statistics/bootstrap.js";
import { clusterSums, valueOfAll } from "../../../src/statistics/cluster-sums.js";
import type { Metric, Pair, Random } from "../../../src/types.js";
import { type Population, type SimulatedUser, simulateUsers } from "./clustered-users.js";

export interface Coverage {
  readonly metric: string;
  /** The population's own value: exact for the means, of a very large sample for the others. */
  readonly truth: number;
  /** Share of samples whose 95 % interval holds the truth. */
  readonly covered: number;
  /** Share of samples whose interval lies above, below it. */
  readonly above: number;
  readonly below: number;
}

/** How often the shipped 95 % intervals hold the truth, over `samples` samples of one population. */
export function coverageOf(population: Population, samples: number, seed: string, resamples = 1000): Coverage[] {
  const truths = truthOf(population);
  const misses = metrics.map(() => ({ above: 0, below: 0 }));
  for (let sample = 0; sample < samples; sample++) {
    const clusters = samplePairs(population, seeded(`${seed} ${sample}`));
    const sums = metrics.map((metric) => clusterSums(metric, clusters));
    for (const [m, interval] of intervalsOfSums(sums, { resamples, seed: sample }).entries()) {
      if (interval === undefined) throw new RangeError("too few users for an interval");
      if (interval.low > truths[m]! + ROUNDING) misses[m]!.above += 1;
      if (interval.high < truths[m]! - ROUNDING) misses[m]!.below += 1;
    }
  }
  return metrics.map(({ name }, m) => {
    const [above, below] = [misses[m]!.above / samples, misses[m]!.below / samples];
    return { metric: name, truth: truths[m]!, covered: 1 - above - below, above, below };
  });
}

// --- internal ---

const ROUNDING = 1e-12;
const TRUTH_USERS = 40_000;
const LABELS = ["1", "2", "3", "4", "5"];
/** Share of labels as gold: as skewed as ratings are. */
const GOLD_UP_TO = [0.05, 0.12, 0.25, 0.55, 1];
const metrics: readonly Metric[] = [accuracy(LABELS), macroF1(LABELS), mae, rmse];

function truthOf(population: Population): number[] {
  const clusters = samplePairs({ ...population, users: TRUTH_USERS }, seeded("truth"));
  return metrics.map((metric, m) => (m === 0 ? population.chance : valueOfAll(clusterSums(metric, clusters))));
}

const samplePairs = (population: Population, random: Random): Pair[][] =>
  simulateUsers(population, random).map((user) => answersOf(user, random));

/** Ratings: right with the user's chance, else one off, or two. */
function answersOf({ chance, questions }: SimulatedUser, random: Random): Pair[] {
  return Array.from({ length: questions }, () => {
    const place = random.next();
    const gold = GOLD_UP_TO.findIndex((upTo) => place < upTo) + 1;
    if (random.next() < chance) return { gold: String(gold), prediction: String(gold) };
    const size = random.next() < 0.7 ? 1 : 2;
    const off = gold - size >= 1 && (gold + size > 5 || random.next() < 0.5) ? -size : size;
    return { gold: String(gold), prediction: String(gold + off) };
  });
}
