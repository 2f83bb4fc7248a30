import { methods } from "../../src/methods/index.js";
import { seeded } from "../../src/random/seeded.js";
import { playShards } from "./shards/play.js";

/**
 * `npm run faults -- shards [SHARDS] [METHODS] [SEED]`: every registered method, offline and --online, in so many shards, each a
 * process, one killed (SIGKILL) and begun again; exit code 1 where the merge differs from the run of one process.
 */
export async function main([
  shards = "8",
  named = methods.names.join(),
  seed = "shards",
]: readonly string[]): Promise<void> {
  const random = seeded(seed);
  let broken = 0;
  console.log("method                      mode     rows  killed at       other than one process");
  for (const method of named.split(","))
    for (const mode of [[], ["--online"]]) {
      const share = random.next() * 0.9;
      const asked = ["run", "-t", "lamp2m", "-m", method, "--queries-per-user", "2", ...knobs, ...mode];
      const { rows, killed, offences } = await playShards({ asked, shards: Number(shards), share });
      const at = killed === undefined ? "had ended" : `${killed.rows} of ${killed.of} rows`;
      const columns = [method.padEnd(26), (mode[0] ?? "offline").padEnd(8), String(rows).padStart(5), at.padStart(15)];
      console.log(`${columns.join(" ")} ${offences.length}`);
      for (const offence of offences) console.log(`  ${offence}`);
      broken += offences.length;
    }
  if (broken > 0) process.exitCode = 1;
}

// --- internal ---

/** A pool of all other users, and reports of communities, which all users of an arm share. */
const knobs = ["--set", "others=all", "--set", "graph-rag.reports=llm", "--set", "align.iterations=1"];
