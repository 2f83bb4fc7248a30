import { sparseLabels } from "../../../src/report/sparse-labels.js";
import { repeatSums } from "../../../src/statistics/cluster-sums.js";
import { type Interval, scoreInterval } from "../../../src/statistics/interval.js";
import { beforeRoot, isRootOfMean } from "../../../src/statistics/mean-metric.js";
import type { Metric, Pair, Random } from "../../../src/types/index.js";
import type { Population } from "../simulation/clustered-users.js";
import { sampleOf } from "../simulation/losses.js";
import { type Answering, answeringOf, samplePairs } from "../simulation/rated-users.js";
import { type Cell, type Rate, Tally } from "./cell.js";

/** How often the 95 % intervals of scores hold the population's own, users with unequal numbers of questions and answers that are alike. */
export const coverageCells = (): Cell[] => [
  ...[10, 20, 30, 100].flatMap((users) =>
    (
      [
        [1, 1],
        [1, 5],
        [1, 30],
      ] as const
    ).flatMap((questions) => kinds.map(([chance, likeness]) => cell({ users, questions, chance, likeness }))),
  ),
  ...[10, 20, 30, 60].flatMap((users) =>
    nearTheEnd.map(([chance, likeness]) => cell({ users, questions: [40, 40], chance, likeness })),
  ),
  ...[24, 50, 100].map((users) => cell({ users, questions: [3, 3], chance: 0.5, likeness: 0.2, labels: 15 })),
  ...[20, 100].map((users) => hostile(users)),
];

/** The interval that reports print. */
export function intervalOf(metric: Metric, users: readonly Pair[][]): Interval | undefined {
  const judged = beforeRoot(metric);
  const most = metric.labels === undefined ? (metric.most ?? 1) : 1;
  const range = isRootOfMean(metric) ? most ** 2 : most;
  const room = new Float64Array(1);
  const valueOfPair = (pair: Pair): number => {
    room[0] = 0;
    metric.add(pair, room);
    return room[0];
  };
  const found = scoreInterval({
    sums: repeatSums(
      judged,
      users.map((pairs) => [pairs]),
    ),
    range,
    repeats: { sd: 0, count: 1 },
    answers: most === 1,
    ...(metric.labels === undefined ? { values: Float64Array.from(users.flat(), valueOfPair) } : {}),
  });
  return found === undefined || judged === metric ? found : { low: Math.sqrt(found.low), high: Math.sqrt(found.high) };
}

/** Chance of a right answer, and how alike a user's answers are. */
const kinds: readonly (readonly [chance: number, likeness: number])[] = [
  [0.3, 0.8],
  [0.6, 0.2],
  [0.8, 0],
  [0.9, 0.3],
  [0.95, 0.5],
];
/** Many questions of users who nearly always succeed or nearly never: a set may lack those who fail, and has single wrong answers. */
const nearTheEnd: typeof kinds = [
  [0.9, 0],
  [0.95, 0.5],
  [0.97, 0.5],
  [0.95, 0.8],
];
const ROUNDING = 1e-12;

function cell(population: Population): Cell {
  const {
    users,
    questions: [low, high],
    chance,
    likeness,
    labels,
  } = population;
  const size = low === high ? `${low}` : `${low}-${high}`;
  const name = `${users} users x ${size}, chance ${chance}, alike ${likeness}${labels === undefined ? "" : `, ${labels} labels`}`;
  const answering = answeringOf(population);
  return ofDraws(
    name,
    answering,
    (random) => samplePairs(population, answering, random),
    (metric) => {
      return users >= 20
        ? { what: `${metric} held, 20 users or more`, least: 0.9 }
        : { what: `${metric} held, 10 users`, least: 0.88 };
    },
  );
}

/** Users of two kinds: nine in ten are nearly always right, one in ten never is. Nothing is promised where that one may be missed. */
function hostile(users: number): Cell {
  const population: Population = { users, questions: [1, 5], chance: 0.855, likeness: 0 };
  const answering = answeringOf(population);
  const draw = (random: Random) =>
    Array.from({ length: users }, () =>
      answering.answers({ chance: random.next() < 0.1 ? 0 : 0.95, questions: 1 + random.below(5) }, random),
    );
  return ofDraws(`${users} users x 1-5, a tenth never right`, answering, draw, (metric) => ({
    what: `${metric} held, a tenth never right`,
  }));
}

const ofDraws = (
  name: string,
  { metrics }: Answering,
  draw: (random: Random) => Pair[][],
  promise: (metric: string) => Pick<Rate, "what" | "least">,
): Cell => ({
  part: "coverage",
  name,
  run(samples) {
    const tally = new Tally();
    for (let sample = 0; sample < samples; sample++) {
      const users = draw(sampleOf(name, sample));
      for (const { metric, truth } of metrics) {
        // Labels too rare are a case of their own: the tool says that such an interval may be wrong.
        const golds = () => users.flat().map(({ gold }) => gold);
        const kind = sparseLabels(metric, golds).sparseLabels === undefined ? metric.name : `${metric.name} rare`;
        tally.add(`${kind} of`, true);
        tally.add(kind, holds(intervalOf(metric, users), truth));
      }
    }
    return metrics.flatMap(({ metric }) =>
      [metric.name, `${metric.name} rare`].flatMap((kind) => {
        const of = tally.of(`${kind} of`);
        if (of < samples / 10) return [];
        const counts = {
          hits: tally.of(kind),
          of,
        };
        return kind === metric.name
          ? [{ ...promise(kind), ...counts }]
          : [{ what: `${metric.name} held, labels of fewer than 5 golds`, ...counts }];
      }),
    );
  },
});

const holds = (interval: Interval | undefined, truth: number): boolean =>
  interval === undefined || (interval.low <= truth + ROUNDING && interval.high >= truth - ROUNDING);
