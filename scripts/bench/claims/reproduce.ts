import { accuracy, mae, rmse } from "../../../src/metrics/index.js";
import { differenceOf, roundingOf, theirEstimate } from "../../../src/report/reproduce/differs.js";
import type { Metric, Pair } from "../../../src/types/index.js";
import type { Population } from "../simulation/clustered-users.js";
import { sampleOf } from "../simulation/losses.js";
import { answeringOf, samplePairs } from "../simulation/rated-users.js";
import { ALPHA, type Cell, Tally } from "./cell.js";
import { intervalOf } from "./coverage.js";

/** Our users and a paper's drawn from one population: how often `reproduce` says that they differ. The paper's questions have a user each. */
export const reproduceCells = (): Cell[] =>
  designs.flatMap(([users, low, high]) => [
    cell({ users, questions: [low, high], chance: 0.86, likeness: 0.2 }, 123, [yesNo], ["accuracy"]),
    cell({ users, questions: [low, high], chance: 0.55, likeness: 0.2 }, 300, [yesNo], ["accuracy"]),
    cell({ users, questions: [low, high], chance: 0.7, likeness: 0.2 }, 112, [mae, rmse], ["mae", "rmse"]),
  ]);

const yesNo = accuracy(["1", "2", "3", "4", "5"]);

const designs: readonly (readonly [users: number, low: number, high: number])[] = [
  [24, 3, 3],
  [30, 10, 10],
  [60, 2, 2],
  [60, 1, 30],
  [100, 1, 1],
  [100, 10, 10],
  [300, 1, 1],
  [1000, 1, 1],
];

function cell(population: Population, count: number, metrics: readonly Metric[], names: readonly string[]): Cell {
  const {
    users,
    questions: [low, high],
    chance,
  } = population;
  const name = `ours ${users} users x ${low === high ? low : `${low}-${high}`}, theirs ${count}, ${names.join(" and ")}, accuracy ${chance}`;
  const answering = answeringOf(population);
  const theirs: Population = { ...population, users: count, questions: [1, 1] };
  return {
    part: "reproduce",
    name,
    run(samples) {
      const tally = new Tally();
      for (let sample = 0; sample < samples; sample++) {
        const random = sampleOf(name, sample);
        const ours = samplePairs(population, answering, random);
        const paper = samplePairs(theirs, answering, random).flat();
        const printed = Object.fromEntries(
          (names.includes("mae") ? [mae, rmse] : [yesNo]).map((metric) => [
            metric.name,
            scoreOf(metric, paper).toFixed(3),
          ]),
        );
        for (const metric of metrics) {
          const text = printed[metric.name]!;
          const estimate = theirEstimate(metric.name, { values: printed, count });
          const own = intervalOf(metric, ours);
          if (estimate === undefined || own === undefined) continue;
          const found = differenceOf({ value: scoreOf(metric, ours.flat()), ...own }, estimate);
          tally.add(metric.name, found.low - roundingOf(text) > 0 || found.high + roundingOf(text) < 0);
          tally.add(`${metric.name} of`, true);
        }
      }
      return metrics.map((metric) => ({
        what: `equal populations differ, ${metric.name}`,
        hits: tally.of(metric.name),
        of: Math.max(1, tally.of(`${metric.name} of`)),
        most: ALPHA + 0.01,
      }));
    },
  };
}

function scoreOf(metric: Metric, pairs: readonly Pair[]): number {
  const sums = new Float64Array(metric.width);
  for (const pair of pairs) metric.add(pair, sums);
  return metric.value(sums, pairs.length);
}
