import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countingDisk, type DiskFault, faultyCall, fullDisk } from "../../../test/helpers/failing-disk.js";
import { reviewUser, writeReviews } from "../../../test/helpers/review-data.js";
import { comparable } from "../../../test/helpers/run-folder.js";
import { runCommandLine } from "../../../test/helpers/test-io.js";

/** What a failing disk did to a tiny run of the embedded model. */
export interface DiskFaults {
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
