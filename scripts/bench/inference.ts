import { accuracy, macroF1, mae } from "../../src/metrics/index.js";
import { seeded } from "../../src/random/seeded.js";
import { claimPs, shownLossP } from "../../src/report/gate/claims.js";
import { pairedLoss } from "../../src/report/gate/paired-loss.js";
import { repeatSums } from "../../src/statistics/cluster-sums.js";
import { type Interval, scoreInterval } from "../../src/statistics/interval.js";
import { isMean } from "../../src/statistics/mean-metric.js";
import { type PairedDifference, pairedDifference } from "../../src/statistics/paired-difference.js";
import type { Metric, Pair, Random } from "../../src/types/index.js";

const SIZES = [10, 24, 50, 100];
const ALPHA = 0.05;
const RATINGS = ["1", "2", "3", "4", "5"];

/**
 * `npm run bench -- inference [SAMPLES] [USERS,USERS...]`: simulated percentages for 1 to 10 questions a user. Coverage of the 95 %
 * intervals of scores and of gains, p <= .05 of equal methods, and verdicts of a gate.
 */
export async function main([samples = "200", sizes = SIZES.join()]: readonly string[]): Promise<void> {
  const users = sizes.split(",").map(Number);
  console.log(`${samples} samples a cell; users: ${users.join(", ")}`);
  for (const row of rows) {
    const cells = users.map((count) => percent(row, count, Number(samples)).padStart(6));
    console.log(row.name.padEnd(58) + cells.join(""));
  }
}

/** Something that happens in a sample or does not. */
interface Row {
  readonly name: string;
  happens(users: number, random: Random): boolean;
}

function percent({ name, happens }: Row, users: number, samples: number): string {
  let hits = 0;
  for (let sample = 0; sample < samples; sample++) if (happens(users, seeded(`${name} ${users} ${sample}`))) hits += 1;
  return ((100 * hits) / samples).toFixed(1);
}

/** Golds and answers of users who are alike within themselves. */
interface Population {
  readonly metric: Metric;
  readonly golds: readonly string[];
  /** The answer where the right one is not given. */
  wrong(gold: string): string;
  /** Mean chance of a right answer. */
  readonly chance: number;
  /** The metric's value over all users that there are. */
  readonly truth: number;
}

const yesNo = (chance: number): Population => ({
  metric: accuracy(["yes", "no"]),
  golds: ["yes", "no"],
  wrong: (gold) => (gold === "yes" ? "no" : "yes"),
  chance,
  truth: chance,
});
/** A wrong rating is one off. */
const rated: Population = {
  ...{ metric: mae, golds: RATINGS, chance: 0.6, truth: 0.4 },
  wrong: (gold) => (gold === "5" ? "4" : String(Number(gold) + 1)),
};
/** Labels are equally frequent, and wrong answers are the next label, so that each label's F1 is the accuracy. */
const labelled: Population = {
  ...{ metric: macroF1(RATINGS), golds: RATINGS, chance: 0.6, truth: 0.6 },
  wrong: (gold) => String((Number(gold) % 5) + 1),
};

interface User {
  readonly chance: number;
  readonly pairs: readonly Pair[];
}

/** Correlation of two answers of one user. */
const LIKENESS = 0.2;

function usersOf(population: Population, count: number, random: Random): User[] {
  return Array.from({ length: count }, () => {
    const chance = beta(population.chance, LIKENESS, random);
    const golds = Array.from(
      { length: 1 + random.below(10) },
      () => population.golds[random.below(population.golds.length)]!,
    );
    return { chance, pairs: golds.map((gold) => answered(population, gold, { chance, random })) };
  });
}

function answered({ wrong }: Population, gold: string, { chance, random }: { chance: number; random: Random }): Pair {
  return { gold, prediction: random.next() < chance ? gold : wrong(gold) };
}

const lost = ({ gold }: Pair, { wrong }: Population): Pair => ({ gold, prediction: wrong(gold) });

const coverage = (name: string, population: Population): Row => ({
  name: `score held: ${name}`,
  happens(count, random) {
    const users = usersOf(population, count, random).map(({ pairs }) => pairs);
    const interval = intervalOf(population.metric, users);
    return interval === undefined || (interval.low <= population.truth && population.truth <= interval.high);
  },
});

function intervalOf(metric: Metric, users: readonly (readonly Pair[])[]): Interval | undefined {
  const most = metric.labels === undefined || isMean(metric) ? (metric.most ?? 1) : 1;
  const valueOfPair = (pair: Pair): number => {
    const sums = new Float64Array(metric.width);
    metric.add(pair, sums);
    return sums[0]!;
  };
  return scoreInterval({
    sums: repeatSums(
      metric,
      users.map((pairs) => [pairs]),
    ),
    range: most,
    repeats: { sd: 0, count: 1 },
    answers: most === 1,
    ...(isMean(metric) ? { values: Float64Array.from(users.flat(), valueOfPair) } : {}),
  });
}

/** The answers of one user by two methods. */
interface Both {
  readonly a: readonly Pair[];
  readonly b: readonly Pair[];
}

