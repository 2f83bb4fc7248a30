import { sampleOf, sharedNoise, size } from "../simulation/losses.js";
import { ALPHA, type Cell } from "./cell.js";
import { gatedCounts, yesNo } from "./gated.js";

const MARGIN = 0.08;

/** Noise that all answers of a run share, seen by repeats; one repeat each is printed beside, since nothing can see it there. */
export const sharedNoiseCells = (): Cell[] =>
  [0.02, 0.04].flatMap((sd) =>
    [size(30, 10), size(100, 5), size(300, 1)].flatMap((at) =>
      [
        { baseline: 3, run: 3 },
        { baseline: 3, run: 1 },
        { baseline: 1, run: 1 },
      ].map((repeats): Cell => {
        const name = `sd ${sd}, ${at.name}, margin ${MARGIN}, repeats ${repeats.baseline} and ${repeats.run}`;
        return {
          part: "shared-noise",
          name,
          run(samples) {
            const { users, set } = gatedCounts(["users", "set"], {
              metric: yesNo,
              margin: MARGIN,
              samples,
              draw: (sample) => sharedNoise({ sd, repeats }, at, MARGIN, sampleOf(name, sample)),
            });
            const seen = repeats.baseline > 1;
            const kind = seen ? "" : ", one repeat each";
            return [
              {
                what: `pass for users${kind}`,
                hits: users,
                of: samples,
                ...(seen ? { most: ALPHA } : {}),
              },
              {
                what: `pass for the set${kind}`,
                hits: set,
                of: samples,
                ...(seen ? { most: ALPHA + 0.01 } : {}),
              },
            ];
          },
        };
      }),
    ),
  );
