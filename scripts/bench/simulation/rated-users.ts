import { accuracy, macroF1, mae, rmse } from "../../../src/metrics/index.js";
import type { Metric, Pair, Random } from "../../../src/types/index.js";
import { type Population, type SimulatedUser, simulateUsers } from "./clustered-users.js";
import { populationF1, zipfLabels } from "./labels.js";

/** Metrics of a population with the values that it has itself. */
interface KnownMetric {
  readonly metric: Metric;
  readonly truth: number;
}

/** What answers of a population are, and what is measured of them. */
export interface Answering {
  readonly metrics: readonly KnownMetric[];
  /** An answer to a question of this gold, right with this chance or by luck. */
  reply(gold: string, chance: number, random: Random): string;
  /** One user's questions, answered. */
  answers(user: SimulatedUser, random: Random): Pair[];
}

/** Five ratings, or the population's Zipf labels. */
export const answeringOf = ({ chance, labels }: Population): Answering =>
  labels === undefined ? ratings(chance) : zipf(labels, chance);

export const samplePairs = (population: Population, { answers }: Answering, random: Random): Pair[][] =>
  simulateUsers(population, random).map((user) => answers(user, random));

const LABELS = ["1", "2", "3", "4", "5"];
/** How often each rating is gold: as skewed as ratings are. */
const GOLDS = [0.05, 0.07, 0.13, 0.3, 0.45];
/** How often a wrong answer is one off; else it is two off. */
const NEAR = 0.7;

function ratings(chance: number): Answering {
  const wrong = 1 - chance;
  return {
    metrics: [
      { metric: accuracy(LABELS), truth: chance },
      { metric: macroF1(LABELS), truth: ratingsF1(chance) },
      { metric: mae, truth: wrong * (NEAR + 2 * (1 - NEAR)) },
      { metric: rmse, truth: Math.sqrt(wrong * (NEAR + 4 * (1 - NEAR))) },
    ],
    ...answering(goldOf, (gold, chance, random) => {
      if (random.next() < chance) return gold;
      const size = random.next() < NEAR ? 1 : 2;
      const isBelow = random.next() < belowShare(Number(gold), size);
      return String(isBelow ? Number(gold) - size : Number(gold) + size);
    }),
  };
}

/** Golds first, then the reply, question by question. */
const answering = (gold: (random: Random) => string, reply: Answering["reply"]): Omit<Answering, "metrics"> => ({
  reply,
  answers: ({ questions, chance }, random) =>
    Array.from({ length: questions }, () => {
      const truth = gold(random);
      return { gold: truth, prediction: reply(truth, chance, random) };
    }),
});

function goldOf(random: Random): string {
  let place = random.next();
  const found = GOLDS.findIndex((share) => {
    place -= share;
    return place < 0;
  });
  return String(found < 0 ? GOLDS.length : found + 1);
}

/** Errors stay on the scale. */
function belowShare(gold: number, size: number): number {
  if (gold - size < 1) return 0;
  return gold + size > 5 ? 1 : 0.5;
}

function ratingsF1(chance: number): number {
  const joint = GOLDS.map((_, g) => GOLDS.map((_, answer) => (answer === g ? GOLDS[g]! * chance : 0)));
  for (const [g, share] of GOLDS.entries())
    for (const [size, part] of [
      [1, NEAR],
      [2, 1 - NEAR],
    ] as const) {
      const below = belowShare(g + 1, size);
      const mass = share * (1 - chance) * part;
      if (below > 0) joint[g]![g - size]! += mass * below;
      if (below < 1) joint[g]![g + size]! += mass * (1 - below);
    }
  const f1 = GOLDS.map((gold, l) => (2 * joint[l]![l]!) / (gold + joint.reduce((sum, row) => sum + row[l]!, 0)));
  return f1.reduce((sum, one) => sum + one, 0) / f1.length;
}

function zipf(count: number, chance: number): Answering {
  const labels = zipfLabels(count);
  const right = labels.shares.reduce((sum, share) => sum + share ** 2, 0);
  return {
    metrics: [
      { metric: accuracy(labels.names), truth: chance + (1 - chance) * right },
      { metric: labels.f1, truth: populationF1(labels, chance) },
    ],
    ...answering(
      (random) => labels.names[labels.draw(random)]!,
      (gold, chance, random) => (random.next() < chance ? gold : labels.names[labels.draw(random)]!),
    ),
  };
}
