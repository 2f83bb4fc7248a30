import { seeded } from "../../src/random/seeded.js";
import { openBench, spoiltRun } from "./disk/full-disk.js";

const files = [
  "manifest.json",
  "rows.jsonl",
  "units.jsonl",
  "traces.jsonl",
  "timings.jsonl",
  "responses.jsonl",
] as const;

/** `npm run faults -- folder [COUNT] [SEED]`: so many spoilt files of a finished run, each then reported, run again and verified; exit code 1 where one gives a trace or another number in silence. */
export async function main([count = "5000", seed = "folder"]: readonly string[]): Promise<void> {
  const bench = await openBench();
  const random = seeded(seed);
  let offended = 0;
  try {
    for (let n = 0; n < Number(count); n++) {
      const name = files[random.below(files.length)]!;
      const kind = random.below(4);
      const offence = await spoiltRun(bench, name, (bytes) => spoilt(bytes, kind, random), `spoilt-${n}`);
      if (offence === undefined) continue;
      offended += 1;
      if (offended <= 10) console.log(`${n} (${name}, kind ${kind}): ${offence}`);
    }
  } finally {
    bench.close();
  }
  console.log(`${count} spoilt runs, ${offended} offences`);
  if (offended > 0) process.exitCode = 1;
}

/** A flipped bit, a cut end, a lost stretch, or a stretch written over. */
export function spoilt(bytes: Buffer, kind: number, random: { below(n: number): number }): Buffer {
  const at = random.below(bytes.length);
  const length = 1 + random.below(40);
  if (kind === 1) return bytes.subarray(0, at);
  if (kind === 2) return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
  const changed = Buffer.from(bytes);
  if (kind === 0) changed[at] = bytes[at]! ^ (1 << random.below(8));
  else for (let i = at; i < Math.min(bytes.length, at + length); i++) changed[i] = random.below(256);
  return changed;
}
