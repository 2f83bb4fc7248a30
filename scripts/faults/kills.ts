import { seeded } from "../../src/random/seeded.js";
import { commandNames, type KillCounts, killedAt, openKillBench } from "./kills/kill-bench.js";

/**
 * `npm run faults -- kills [POINTS] [SEED]`: real processes of every command that works for long or writes much are killed (SIGKILL)
 * at so many random points and the same command is given again; exit code 1 where that ends otherwise than an uninterrupted one.
 */
export async function main([points = "200", seed = "kills"]: readonly string[]): Promise<void> {
  const bench = await openKillBench();
  const random = seeded(seed);
  const counts = new Map<string, KillCounts>();
  try {
    for (let n = 0; n < Number(points); n++) {
      const name = commandNames[n % commandNames.length]!;
      const before = counts.get(name) ?? { points: 0, ended: 0, offences: [] };
      const { ended, offence } = await killedAt(bench, name, random.next(), `point-${n}`);
      if (offence !== undefined) console.log(`${n} (${name}): ${offence}`);
      counts.set(name, {
        points: before.points + 1,
        ended: before.ended + Number(ended),
        offences: offence === undefined ? before.offences : [...before.offences, offence],
      });
    }
  } finally {
    await bench.close();
  }
  console.log("command   points  killed  ended before  other than uninterrupted");
  for (const [name, { points, ended, offences }] of counts)
    console.log(
      [name.padEnd(8), String(points).padStart(7), String(points - ended).padStart(7), String(ended).padStart(13)]
        .concat(String(offences.length).padStart(25))
        .join(" "),
    );
  if ([...counts.values()].some(({ offences }) => offences.length > 0)) process.exitCode = 1;
}
