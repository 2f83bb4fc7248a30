import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { seeded } from "../../src/random/seeded.js";
import { median } from "../../src/statistics/quantile.js";
import { reviewUser, writeReviews } from "../../test/helpers/review-data.js";
import { killOnce } from "./kill/kill.js";

const IN_FLIGHT = 50;
const LATENCY_MS = 50;

/**
 * `npm run faults -- kill [KILLS] [PROGRAM]`: SIGKILL at 50 calls in flight, 50 ms each; prints the replies that the server had
 * sent in full and the run folder lacks, and how long before the kill they were sent.
 */
export async function main([kills = "20", program = "bin/lamp-eval.js"]: readonly string[]): Promise<void> {
  const cwd = mkdtempSync(join(tmpdir(), "lamp-eval-kill-"));
  const random = seeded("kill");
  const users = Array.from({ length: 600 }, (_, i) => reviewUser(`u${i}`, 9, 4));
  writeReviews(join(cwd, "reviews"), users);
  const ages: number[] = [];
  const counts: number[] = [];
  for (let n = 1; n <= Number(kills); n++) {
    const after = 150 + Math.floor(random.next() * 500);
    const laterMs = random.next() * LATENCY_MS;
    const place = { cwd, out: `killed-${n}`, program: resolve(program) };
    const { sent, stored, agesMs } = await killOnce({
      ...place,
      inFlight: IN_FLIGHT,
      latencyMs: LATENCY_MS,
      after,
      laterMs,
    });
    console.log(
      `${n}: ${sent} sent, ${stored} stored, ${agesMs.length} lost; ${agesMs.map((ms) => ms.toFixed(0)).join(" ")} ms`,
    );
    ages.push(...agesMs);
    counts.push(agesMs.length);
  }
  rmSync(cwd, { recursive: true, force: true });
  const longest = Math.max(0, ...ages).toFixed(0);
  const typical =
    ages.length === 0
      ? "none lost"
      : `sent ${median(ages)?.toFixed(0)} ms before the kill (median, at most ${longest})`;
  console.log(`${kills} kills: ${median(counts)} lost a kill (median, at most ${Math.max(...counts)}); ${typical}`);
}
