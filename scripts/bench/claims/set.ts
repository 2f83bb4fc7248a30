import { fixedProcesses, fixedSet } from "../simulation/fixed-set.js";
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
        run(samples, old) {
          const draw = fixedSet(process, at, MARGIN, sampleOf(`${process.name} ${at.name}`, 0));
          const { set, regress, before } = gatedCounts(["set", "regress"], {
            metric: yesNo,
            margin: MARGIN,
            samples,
            old,
            draw: (sample) => draw(sampleOf(`${process.name} ${at.name} again`, sample)),
          });
          const most = ALPHA + 0.01;
          return [
            { what: "pass", hits: set, of: samples, most, ...before },
            { what: "regress", hits: regress, of: samples, most },
          ];
        },
      }),
    ),
  );
