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

/** How often the shipped 95 % intervals hold the truth, over `samples` samples of one population. The truth is that of so many users. */
export function coverageOf(
  population: Population,
  samples: number,
  seed: string,
  { resamples = 1000, truthUsers = 40_000 } = {},
): Coverage[] {
  const { metrics, draw } = kindOf(population);
  const truths = truthOf({ ...population, users: truthUsers }, metrics, draw);
  const misses = metrics.map(() => ({ given: 0, above: 0, below: 0 }));
  for (let sample = 0; sample < samples; sample++) {
    const clusters = samplePairs(population, draw, seeded(`${seed} ${sample}`));
    const sums = metrics.map((metric) => clusterSums(metric, clusters));
    for (const [m, interval] of intervalsOfSums(sums, { resamples, seed: sample }).entries()) {
      if (interval === undefined) continue; // a dash in tables: nothing is said, so nothing is wrong
      misses[m]!.given += 1;
      if (interval.low > truths[m]! + ROUNDING) misses[m]!.above += 1;
      if (interval.high < truths[m]! - ROUNDING) misses[m]!.below += 1;
    }
  }
  return metrics.map(({ name }, m) => {
    const { given, ...missed } = misses[m]!;
    const [above, below] = [missed.above / given, missed.below / given];
    return { metric: name, truth: truths[m]!, covered: 1 - above - below, above, below };
  });
}

// --- internal ---

const ROUNDING = 1e-12;
const LABELS = ["1", "2", "3", "4", "5"];
/** Share of labels as gold: as skewed as ratings are. */
const GOLD_UP_TO = [0.05, 0.12, 0.25, 0.55, 1];

type Draw = (user: SimulatedUser, random: Random) => Pair[];

function kindOf({ labels }: Population): { readonly metrics: readonly Metric[]; readonly draw: Draw } {
  if (labels === undefined) return { metrics: [accuracy(LABELS), macroF1(LABELS), mae, rmse], draw: ratingsOf };
  const names = Array.from({ length: labels }, (_, l) => `label ${l + 1}`);
  const upTo = names.map((_, l) => names.slice(0, l + 1).reduce((sum, _, n) => sum + 1 / (n + 1), 0));
  const label = (random: Random): string => {
    const place = random.next() * upTo.at(-1)!;
    return names[upTo.findIndex((end) => place < end)]!;
  };
  return { metrics: [accuracy(names), macroF1(names)], draw: (user, random) => labelsOf(user, label, random) };
}

function truthOf(population: Population, metrics: readonly Metric[], draw: Draw): number[] {
  const clusters = samplePairs(population, draw, seeded("truth"));
  return metrics.map((metric, m) =>
    m === 0 && population.labels === undefined ? population.chance : valueOfAll(clusterSums(metric, clusters)),
  );
}

const samplePairs = (population: Population, draw: Draw, random: Random): Pair[][] =>
  simulateUsers(population, random).map((user) => draw(user, random));

/** Right with the user's chance, else any label as often as it is gold, which may be the right one too. */
function labelsOf({ chance, questions }: SimulatedUser, label: (random: Random) => string, random: Random): Pair[] {
  return Array.from({ length: questions }, () => {
    const gold = label(random);
    return { gold, prediction: random.next() < chance ? gold : label(random) };
  });
}

/** Ratings: right with the user's chance, else one off, or two. */
function ratingsOf({ chance, questions }: SimulatedUser, random: Random): Pair[] {
  return Array.from({ length: questions }, () => {
    const place = random.next();
    const gold = GOLD_UP_TO.findIndex((upTo) => place < upTo) + 1;
    if (random.next() < chance) return { gold: String(gold), prediction: String(gold) };
    const size = random.next() < 0.7 ? 1 : 2;
    const off = gold - size >= 1 && (gold + size > 5 || random.next() < 0.5) ? -size : size;
    return { gold: String(gold), prediction: String(gold + off) };
  });
}
