import { mae, rmse } from "../../../src/metrics/index.js";
import { sampleOf, size } from "../simulation/losses.js";
import { pairedRatings, ratingProcesses } from "../simulation/ratings.js";
import { ALPHA, type Cell } from "./cell.js";
import { gatedCounts } from "./gated.js";

/** MAE and RMSE of runs worse by just the margin; every sample has other users. */
export const ratingCells = (): Cell[] =>
  [mae, rmse].flatMap((metric) =>
    [0.1, 0.3].flatMap((margin) =>
      [size(12, 50), size(30, 10), size(100, 10), size(300, 3), size(60, 1, 30)].flatMap((at) =>
        ratingProcesses.map((process): Cell => {
          const name = `${metric.title}, ${process.name}, ${at.name}, margin ${margin}`;
          return {
            part: "ratings",
            name,
            run(samples) {
              const { users } = gatedCounts(["users"], {
                metric,
                margin,
                samples,
                draw: (sample) => pairedRatings(process, metric.name, at, margin, sampleOf(name, sample)),
              });
              return [{ what: `pass, ${metric.title}`, hits: users, of: samples, most: ALPHA }];
            },
          };
        }),
      ),
    ),
  );
