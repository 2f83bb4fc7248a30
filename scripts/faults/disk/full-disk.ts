import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countingDisk, faultyCall, fullDisk } from "../../../test/helpers/failing-disk.js";
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
  writeReviews(join(cwd, "data"), [reviewUser("ann", 2, 1), reviewUser("bob", 2, 1)]);
  const command = (out: string): string => `run --task lamp3 --method pag --data data --concurrency 1 --out ${out}`;
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
export const refusedAt = (
  bench: Bench,
  at: Iterable<number>,
  fault: Parameters<typeof faultyCall>[1],
): Promise<DiskFaults> => faultsOf(bench, at, (n) => faultyCall(n, fault), `${fault} at call`);

// --- internal ---

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

/** A copy of the uninterrupted run with `change` made to one file; what report, the same command and verify then do. */
export async function spoiltRun(
  { cwd, command, whole }: Bench,
  name: string,
  change: (bytes: Buffer) => Buffer | undefined,
  out: string,
): Promise<string | undefined> {
  const { writeFileSync } = await import("node:fs");
  cpSync(join(cwd, "whole"), join(cwd, out), { recursive: true });
  const path = join(cwd, out, name);
  const spoilt = change(readFileSync(path));
  if (spoilt === undefined) return undefined;
  writeFileSync(path, spoilt);
  try {
    const before = await runCommandLine(`report ${out}`, { cwd });
    if (before.stderr.includes("internal error")) return `report: ${before.stderr}`;
    const shown = before.code === 0 ? before.stdout : undefined;
    const sound = (await runCommandLine("report whole", { cwd })).stdout;
    if (shown !== undefined && shown !== sound) return "report shows other numbers without a word";
    const again = await runCommandLine(command(out), { cwd });
    if (again.stderr.includes("internal error")) return `run: ${again.stderr}`;
    if (again.code !== 0 && again.code !== 2) return `run: exit ${again.code}`;
    if (again.code === 0 && JSON.stringify(comparable(join(cwd, out))) !== JSON.stringify(whole))
      return "the same command gives other records or tables";
    const verified = await runCommandLine(`verify ${out} --data data`, { cwd });
    return verified.stderr.includes("internal error") ? `verify: ${verified.stderr}` : undefined;
  } finally {
    rmSync(join(cwd, out), { recursive: true, force: true });
  }
}
