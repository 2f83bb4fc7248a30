import { fixedProcesses, fixedSet, STRUCK_ACCURACY, struckUsers } from "../simulation/fixed-set.js";
import { sampleOf, size } from "../simulation/losses.js";
import { ALPHA, type Cell } from "./cell.js";
import { gatedCounts, yesNo } from "./gated.js";

const MARGIN = 0.05;

/** Users and questions stay, the answers are drawn anew, and the run is worse by just the margin. */
export const setCells = (): Cell[] =>
  fixedProcesses.flatMap((process) =>
    [size(5, 20), size(10, 10), size(20, 10), size(30, 10), size(60, 5), size(100, 3), size(100, 10), size(300, 1)].map(
      (at): Cell => ({
        part: "set",
        name: `${process.name}, ${at.name}, margin ${MARGIN}`,
        run(samples) {
          const draw = fixedSet(process, at, MARGIN, sampleOf(`${process.name} ${at.name}`, 0));
          const { set, regress } = gatedCounts(["set", "regress"], {
            metric: yesNo,
            margin: MARGIN,
            samples,
            draw: (sample) => draw(sampleOf(`${process.name} ${at.name} again`, sample)),
          });
          const most = ALPHA + 0.01;
          return [
            { what: "pass", hits: set, of: samples, most },
            { what: "regress", hits: regress, of: samples, most },
          ];
        },
      }),
    ),
  );

/** What `set` cannot see, so told and not promised: users that fail at random in each run, of whom this run may have had none. */
export const struckCells = (): Cell[] =>
  [0, 0.05].flatMap((anew) =>
    [
      { size: size(10, 10), chance: 0.1 },
      { size: size(20, 10), chance: 0.05 },
      { size: size(30, 10), chance: 0.05 },
      { size: size(40, 5), chance: 0.05 },
      { size: size(100, 10), chance: 0.02 },
    ].map(({ size: at, chance }): Cell => {
      const margin = chance * STRUCK_ACCURACY;
      const name = `users struck at random, ${100 * chance} %, ${100 * anew} % drawn anew, ${at.name}, margin ${margin.toFixed(3)}`;
      return {
        part: "set",
        name,
        run(samples) {
          const { set, users } = gatedCounts(["set", "users"], {
            metric: yesNo,
            margin,
            samples,
            draw: (sample) => struckUsers({ size: at, chance, anew }, sampleOf(name, sample)),
          });
          return [
            { what: "pass, users struck at random in each run", hits: set, of: samples },
            { what: "the same, for users", hits: users, of: samples },
          ];
        },
      };
    }),
  );
