import { mae, rmse } from "../../../src/metrics/index.js";
import type { PairedQuestion } from "../../../src/report/paired.js";
import type { Metric } from "../../../src/types/index.js";
import { pairedAnswers, processes, type Size, sampleOf, size } from "../simulation/losses.js";
import { pairedRatings, ratingProcesses } from "../simulation/ratings.js";
import { ALPHA, type Cell } from "./cell.js";
import { gatedCounts, yesNo } from "./gated.js";

/** The rows of the table that tells which claim to choose: true loss = margin, accuracy .6 or errors of ratings. */
export const tableCells = (): Cell[] => [
  ...processes.slice(0, 7).flatMap((process) => {
    const margin = process.name.startsWith("new persona") ? 0.05 : 0.02;
    return sizes.map((at) =>
      cell(`${process.name}, ${margin}`, at, yesNo, margin, (name, sample) =>
        pairedAnswers(process, at, margin, sampleOf(name, sample)),
      ),
    );
  }),
  ...ratingRows.flatMap(({ metric, process, margin }) =>
    sizes.map((at) =>
      cell(`${metric.title}: ${process.name}, ${margin}`, at, metric, margin, (name, sample) =>
        pairedRatings(process, metric.name, at, margin, sampleOf(name, sample)),
      ),
    ),
  ),
];

const sizes = [size(12, 50), size(24, 20), size(30, 10), size(100, 10), size(300, 3), size(300, 10)];

const ratingRows = [
  { metric: rmse, process: ratingProcesses[2]!, margin: 0.1 },
  { metric: rmse, process: ratingProcesses[0]!, margin: 0.1 },
  { metric: mae, process: ratingProcesses[0]!, margin: 0.056 },
];

const cell = (
  row: string,
  at: Size,
  metric: Metric,
  margin: number,
  draw: (name: string, sample: number) => PairedQuestion[],
): Cell => ({
  part: "table",
  name: `${row}, at ${at.name}`,
  run(samples) {
    const { users, set } = gatedCounts(["users", "set"], {
      metric,
      margin,
      samples,
      draw: (sample) => draw(`table ${row} ${at.name}`, sample),
    });
    return [
      { what: "pass for users", hits: users, of: samples, most: ALPHA },
      { what: "pass for the set, of other users", hits: set, of: samples },
    ];
  },
});
