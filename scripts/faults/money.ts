import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { playMoney } from "./money/play.js";

/** `npm run faults -- money [COUNT] [SEED]`: so many random schedules against a server that counts; exit code 1 on a broken promise. */
export async function main([count = "300", seed = "money"]: readonly string[]): Promise<void> {
  const total = { billed: 0, counted: 0, timedOut: 0, kills: 0, capped: 0 };
  const offences: string[] = [];
  for (let n = 1; n <= Number(count); n++) {
    const cwd = mkdtempSync(join(tmpdir(), "lamp-eval-money-"));
    const play = await playMoney(`${seed}/${n}`, cwd);
    rmSync(cwd, { recursive: true, force: true });
    total.billed += play.billed;
    total.counted += play.counted;
    total.timedOut += play.timedOut;
    total.kills += play.kills;
    total.capped += play.capped ? 1 : 0;
    offences.push(...play.offences);
  }
  const { billed, counted, timedOut, kills, capped } = total;
  console.log(
    `${count} schedules, ${kills} kills, ${timedOut} timed out, ${capped} ended at their cap: ${billed} billed, ${counted} counted`,
  );
  for (const offence of offences.slice(0, 20)) console.log(offence);
  console.log(`${offences.length} broken promises`);
  if (offences.length > 0) process.exitCode = 1;
}
