import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seeded } from "../../src/random/seeded.js";
import type { Random } from "../../src/types/index.js";
import type { Sending } from "../../test/helpers/batch-server.js";
import { type BatchScript, type Crash, playBatch } from "./batch/play.js";

/** `npm run faults -- batch [COUNT] [SEED]`: so many random scripts of crashes and faults; exit code 1 on a broken promise. */
export async function main([count = "200", seed = "batch"]: readonly string[]): Promise<void> {
  const total = { waves: 0, kills: 0, billed: 0, spoilt: 0 };
  const offences: string[] = [];
  for (let n = 1; n <= Number(count); n++) {
    const cwd = mkdtempSync(join(tmpdir(), "lamp-eval-batch-"));
    const play = await playBatch(drawn(seeded(`${seed}/${n}`)), `${seed}/${n}`, cwd);
    rmSync(cwd, { recursive: true, force: true });
    total.waves += play.waves;
    total.kills += play.kills;
    total.billed += play.billed;
    total.spoilt += play.spoilt;
    offences.push(...play.offences);
  }
  const { waves, kills, billed, spoilt } = total;
  console.log(
    `${count} scripts, ${waves} batches, ${kills} kills: ${billed} lines billed, ${spoilt} of them came back spoilt`,
  );
  for (const offence of offences.slice(0, 20)) console.log(offence);
  console.log(`${offences.length} broken promises`);
  if (offences.length > 0) process.exitCode = 1;
}

export function drawn(random: Random): BatchScript {
  const one = <T>(of: readonly T[]): T => of[random.below(of.length)]!;
  const crash = (): Crash => ({
    at: one(["arrived", "taken", "look", "results", "stored"]),
    times: 1 + random.below(9),
  });
  const wire = one(["anthropic", "openai"] as const);
  const sendings: readonly Sending[] = ["taken", "taken", "refused", "failed", "lost", "cut"];
  const all = wire === "openai" ? ([...sendings, "over-limit"] as const) : sendings;
  const share = (): number => (random.below(2) === 0 ? 0 : random.next() * 0.2);
  return {
    wire,
    detach: random.below(3) === 0,
    crashes: Array.from({ length: random.below(4) }, crash),
    sendings: Array.from({ length: random.below(4) }, () => one(all)),
    fates: { expired: share(), canceled: share(), overloaded: share(), malformed: share(), missing: share() },
  };
}