function differenceOf({ metric }: Population, users: readonly Both[]): PairedDifference | undefined {
  const sums = (arm: "a" | "b") =>
    repeatSums(
      metric,
      users.map((user) => [user[arm]]),
    );
  const total = (pairs: readonly Pair[]): number => {
    const sum = new Float64Array(metric.width);
    for (const pair of pairs) metric.add(pair, sum);
    return sum[0]!;
  };
  return pairedDifference({
    a: sums("a"),
    b: sums("b"),
    questions: users.reduce((sum, { a }) => sum + a.length, 0),
    repeats: { a: { sd: 0, count: 1 }, b: { sd: 0, count: 1 } },
    ...(isMean(metric) ? { userGains: users.map(({ a, b }) => total(b) - total(a)) } : {}),
    seed: 0,
  });
}

/** Both methods answer every question with the same chance. */
const equalMethods = (name: string, population: Population): Row => ({
  name: `p <= .05 of equal methods: ${name}`,
  happens(count, random) {
    const users = usersOf(population, count, random).map(({ chance, pairs }) => ({
      a: pairs,
      b: pairs.map(({ gold }) => answered(population, gold, { chance, random })),
    }));
    return (differenceOf(population, users)?.p ?? 1) <= ALPHA;
  },
});

/** A share of the users loses every answer. */
const lostUsers = (share: number): Row => ({
  name: `gain held: ${100 * share} % of users lose all`,
  happens(count, random) {
    const population = yesNo(0.7);
    const users = usersOf(population, count, random).map(({ pairs }) => ({
      a: pairs,
      b: random.next() < share ? pairs.map((pair) => lost(pair, population)) : pairs,
    }));
    const interval = differenceOf(population, users)?.interval;
    return interval === undefined || (interval.low <= -0.7 * share && -0.7 * share <= interval.high);
  },
});

/** A baseline of accuracy .7, and a run of which a share is drawn anew and right answers are lost. */
const gated = (
  name: string,
  settings: { readonly loss: number; readonly failing?: boolean; readonly margin: number },
  verdict: "pass" | "fail",
): Row => ({
  name,
  happens(count, random) {
    const population = yesNo(0.7);
    const questions = usersOf(population, count, random).flatMap(({ chance, pairs }, u) => {
      const fails = settings.failing === true && random.next() < settings.loss / population.chance;
      return pairs.map((pair, q) => {
        const redrawn = random.next() < 0.2 ? answered(population, pair.gold, { chance, random }) : pair;
        const flips = settings.failing !== true && random.next() < settings.loss / population.chance;
        const now = fails || flips ? lost(pair, population) : redrawn;
        return { id: `${u}/${q}`, user: `u${u}`, baseline: [pair], candidate: [now] };
      });
    });
    const loss = pairedLoss(population.metric, questions, []);
    if (loss === undefined) return false;
    if (verdict === "pass") return claimPs(loss, settings.margin, ALPHA).users <= ALPHA;
    return (shownLossP(loss, settings.margin, ALPHA) ?? 1) <= ALPHA;
  },
});

const rows: readonly Row[] = [
  coverage("accuracy .7", yesNo(0.7)),
  coverage("accuracy .95", yesNo(0.95)),
  coverage("MAE .4", rated),
  coverage("macro-F1 .6", labelled),
  lostUsers(0.05),
  lostUsers(0.1),
  equalMethods("accuracy", yesNo(0.7)),
  equalMethods("MAE", rated),
  gated("PASS at loss = margin .05, spread evenly", { loss: 0.05, margin: 0.05 }, "pass"),
  gated("PASS at loss = margin .05, users lose all", { loss: 0.05, failing: true, margin: 0.05 }, "pass"),
  gated("PASS unchanged (20 % redrawn), margin .05", { loss: 0, margin: 0.05 }, "pass"),
  gated("PASS unchanged (20 % redrawn), margin .1", { loss: 0, margin: 0.1 }, "pass"),
  gated("FAIL unchanged, margin .05", { loss: 0, margin: 0.05 }, "fail"),
  gated("FAIL at loss .1, margin .05", { loss: 0.1, margin: 0.05 }, "fail"),
];

/** Beta with this mean and intra-class correlation 1 / (1 + a + b). */
function beta(mean: number, likeness: number, random: Random): number {
  const size = (1 - likeness) / likeness;
  const hits = gamma(mean * size, random);
  return hits / (hits + gamma((1 - mean) * size, random));
}

/** Source: Marsaglia and Tsang, ACM Trans. Math. Software 26(3), 2000. */
function gamma(shape: number, random: Random): number {
  if (shape < 1) return gamma(shape + 1, random) * (1 - random.next()) ** (1 / shape);
  const d = shape - 1 / 3;
  for (;;) {
    const x = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
    const v = (1 + x / Math.sqrt(9 * d)) ** 3;
    if (v > 0 && Math.log(1 - random.next()) < x ** 2 / 2 + d - d * v + d * Math.log(v)) return d * v;
  }
}
