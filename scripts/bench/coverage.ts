import type { Population } from "./simulation/clustered-users.js";
import { type Coverage, coverageOf } from "./simulation/coverage.js";

const DEFAULT_SAMPLES = 1000;

/**
 * `npm run bench -- coverage [--samples 1000]`: how often the 95 % intervals of reports hold the truth, over simulated users
 * with unequal numbers of questions and answers that are alike. The exit code is 1 where a mean leaves 93 to 97 % by more
 * than Monte-Carlo error (three standard errors).
 */
export async function main(args: readonly string[]): Promise<void> {
  const at = args.indexOf("--samples");
  const samples = at < 0 ? DEFAULT_SAMPLES : Number(args[at + 1]);
  const error = 3 * Math.sqrt((0.95 * 0.05) / samples);
  console.log(
    `${samples} samples a line; percent covered (misses: interval too high/too low); a line is MISSED outside ${percent(0.93 - error)} to ${percent(0.97 + error)}: 93 to 97, and three standard errors of ${percent(error / 3)}`,
  );
  for (const population of [...ordinary(), ...corners]) {
    const found = coverageOf(population, samples, "coverage");
    const missed =
      !corners.includes(population) && found.some(({ covered }) => covered < 0.93 - error || covered > 0.97 + error);
    if (missed) process.exitCode = 1;
    console.log(`${lineOf(population)}  ${found.map(cellOf).join("  ")}${missed ? "  MISSED" : ""}`);
  }
}

// --- internal ---

function ordinary(): Population[] {
  const all: Population[] = [];
  for (const users of [30, 100])
    for (const questions of [
      [5, 5],
      [1, 30],
    ] as const)
      for (const likeness of [0, 0.2, 0.5])
        for (const chance of [0.5, 0.8]) all.push({ users, questions, likeness, chance });
  return all;
}

/** Where no interval of so few users, or of labels so rare, can know better: printed, not judged. */
const corners: readonly Population[] = [
  { users: 10, questions: [1, 30], likeness: 0.2, chance: 0.5 },
  { users: 30, questions: [1, 30], likeness: 0.5, chance: 0.95 },
  { users: 100, questions: [1, 30], likeness: 0.5, chance: 0.95 },
  { users: 24, questions: [3, 3], likeness: 0, chance: 0.5, labels: 15 },
  { users: 50, questions: [3, 3], likeness: 0, chance: 0.5, labels: 15 },
  { users: 100, questions: [3, 3], likeness: 0, chance: 0.5, labels: 15 },
];

const lineOf = ({ users, questions: [low, high], likeness, chance, labels }: Population): string =>
  `${String(users).padStart(3)} users, ${low}..${high} questions, likeness ${likeness}, chance ${chance}${labels === undefined ? "" : `, ${labels} labels`}:`.padEnd(
    68,
  );

const percent = (share: number): string => (100 * share).toFixed(1);

const cellOf = ({ metric, covered, above, below }: Coverage): string =>
  `${metric} ${percent(covered)} (${percent(above)}/${percent(below)})`;
