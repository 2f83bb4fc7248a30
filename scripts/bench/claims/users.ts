import { largeFail, pairedAnswers, processes, sampleOf, sharedNoise, size } from "../simulation/losses.js";
import { ALPHA, type Cell } from "./cell.js";
import { gatedCounts, yesNo } from "./gated.js";

/** Runs worse by just the margin, in many ways; every sample has other users. */
export const userCells = (): Cell[] =>
  [0.03, 0.05, 0.1].flatMap((margin) =>
    [size(12, 50), size(30, 10), size(100, 10), size(300, 3), unequal].flatMap((at) =>
      [
        ...processes.map(({ name }, p) => ({
          name,
          draw: (sample: number) =>
            pairedAnswers(processes[p]!, at, margin, sampleOf(`${name} ${at.name} ${margin}`, sample)),
        })),
        ...(at === unequal
          ? [
              {
                name: large.name,
                draw: (sample: number) =>
                  pairedAnswers(large, at, margin, sampleOf(`${large.name} ${at.name} ${margin}`, sample)),
              },
            ]
          : []),
        {
          name: "noise that a run shares (sd .03), 3 repeats each",
          draw: (sample: number) =>
            sharedNoise(
              { sd: 0.03, repeats: { baseline: 3, run: 3 } },
              at,
              margin,
              sampleOf(`shared ${at.name} ${margin}`, sample),
            ),
        },
      ].map(({ name, draw }) => ({
        part: "users",
        name: `${name}, ${at.name}, margin ${margin}`,
        run(samples) {
          const { users } = gatedCounts(["users"], { metric: yesNo, margin, samples, draw });
          return [{ what: "pass", hits: users, of: samples, most: ALPHA }];
        },
      })),
    ),
  );

const unequal = size(60, 1, 30);
const large = largeFail(30);
