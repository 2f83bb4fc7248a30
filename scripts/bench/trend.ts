import { accuracy, macroF1, rmse } from "../../src/metrics/index.js";
import { seeded } from "../../src/random/seeded.js";
import { clusterSums } from "../../src/statistics/cluster-sums.js";
import { isMean, isRootOfMean } from "../../src/statistics/mean-metric.js";
import { trend } from "../../src/statistics/trend.js";
import type { Metric, Pair, Random } from "../../src/types/index.js";
import { simulateUsers } from "./simulation/clustered-users.js";

const LABELS = ["1", "2", "3", "4", "5"];
const STEPS = 5;
const QUESTIONS = 3;
const metrics: Readonly<Record<string, Metric>> = { accuracy: accuracy(LABELS), f1: macroF1(LABELS), rmse };

/**
 * `npm run bench -- trend [--samples 500] [--users 10,30]`: what the sentence on a trend promises, over five steps: without any trend at most 5 % of p's
 * are .05 or less, and 95 % intervals hold a true slope. Exit code 1 where a cell is off by more than three standard errors.
 */
export async function main(args: readonly string[]): Promise<void> {
  const samples = args.includes("--samples") ? Number(args[args.indexOf("--samples") + 1]) : 500;
  console.log(
    `${samples} samples a cell; percent: p <= .05 without a trend; a slope of .03 of accuracy held, and found`,
  );
  const limit = 0.05 + 3 * Math.sqrt((0.05 * 0.95) / samples) + 0.01;
  let broken = 0;
  const sizes = args.includes("--users") ? args[args.indexOf("--users") + 1]!.split(",").map(Number) : [10, 13, 20, 30];
  for (const users of sizes)
    for (const likeness of [0, 0.5]) {
      const cells = Object.entries(metrics).map(([name, metric]) => {
        const found = draws(metric, { users, likeness, slope: 0 }, samples);
        const share = found.filter(({ p }) => p <= 0.05).length / samples;
        if (share > limit) broken += 1;
        return `${name} ${(100 * share).toFixed(1)}`;
      });
      const rising = draws(metrics.accuracy!, { users, likeness, slope: SLOPE }, samples);
      const held = rising.filter(({ interval }) => interval.low <= SLOPE && SLOPE <= interval.high).length / samples;
      if (held < 0.95 - 3 * Math.sqrt((0.05 * 0.95) / samples) - 0.01) broken += 1;
      const power = rising.filter(({ p }) => p <= 0.05).length / samples;
      console.log(
        `${users} users of ${QUESTIONS}, correlation ${likeness}: ${cells.join(", ")}; held ${(100 * held).toFixed(1)}, found ${(100 * power).toFixed(1)}`,
      );
    }
  process.exitCode = broken > 0 ? 1 : 0;
}

const SLOPE = 0.03;
/** Of the middle step. */
const CHANCE = 0.7;

interface Setting {
  readonly users: number;
  readonly likeness: number;
  readonly slope: number;
}

function draws(metric: Metric, setting: Setting, samples: number) {
  return Array.from({ length: samples }, (_, sample) => {
    const random = seeded(`trend ${metric.name} ${JSON.stringify(setting)} ${sample}`);
    const users = simulateUsers(
      { users: setting.users, questions: [QUESTIONS, QUESTIONS], chance: CHANCE, likeness: setting.likeness },
      random,
    );
    // Users' own chances rise alike, as far as there is room, so that the mean slope is the one asked for.
    const golds = users.map(() => Array.from({ length: QUESTIONS }, () => LABELS[random.below(5)]!));
    const answers = Array.from({ length: STEPS }, (_, j) =>
      users.map(({ chance }, u) => {
        const own = setting.slope === 0 ? chance : CHANCE / 2 + chance / 2 + (j - 2) * setting.slope;
        return golds[u]!.map((gold) => answer(gold, Math.min(1, Math.max(0, own)), random));
      }),
    );
    const hitsOf = (pairs: readonly Pair[]): number =>
      pairs.filter(({ gold, prediction }) => gold === prediction).length;
    return trend({
      steps: answers.map((ofStep) => clusterSums(metric, ofStep)),
      questions: users.length * QUESTIONS,
      repeats: answers.map(() => ({ sd: 0, count: 1 })),
      ...(isMean(metric) ? { userSums: answers.map((ofStep) => ofStep.map(hitsOf)) } : {}),
      isRoot: isRootOfMean(metric),
      seed: sample,
    })!;
  });
}

const answer = (gold: string, chance: number, random: Random): Pair => ({
  gold,
  prediction: random.next() < chance ? gold : LABELS[(LABELS.indexOf(gold) + 1 + random.below(4)) % 5]!,
});
