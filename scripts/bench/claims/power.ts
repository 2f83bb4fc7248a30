import { assumedScatter, detectableDifference } from "../../../src/report/plan/detectable.js";
import { MIN_USERS } from "../../../src/statistics/interval.js";
import { studentDifference } from "../../../src/statistics/paired-difference.js";
import { powerOf } from "../../../src/statistics/power.js";
import type { Random, Task } from "../../../src/types/index.js";
import { type Population, simulateUsers } from "../simulation/clustered-users.js";
import { beta, normal, type Size, sampleOf, size } from "../simulation/losses.js";
import { meanShare } from "../simulation/mean-share.js";
import { answeringOf } from "../simulation/rated-users.js";
import type { PairedUser } from "./cell.js";
import { ALPHA, type Cell, Tally } from "./cell.js";
import { differenceOf, requestOf } from "./compare.js";

/**
 * What 80 % power comes to, by the test of `compare`. `needs users` and `finds`, which is the same read backwards: studies of as many users as the true difference and
 * its true scatter over users ask for. The dry run's line: data of the spread that it names, and of the difference.
 */
export const powerCells = (): Cell[] => [
  ...studies.map(([low, high, likeness, other, ...metrics]) =>
    studyCell({ users: FIRST, questions: [low, high], chance: CHANCE, likeness }, other, metrics),
  ),
  ...(["label", "rating", "text"] as const).flatMap((kind) =>
    [size(10, 10), size(24, 3), ...(kind === "label" ? [size(100, 1)] : [])].flatMap((at) => plannedCell(kind, at)),
  ),
];

/** By place in `answeringOf`. */
const [ACCURACY, F1, MAE, RMSE] = [0, 1, 2, 3] as const;
/** Questions a user, likeness, the second arm's chance, metrics. */
const studies: readonly (readonly [
  low: number,
  high: number,
  likeness: number,
  other: number,
  ...metrics: number[],
])[] = [
  [5, 5, 0.5, 0.25, MAE, RMSE],
  [1, 30, 0.5, 0.4, F1],
  [1, 1, 0.2, 0.25, ACCURACY],
  [5, 5, 0.2, 0.4, ACCURACY, MAE],
  [1, 30, 0.5, 0.5, ACCURACY],
  [1, 1, 0.5, 0.4, ACCURACY],
];
const CHANCE = 0.6;
/** Correlation of two questions' differences of one user, as the dry run takes it. */
const ALIKE = 0.05;
/** Users of the studies that show how far a difference scatters, and how many such studies. */
const FIRST = 100;
const STUDIES = 50;
/** Of a study that is tested, for time. */
const MOST_USERS = 200;

/** Two arms whose answers to a user's questions are right with that user's own chance, the second's scaled to another mean. */
function arms(population: Population, other: number, random: Random): PairedUser[] {
  const { answers, reply } = answeringOf(population);
  return simulateUsers(population, random).map((user) => {
    const a = answers(user, random);
    const chance = Math.min(1, (user.chance * other) / population.chance);
    return { a, b: a.map(({ gold }) => ({ gold, prediction: reply(gold, chance, random) })) };
  });
}

/** Studies of just as many users as are needed by the true difference and its true scatter. */
function studyCell(population: Population, other: number, metrics: readonly number[]): Cell {
  const [low, high] = population.questions;
  const name = `accuracy ${population.chance} and ${other}, users x ${low === high ? low : `${low}-${high}`}, alike ${population.likeness}`;
  const truths = answeringOf({ ...population, chance: other }).metrics;
  return {
    part: "power",
    name,
    run(samples) {
      const known = answeringOf(population).metrics;
      const seen = Array.from({ length: STUDIES }, (_, study) =>
        arms(population, other, sampleOf(`power first ${name}`, study)),
      );
      return metrics.flatMap((m) => {
        const { metric, truth } = known[m]!;
        const scatters = seen.map((users) => studentDifference(requestOf(metric, users))!.scatter);
        const mean = (part: "ofUsers" | "ofTwo") => scatters.reduce((sum, scatter) => sum + scatter[part], 0) / STUDIES;
        const { needed = Number.POSITIVE_INFINITY } = powerOf(truths[m]!.truth - truth, {
          ...scatters[0]!,
          ofUsers: mean("ofUsers"),
          ofTwo: mean("ofTwo"),
        });
        if (needed > MOST_USERS || needed === MIN_USERS) return [];
        let found = 0;
        for (let sample = 0; sample < samples; sample++) {
          const users = arms({ ...population, users: needed }, other, sampleOf(`power ${name} ${metric.name}`, sample));
          if (differenceOf(metric, users)!.p <= ALPHA) found += 1;
        }
        const size = needed < 20 ? "10 to 19" : needed < 40 ? "20 to 39" : "40 or more";
        return [
          { what: `found, ${size} users needed, ${metric.name}`, least: 0.75, most: 0.85, hits: found, of: samples },
        ];
      });
    },
  };
}

/** Differences of a question's two answers, alike within a user as the plan takes them, of the spread that it names. */
function plannedCell(kind: Task["kind"], at: Size): Cell[] {
  const each = at.questions[0];
  const { deviation } = assumedScatter[kind];
  const difference = detectableDifference({ users: at.users, questions: at.users * each, kind });
  if (difference === undefined) return [];
  const name = `${kind}, ${at.name}`;
  return [
    {
      part: "power",
      name: `dry run, ${name}`,
      run(samples) {
        const tally = new Tally();
        for (let sample = 0; sample < samples; sample++) {
          const random = sampleOf(`power plan ${name}`, sample);
          const users = Array.from({ length: at.users }, (): PairedUser => {
            const gains =
              kind === "label"
                ? disagreements(each, difference, random)
                : scattered(each, difference, deviation, random);
            return {
              a: gains.map(() => ({ gold: "", prediction: "0" })),
              b: gains.map((gain) => ({ gold: "", prediction: String(gain) })),
            };
          });
          tally.add("found", differenceOf(meanShare, users)!.p <= ALPHA);
        }
        return [{ what: `dry run: found, ${kind}`, least: 0.75, most: 0.85, hits: tally.of("found"), of: samples }];
      },
    },
  ];
}

const scattered = (count: number, mean: number, deviation: number, random: Random): number[] => {
  const ofUser = mean + Math.sqrt(ALIKE) * deviation * normal(random);
  return Array.from({ length: count }, () => ofUser + Math.sqrt(1 - ALIKE) * deviation * normal(random));
};

/** One question in five has other answers, of which one is right: B's with a chance of the user's own. */
function disagreements(count: number, gain: number, random: Random): number[] {
  const share = 0.2;
  const mean = (1 + gain / share) / 2;
  const likeness = (ALIKE * (share - gain ** 2)) / (share ** 2 * 4 * mean * (1 - mean));
  const own = beta(mean, Math.min(0.95, likeness), random);
  return Array.from({ length: count }, () => (random.next() >= share ? 0 : random.next() < own ? 1 : -1));
}
