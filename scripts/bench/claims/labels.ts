import { labelProcesses, pairedLabels, zipfLabels } from "../simulation/labels.js";
import { type Size, sampleOf, size } from "../simulation/losses.js";
import { ALPHA, type Cell } from "./cell.js";
import { gatedCounts } from "./gated.js";

/** Macro-F1 over 15 Zipf labels, and over 2, of runs worse by just the margin; every sample has other users. */
export const labelCells = (): Cell[] =>
  [2, 15].flatMap((count) => {
    const labels = zipfLabels(count);
    return (count === 2 ? [0.05] : [0.05, 0.1]).flatMap((margin) =>
      sizesOf(count).flatMap((at) =>
        labelProcesses(labels).flatMap((process): Cell[] => {
          const draw = pairedLabels(labels, process, margin);
          const name = `${count} labels, ${process.name}, ${at.name}, margin ${margin}`;
          if (draw === undefined) return [];
          return [
            {
              part: "labels",
              name,
              run(samples) {
                const { users } = gatedCounts(["users"], {
                  metric: labels.f1,
                  margin,
                  samples,
                  draw: (sample) => draw(at, sampleOf(name, sample)),
                });
                return [{ what: "pass, macro-F1", hits: users, of: samples, most: ALPHA + 0.01 }];
              },
            },
          ];
        }),
      ),
    );
  });

/** Of 15 labels some are too rare for a claim in 24 users of 3. */
const sizesOf = (count: number): Size[] => [
  ...(count === 2 ? [size(24, 3)] : []),
  size(30, 10),
  size(100, 10),
  size(300, 3),
  size(60, 1, 30),
];
