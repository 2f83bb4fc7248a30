import { mae, rmse } from "../../../src/metrics/index.js";
import { groupBy } from "../../../src/report/grouped.js";
import type { PairedQuestion } from "../../../src/report/paired.js";
import { sparseLabels } from "../../../src/report/sparse-labels.js";
import { studentDifference } from "../../../src/statistics/paired-difference.js";
import type { Metric, Random } from "../../../src/types/index.js";
import { drawnLabels, labelLoss, labelProcesses, labelScores, zipfLabels } from "../simulation/labels.js";
import { beta, pairedAnswers, processes, type Size, sampleOf, size } from "../simulation/losses.js";
import { meanShare } from "../simulation/mean-share.js";
import { pairedRatings, ratingProcesses } from "../simulation/ratings.js";
import type { PairedUser } from "./cell.js";
import { type Cell, Tally } from "./cell.js";
import { requestOf } from "./compare.js";
import { yesNo } from "./gated.js";

/**
 * How often the interval of a difference holds the population's own, by metric: users alike within and of different sizes, losses
 * heavy-tailed over users, far answers, rare labels. Where a few users make the loss, whom a set may lack, nothing is promised.
 */
export const differenceCells = (): Cell[] =>
  sizes.flatMap((at) => [
    ...processes
      .filter(({ name }) => name !== "only strong users fail")
      .map((process) =>
        cell(`accuracy, ${process.name}, ${at.name}`, isOfUsers(process.name), at, (random) => [
          { metric: yesNo, truth: -LOSS, users: byUser(pairedAnswers(process, at, LOSS, random)) },
        ]),
      ),
    ...ratingProcesses.map((process) =>
      cell(`ratings, ${process.name}, ${at.name}`, isOfUsers(process.name), at, (random) =>
        [mae, rmse].map((metric) => ({
          metric,
          truth: FAR_LOSS,
          users: byUser(pairedRatings(process, metric.name, at, FAR_LOSS, random)),
        })),
      ),
    ),
    ...[0.2, 0.6].map((likeness) =>
      cell(`shares, users alike ${likeness}, ${at.name}`, false, at, (random) => [
        { metric: meanShare, truth: -SHARE_LOSS, users: shares(at, likeness, random) },
      ]),
    ),
    ...[2, 15].flatMap((count) => {
      const labels = zipfLabels(count);
      return labelProcesses(labels).map((process) =>
        cell(`${count} labels, ${process.name}, ${at.name}`, isOfUsers(process.name), at, (random) => {
          const users = byUser(drawnLabels(labels, process, SPOILED, at, random));
          return (["f1", "precision", "recall"] as const).map((name) => ({
            metric: labels[name],
            truth: -labelLoss(labels, process, SPOILED, labelScores[name]),
            users,
          }));
        }),
      );
    }),
  ]);

const sizes = [size(10, 5), size(20, 5), size(30, 1, 12)];
const LOSS = 0.05;
/** In units of MAE, and of RMSE. */
const FAR_LOSS = 0.3;
/** One answer in a dozen moves as much as all others: 10 users of 5 mostly have two or three of them. */
const FAR = "rare far answers";
const SPOILED = 0.15;
const SHARE_LOSS = 0.04;

/** A process in which a few users make the loss. */
const isOfUsers = (name: string): boolean => /users fail|few fail|all of whom fail|heavy-tailed|give up/.test(name);

interface Drawn {
  readonly metric: Metric;
  readonly truth: number;
  readonly users: readonly PairedUser[];
}

const cell = (name: string, ofUsers: boolean, at: Size, draw: (random: Random) => readonly Drawn[]): Cell => ({
  part: "differences",
  name,
  run(samples) {
    const tally = new Tally();
    const kinds = new Map<string, boolean>();
    for (let sample = 0; sample < samples; sample++)
      for (const { metric, truth, users } of draw(sampleOf(`differences ${name}`, sample))) {
        const golds = () => users.flatMap(({ a }) => a.map(({ gold }) => gold));
        const isRare = sparseLabels(metric, golds).sparseLabels !== undefined;
        const kind = `${metric.name}${isRare ? ", labels of fewer than 5 golds" : ""}`;
        const { low, high } = studentDifference(requestOf(metric, users))!.interval;
        kinds.set(kind, isRare);
        tally.add(`${kind} of`, true);
        tally.add(kind, low <= truth + ROUNDING && high >= truth - ROUNDING);
      }
    return [...kinds].flatMap(([kind, isRare]) => {
      const counts = { hits: tally.of(kind), of: tally.of(`${kind} of`) };
      if (counts.of < samples / 10) return [];
      if (ofUsers) return [{ what: `held, ${kind}, a few users make the loss`, ...counts }];
      if (isRare) return [{ what: `held, ${kind}`, ...counts }];
      return at.users < 20
        ? [{ what: `held, ${kind}, 10 users`, ...(name.includes(FAR) ? {} : { least: 0.88 }), ...counts }]
        : [{ what: `held, ${kind}`, least: 0.9, ...counts }];
    });
  },
});

const byUser = (questions: readonly PairedQuestion[]): PairedUser[] =>
  [...groupBy(questions, ({ user }) => user).values()].map((ofUser) => ({
    a: ofUser.map(({ baseline }) => baseline[0]!),
    b: ofUser.map(({ candidate }) => candidate[0]!),
  }));

/** One in five answers has nothing of its gold; B's have a tenth less than A's, each drawn by itself around its user's own mean. */
function shares({ users, questions: [low, high] }: Size, likeness: number, random: Random): PairedUser[] {
  const mean = SHARE_LOSS / (0.8 * 0.1);
  return Array.from({ length: users }, () => {
    const own = Math.min(0.999, Math.max(0.001, beta(mean, likeness, random)));
    const count = low + random.below(high - low + 1);
    const values = (ofUser: number) =>
      Array.from({ length: count }, () => ({
        gold: "",
        prediction: String(random.next() < 0.2 ? 0 : beta(ofUser, 0.3, random)),
      }));
    return { a: values(own), b: values(0.9 * own) };
  });
}

const ROUNDING = 1e-9;
