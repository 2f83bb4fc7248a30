import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PilotOutcome, playPilot } from "./pilot/play.js";

/**
 * `npm run bench -- pilot [SEEDS]`: runs with pilots of 20 among 100 users whose pasts, questions and replies are of log-normal
 * length; how often the full cost lies in the interval, and how far the expected values are off: the pilot's and the dry run's.
 */
export async function main([seeds = "40"]: readonly string[]): Promise<void> {
  const outcomes: PilotOutcome[] = [];
  for (let seed = 0; seed < Number(seeds); seed++) {
    const cwd = mkdtempSync(join(tmpdir(), "lamp-eval-pilot-"));
    outcomes.push(await playPilot(seed, cwd, USERS));
    rmSync(cwd, { recursive: true, force: true });
  }
  const inside = outcomes.filter(({ isInside }) => isInside).length;
  const off = (of: (one: PilotOutcome) => number): string => `${(100 * medianOf(outcomes.map(of))).toFixed(1)} %`;
  console.log(`${outcomes.length} seeds: the full cost lay in the pilot's interval in ${inside}`);
  console.log(`half width, median: ${off(({ half }) => half)} of the cost`);
  console.log(`expected by the pilot, median error: ${off(({ pilotError }) => pilotError)}`);
  console.log(
    `calls sent with a pilot and without: ${outcomes.every(({ sameCalls }) => sameCalls) ? "equal" : "NOT EQUAL"} in all`,
  );
}

const USERS = 100;

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
