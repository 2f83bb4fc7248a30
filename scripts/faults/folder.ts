import { seeded } from "../../src/random/seeded.js";
import { openDamageBench, spoilt } from "./damage/bench.js";

/**
 * `npm run faults -- folder [COUNT] [SEED]`: so many spoilt files of finished runs that hold every kind of file; each time
 * report, compare, gate, export, verify and the same command. Exit code 1 where one gives a trace, or other output without a word.
 */
export async function main([count = "5000", seed = "folder"]: readonly string[]): Promise<void> {
  const bench = await openDamageBench();
  const random = seeded(seed);
  const byFile = new Map<string, number>();
  let offended = 0;
  try {
    for (let n = 1; n <= Number(count); n++) {
      const run = bench.runs[random.below(bench.runs.length)]!;
      const file = run.files[random.below(run.files.length)]!;
      const kind = random.below(4);
      byFile.set(`${run.name}/${file}`, (byFile.get(`${run.name}/${file}`) ?? 0) + 1);
      const offence = await spoilt(bench, run, file, (bytes) => spoiltBytes(bytes, kind, random));
      if (n % 100 === 0) console.log(`${n} spoilt runs so far, ${offended} offences`);
      if (offence === undefined) continue;
      offended += 1;
      console.log(`${n} (${run.name}/${file}, kind ${kind}): ${offence}`);
    }
  } finally {
    await bench.close();
  }
  for (const [file, times] of [...byFile].sort()) console.log(`${file}: ${times}`);
  console.log(`${count} spoilt runs, ${offended} offences`);
  if (offended > 0) process.exitCode = 1;
}

/** A flipped bit, a cut end, a lost stretch, or a stretch written over. */
export function spoiltBytes(bytes: Buffer, kind: number, random: { below(n: number): number }): Buffer {
  const at = random.below(bytes.length);
  const length = 1 + random.below(40);
  if (kind === 1) return bytes.subarray(0, at);
  if (kind === 2) return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
  const changed = Buffer.from(bytes);
  if (kind === 0) changed[at] = bytes[at]! ^ (1 << random.below(8));
  else for (let i = at; i < Math.min(bytes.length, at + length); i++) changed[i] = random.below(256);
  return changed;
}
