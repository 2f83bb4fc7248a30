import { cuts, refusals } from "../../test/helpers/failing-disk.js";
import { fullAt, openBench, refusedAt } from "./disk/full-disk.js";

/**
 * `npm run faults -- disk [STEP] [FROM] [TO]`: a run on a disk that is full after every STEPth byte (those from FROM to TO), and with
 * every call refused in every way; exit code 1 where a promise breaks.
 */
export async function main([step = "1", from = "0", to = "Infinity"]: readonly string[]): Promise<void> {
  const bench = await openBench();
  let offended = 0;
  const say = (name: string, { cases, offences }: Awaited<ReturnType<typeof fullAt>>): void => {
    console.log(`${name}: ${cases} cases, ${offences.length} offences`);
    for (const offence of offences.slice(0, 10)) console.log(`  ${offence}`);
    offended += offences.length;
  };
  try {
    const points = steps(bench.bytes, Number(step)).filter((at) => at >= Number(from) && at < Number(to));
    console.log(`the run writes ${bench.bytes} bytes in ${bench.changes} calls that change something`);
    for (let i = 0; i < points.length; i += SLICE)
      say(`full disk, from byte ${points[i]}`, await fullAt(bench, points.slice(i, i + SLICE)));
    for (const fault of [...refusals, ...cuts, "short"] as const)
      say(fault, await refusedAt(bench, steps(bench.changes, 1), fault));
  } finally {
    bench.close();
  }
  if (offended > 0) process.exitCode = 1;
}

/** Points between two lines of progress. */
const SLICE = 1000;

const steps = (end: number, step: number): number[] =>
  Array.from({ length: Math.ceil(end / step) }, (_, i) => i * step);
