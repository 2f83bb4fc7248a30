import { repeatSums } from "../../../src/statistics/cluster-sums.js";
import { isMean, isRootOfMean } from "../../../src/statistics/mean-metric.js";
import {
  type DifferenceRequest,
  type PairedDifference,
  pairedDifference,
} from "../../../src/statistics/paired-difference.js";
import type { Metric, Pair, Random } from "../../../src/types/index.js";
import { type Population, simulateUsers } from "../simulation/clustered-users.js";
import { sampleOf } from "../simulation/losses.js";
import { type Answering, answeringOf } from "../simulation/rated-users.js";
import type { PairedUser } from "./cell.js";
import { ALPHA, type Cell, Tally } from "./cell.js";

/** Two arms that are the same for every user: how often p is .05 or less. And a true difference: how often its interval holds it. */
export const compareCells = (): Cell[] => [
  ...[10, 20, 30, 100].flatMap((users) => [
    ...kinds.map(([chance, likeness, chances]) => nullCell({ users, questions: [5, 5], chance, likeness }, chances)),
    nullCell({ users, questions: [1, 30], chance: 0.9, likeness: 0.5 }, "one"),
  ]),
  ...(
    [
      [24, 3],
      [30, 10],
      [100, 3],
      [80, 1],
    ] as const
  ).flatMap(([users, each]) =>
    [0.005, 0.05].map((loss) => heldCell({ users, questions: [each, each], chance: 0.8, likeness: 0.2 }, loss)),
  ),
];

/** As `compare` asks for it. */
export const differenceOf = (metric: Metric, users: readonly PairedUser[]): PairedDifference | undefined =>
  pairedDifference(requestOf(metric, users));

/** What `compare` hands in. */
export function requestOf(metric: Metric, users: readonly PairedUser[]): DifferenceRequest {
  const sums = (arm: "a" | "b") =>
    repeatSums(
      metric,
      users.map((user) => [user[arm]]),
    );
  const [a, b] = [sums("a"), sums("b")];
  const userGains = users.map((user) => total(metric, user.b) - total(metric, user.a));
  return {
    a,
    b,
    questions: users.reduce((sum, user) => sum + user.a.length, 0),
    repeats: { a: { sd: 0, count: 1 }, b: { sd: 0, count: 1 } },
    ...(isMean(metric) ? { userGains } : {}),
    isRoot: isRootOfMean(metric),
    seed: SEED,
  };
}

const kinds = [
  [0.6, 0.2, "one"],
  [0.9, 0.5, "one"],
  [0.6, 0.2, "own"],
  [0.9, 0.5, "own"],
] as const;
/** Of the swap test's draws: a run has one seed for all its comparisons. */
const SEED = 0;

/** `own`: each arm has its own chance for a user, as with a persona made once a user and arm; its answers are then alike. */
function nullCell(population: Population, chances: "one" | "own"): Cell {
  const {
    users,
    questions: [low, high],
    chance,
    likeness,
  } = population;
  const name = `${users} users x ${low === high ? low : `${low}-${high}`}, accuracy ${chance}, alike ${likeness}, ${chances} chance for both arms`;
  const answering = answeringOf(population);
  const metrics = [0, 1, 3].map((m) => answering.metrics[m]!.metric);
  return {
    part: "compare",
    name: chances === "own" ? name.replace("own chance for both arms", "each arm its own chance") : name,
    run(samples) {
      const tally = new Tally();
      for (let sample = 0; sample < samples; sample++) {
        const pairs = arms(population, answering, chances, sampleOf(name, sample));
        for (const metric of metrics) tally.add(metric.name, differenceOf(metric, pairs)!.p <= ALPHA);
      }
      return metrics.map((metric) => ({
        what: `p <= .05 of equal arms, ${metric.name}`,
        hits: tally.of(metric.name),
        of: samples,
        most: ALPHA + 0.01,
      }));
    },
  };
}

/** Arm B loses right answers; the interval is to hold that. */
function heldCell(population: Population, loss: number): Cell {
  const {
    users,
    questions: [each],
    chance,
  } = population;
  const name = `${users} users x ${each}, accuracy ${chance}, B worse by ${loss}`;
  const answering = answeringOf(population);
  const { metric } = answering.metrics[0]!;
  return {
    part: "compare",
    name,
    run(samples) {
      const tally = new Tally();
      for (let sample = 0; sample < samples; sample++) {
        const random = sampleOf(name, sample);
        const pairs = simulateUsers(population, random).map((user) => {
          const a = answering.answers(user, random);
          const b = a.map((pair) =>
            pair.prediction === pair.gold && random.next() < loss / chance ? { ...pair, prediction: "" } : pair,
          );
          return { a, b };
        });
        const holds = (found: Pick<PairedDifference, "interval"> | undefined) =>
          found !== undefined && found.interval.low <= -loss && found.interval.high >= -loss;
        tally.add("held", holds(differenceOf(metric, pairs)));
      }
      return [
        {
          what: "true difference held",
          hits: tally.of("held"),
          of: samples,
          least: 0.93,
        },
      ];
    },
  };
}

function total(metric: Metric, pairs: readonly Pair[]): number {
  const sums = new Float64Array(metric.width);
  for (const pair of pairs) metric.add(pair, sums);
  return sums[0]!;
}

function arms(
  population: Population,
  { answers, reply }: Answering,
  chances: "one" | "own",
  random: Random,
): PairedUser[] {
  const users = simulateUsers(population, random);
  const others = chances === "one" ? users : simulateUsers(population, random);
  return users.map((user, u) => {
    const a = answers(user, random);
    return { a, b: a.map(({ gold }) => ({ gold, prediction: reply(gold, others[u]!.chance, random) })) };
  });
}
