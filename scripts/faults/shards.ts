import { methods } from "../../src/methods/index.js";
import { seeded } from "../../src/random/seeded.js";
import { streamedUsers } from "./shards/large-data.js";
import { playShards, type ShardsPlay } from "./shards/play.js";

/**
 * `npm run faults -- shards [SHARDS] [METHODS] [SEED]`: every registered method, offline and --online, in so many shards, each a
 * process, one killed (SIGKILL) and begun again. Among the methods: `together`, all of them in one run; `streamed`,
 * `rag` on data read from their places. Exit code 1 where no process was killed, or
 * the merge differs from the run of one process.
 */
export async function main([
  shards = "8",
  named = [...methods.names, ...Object.keys(special)].join(),
  seed = "shards",
]: readonly string[]): Promise<void> {
  let [games, kills, broken] = [0, 0, 0];
  console.log("method                      mode     rows  killed at       tries  other than one process");
  for (const name of named.split(","))
    for (const mode of [[], ["--online"]]) {
      const game = gameOf(name);
      const share = game.share ?? seeded(`${seed} ${name} ${mode.join()}`).next() * 0.9; // the same whichever others are named
      const asked = [...game.asked, ...mode];
      const { rows, killed, offences } = await playShards({ ...game, asked, shards: Number(shards), share });
      const at = killed === undefined ? "NOT KILLED" : `${killed.rows} of ${killed.of} rows`;
      const columns = [name.padEnd(26), (mode[0] ?? "offline").padEnd(8), String(rows).padStart(5), at.padStart(15)];
      console.log(`${columns.join(" ")} ${String(killed?.tries ?? "-").padStart(6)}  ${offences.length}`);
      for (const offence of offences) console.log(`  ${offence}`);
      games += 1;
      if (killed !== undefined) kills += 1;
      broken += offences.length;
    }
  console.log(`${games} games, ${kills} processes killed, ${broken} offences`);
  if (broken > 0) process.exitCode = 1;
}

type Game = Omit<ShardsPlay, "share" | "shards"> & { readonly share?: number };

/** A pool of all other users; nothing that all users share is asked of a model: shards refuse that. */
const knobs = ["--set", "others=all", "--set", "rums.entropy=sample", "--set", "align.iterations=1"];

const ofDemo = (method: string): string[] => ["run", "-t", "lamp2m", "-m", method, "--queries-per-user", "2", ...knobs];

const special: Readonly<Record<string, Game>> = {
  together: { asked: ofDemo(methods.names.join()) },
  streamed: { asked: ["run", "-t", "lamp3", "-m", "rag"], makeData: streamedUsers },
};

const gameOf = (name: string): Game => special[name] ?? { asked: ofDemo(name) };
