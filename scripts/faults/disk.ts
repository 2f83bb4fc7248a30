import { fullAt, openBench, refusedAt } from "./disk/full-disk.js";

const refusals = ["ENOSPC", "EROFS", "EACCES", "EPERM", "EIO", "EDQUOT", "short"] as const;

/** `npm run faults -- disk [STEP]`: a run on a disk that is full after every STEPth byte, and with every call refused in every way; exit code 1 where a promise breaks. */
export async function main([step = "1"]: readonly string[]): Promise<void> {
  const bench = await openBench();
  let offended = 0;
  const say = (name: string, { cases, offences }: Awaited<ReturnType<typeof fullAt>>): void => {
    console.log(`${name}: ${cases} cases, ${offences.length} offences`);
    for (const offence of offences.slice(0, 10)) console.log(`  ${offence}`);
    offended += offences.length;
  };
  try {
    say("full disk", await fullAt(bench, steps(bench.bytes, Number(step))));
    for (const fault of refusals) say(fault, await refusedAt(bench, steps(bench.changes, 1), fault));
  } finally {
    bench.close();
  }
  if (offended > 0) process.exitCode = 1;
}

const steps = (end: number, step: number): number[] =>
  Array.from({ length: Math.ceil(end / step) }, (_, i) => i * step);
