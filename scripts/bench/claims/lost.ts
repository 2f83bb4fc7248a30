import { mae, rmse } from "../../../src/metrics/index.js";
import type { PairedQuestion } from "../../../src/report/paired.js";
import type { Metric, Random } from "../../../src/types/index.js";
import {
  type LabelProcess,
  labelProcesses,
  labelScores,
  pairedLabels,
  wrongLabelProcesses,
  zipfLabels,
} from "../simulation/labels.js";
import { type LossProcess, pairedAnswers, processes, type Size, sampleOf, size } from "../simulation/losses.js";
import { pairedRatings, ratingProcesses } from "../simulation/ratings.js";
import { ALPHA, type Cell } from "./cell.js";
import { gatedCounts, yesNo } from "./gated.js";

/**
 * Gates of runs that are worse by just the margin because answers failed, which have the worst value in every bound; and of macro-precision
 * and -recall, the former with wrong labels, as an answer that no label is read from costs it nothing. Every sample has other users.
 */
export const lostCells = (): Cell[] => [
  ...[...sizes, size(60, 1, 30)].flatMap((at) => [
    ...chosen(lostAnswers, at).flatMap((process) =>
      [0.05, 0.1].map((margin) =>
        cell("lost answers, accuracy", yesNo, process.name, at, margin, (random) =>
          failedWhere((hit) => hit === "no", pairedAnswers(process, at, margin, random)),
        ),
      ),
    ),
  ]),
  ...sizes.flatMap((at) => [
    ...[mae, rmse].flatMap((metric) =>
      chosen([ratingProcesses[1]!, ratingProcesses[3]!], at).map((process) =>
        cell(`lost answers, ${metric.title}`, metric, process.name, at, 0.3, (random) =>
          failedWhere((reading) => reading === FAR, pairedRatings(process, metric.name, at, 0.3, random)),
        ),
      ),
    ),
    ...(at.questions[0] === 3 ? [2] : [2, 15]).flatMap((count) => {
      const labels = zipfLabels(count);
      const lost = labelProcesses(labels).slice(0, 4);
      const one = (name: string, what: keyof typeof labelScores, process: LabelProcess, isLost: boolean): Cell[] => {
        const draw = pairedLabels(labels, process, 0.05, labelScores[what]);
        return draw === undefined
          ? []
          : [
              cell(
                `${name}, ${labels[what].title}`,
                labels[what],
                `${count} labels, ${process.name}`,
                at,
                0.05,
                (random) => (isLost ? failedWhere((answer) => answer === "", draw(at, random)) : draw(at, random)),
              ),
            ];
      };
      return [
        ...chosen([lost[1]!, lost[3]!], at).flatMap((process) => one("lost answers", "f1", process, true)),
        ...chosen(wrongLabelProcesses(labels), at).flatMap((process) => one("pass", "precision", process, false)),
        ...chosen([lost[1]!, lost[3]!], at).flatMap((process) => one("pass", "recall", process, false)),
      ];
    }),
  ]),
];

const sizes = [size(100, 10), size(300, 3)];
/** At three questions a user nothing but the first process of each. */
const chosen = <T>(all: readonly T[], at: Size): readonly T[] => (at.questions[0] === 3 ? all.slice(0, 1) : all);
const FAR = "5";

/** Users all of whose answers fail, and users of whom a share of their own fails, heavy-tailed. */
const lostAnswers: readonly LossProcess[] = [processes[0]!, processes[10]!];

/** The changed answers that read so failed: the run has none of them. */
const failedWhere = (isLost: (prediction: string) => boolean, questions: readonly PairedQuestion[]): PairedQuestion[] =>
  questions.map((question) => {
    const [before, after] = [question.baseline[0], question.candidate[0]];
    const changed = after !== undefined && after.prediction !== before?.prediction && isLost(after.prediction);
    return changed ? { ...question, candidate: [undefined] } : question;
  });

const isMacro = (metric: Metric): boolean => metric.labels !== undefined && metric.width > 1;

const cell = (
  what: string,
  metric: Metric,
  process: string,
  at: Size,
  margin: number,
  draw: (random: Random) => PairedQuestion[],
): Cell => {
  const name = `${metric.title}, ${process}, ${at.name}, margin ${margin}`;
  return {
    part: "lost",
    name,
    run(samples) {
      const { users } = gatedCounts(["users"], {
        metric,
        margin,
        samples,
        draw: (sample) => draw(sampleOf(`lost ${name}`, sample)),
      });
      return [{ what, hits: users, of: samples, most: isMacro(metric) ? ALPHA + 0.01 : ALPHA }];
    },
  };
};
