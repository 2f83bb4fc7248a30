import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countingDisk, type DiskFault, faultyCall, fullDisk } from "../../test/helpers/failing-disk.js";
import { reviewUser, writeReviews } from "../../test/helpers/review-data.js";
import { comparable } from "../../test/helpers/run-folder.js";
import { runCommandLine } from "../../test/helpers/test-io.js";

/**
 * `npm run faults -- disk [STEP]`: a run on a disk that is full after every STEPth byte, and with every fifth call that changes something
 * refused or made short; exit code 1 where a promise breaks.
 */
export async function main([step = "200"]: readonly string[]): Promise<void> {
  const bench = await openBench();
  let offended = 0;
  const say = (name: string, { cases, offences }: DiskFaults): void => {
    console.log(`${name}: ${cases} cases, ${offences.length} offences`);
    for (const offence of offences.slice(0, 10)) console.log(`  ${offence}`);
    offended += offences.length;
  };
  try {
    console.log(`the run writes ${bench.bytes} bytes in ${bench.changes} calls that change something`);
    say("full disk", await fullAt(bench, steps(bench.bytes, Number(step))));
    for (const fault of ["ENOSPC", "EROFS", "EIO", "short"] as const)
      say(fault, await refusedAt(bench, steps(bench.changes, 5), fault));
  } finally {
    bench.close();
  }
  if (offended > 0) process.exitCode = 1;
}

const steps = (end: number, step: number): number[] =>
  Array.from({ length: Math.ceil(end / step) }, (_, i) => i * step);

/** What a failing disk did to a tiny run of the embedded model. */
interface DiskFaults {
  readonly cases: number;
  /** What broke a promise, with its case. */
  readonly offences: readonly string[];
}

/** A folder with data, a run of it, and the same files of an uninterrupted run. */
export interface Bench {
  readonly cwd: string;
  readonly command: (out: string) => string;
  readonly whole: Record<string, string>;
  /** Bytes that the uninterrupted run writes, and calls that change something. */
  readonly bytes: number;
  readonly changes: number;
  close(): void;
}

export async function openBench(): Promise<Bench> {
  const cwd = mkdtempSync(join(tmpdir(), "lamp-eval-faults-"));
  writeReviews(join(cwd, "data"), [reviewUser("ann", 1, 1)]);
  const command = (out: string): string => `run --task lamp3 --method prompt --data data --concurrency 1 --out ${out}`;
  const disk = countingDisk();
  const { code, stderr } = await runCommandLine(command("whole"), { cwd });
  disk.restore();
  if (code !== 0) throw new Error(stderr);
  const close = (): void => rmSync(cwd, { recursive: true, force: true });
  const counted = { bytes: disk.written(), changes: disk.changes.length };
  return { cwd, command, whole: comparable(join(cwd, "whole")), ...counted, close };
}

/** A disk that is full after n bytes, for the given n. */
export const fullAt = (bench: Bench, at: Iterable<number>): Promise<DiskFaults> =>
  faultsOf(bench, at, (n) => fullDisk(n), "full after byte");

/** The nth changing call refused or shortened. */
export const refusedAt = (bench: Bench, at: Iterable<number>, fault: DiskFault): Promise<DiskFaults> =>
  faultsOf(bench, at, (n) => faultyCall(n, fault), `${fault} at call`);

async function faultsOf(
  { cwd, command, whole }: Bench,
  at: Iterable<number>,
  spoil: (n: number) => { restore(): void },
  name: string,
): Promise<DiskFaults> {
  const offences: string[] = [];
  let cases = 0;
  for (const n of at) {
    const out = `run-${cases++}`;
    const offence = (what: string): number => offences.push(`${name} ${n}: ${what}`);
    const disk = spoil(n);
    const first = await runCommandLine(command(out), { cwd }).finally(disk.restore);
    const said = first.stderr.split("\n").at(-1) ?? "";
    if (first.stderr.includes("internal error")) offence(first.stderr);
    if (first.code !== 0 && !(first.code === 2 && /^lamp-eval: \S+: [^;]+; [^;]+; .* goes on$/.test(said)))
      offence(`exit ${first.code}: ${said}`);
    const second = await runCommandLine(command(out), { cwd });
    if (second.code !== 0) offence(`the same command: exit ${second.code}: ${second.stderr}`);
    else if (JSON.stringify(comparable(join(cwd, out))) !== JSON.stringify(whole)) offence("other records or tables");
    if (existsSync(join(cwd, out, "damaged.jsonl"))) offence("something was set aside");
    rmSync(join(cwd, out), { recursive: true, force: true });
  }
  return { cases, offences };
}
