import { ciCells as cells, ciQuestions } from "../simulation/fixed-set.js";
import { sampleOf } from "../simulation/losses.js";
import { ALPHA, type Cell, Tally } from "./cell.js";
import { isWorse } from "./gated.js";

/** `--fail-on worse` of one line of 200 questions: an unchanged run, an even loss of .10, and one that a fifth of the users has. */
export const ciCells = (): Cell[] =>
  cells.map((cell): Cell => {
    const name = `${cell.size.name}, ${cell.anew * 100} % drawn anew`;
    return {
      part: "ci",
      name,
      run(samples) {
        const tally = new Tally();
        for (const loss of ["none", "even", "fifth"] as const)
          for (let sample = 0; sample < samples; sample++) {
            const questions = ciQuestions(cell, loss, sampleOf(`ci ${cell.size.name} ${cell.anew}`, sample));
            tally.add(loss, isWorse(questions));
          }
        const alarms = alarmsOf(cell, Math.ceil(samples / 10));
        return [
          { what: "false alarms", hits: tally.of("none"), of: samples, most: ALPHA },
          { what: "even loss of .10 caught", hits: tally.of("even"), of: samples, least: 0.8 },
          { what: "loss of .10 in a fifth of users caught", hits: tally.of("fifth"), of: samples },
          {
            what: "alarms of 100 commits, one baseline",
            hits: alarms.reduce((sum, count) => sum + count, 0),
            of: 100 * alarms.length,
          },
          { what: "the same, unluckiest of 20 baselines", hits: alarms[Math.floor(0.95 * alarms.length)]!, of: 100 },
        ];
      },
    };
  });

/** How many of a hundred commits that change nothing raise an alarm, for each baseline, rising. */
function alarmsOf(cell: (typeof cells)[number], baselines: number): number[] {
  return Array.from({ length: baselines }, (_, b) => {
    let count = 0;
    for (let commit = 0; commit < 100; commit++) {
      const once = sampleOf(`baseline ${b}`, 0);
      if (isWorse(ciQuestions(cell, "none", once, sampleOf(`baseline ${b} commit`, commit)))) count += 1;
    }
    return count;
  }).sort((a, b) => a - b);
}
