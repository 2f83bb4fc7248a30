import { hash } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../errors.js";
import { openDamage } from "./journal.js";
import type { Manifest } from "./manifest.js";
import { scanLines } from "./record-lines.js";
import { recordFiles, runFiles } from "./run-files.js";

/** What a manifest, or the file of a judge, holds of seals. */
export type SealState = Pick<Manifest, "records" | "kept" | "mending" | "edits">;

/** A record file of a finished run that is not as it was when the run ended. */
export interface BrokenSeal {
  readonly file: string;
  readonly kind: "missing" | "damaged" | "changed" | "unsealed";
  /** The first damaged line. */
  readonly line?: number;
}

/**
 * Seals of the record files that are there, for the manifest of a finished run. `3:<256 bits>`: three records, and the sum of
 * their SHA-256 modulo 2^256. A seal knows nothing of the order of lines, of line ends and of checks.
 */
export function sealsOf(folder: string, files: readonly string[] = recordFiles): Record<string, string> {
  const there = files.filter((name) => existsSync(join(folder, name)));
  return Object.fromEntries(there.map((name) => [name, readSeal(join(folder, name)).seal]));
}

/**
 * What of the record files of a run that has ended is not as it was sealed; nothing in one that never did. `damaged`: a record's own
 * check fails; `changed`: every record is whole, but they are not the ones that were sealed. Of a run that had ended and is at work
 * again only the first records are sealed, as many as a seal counts.
 */
export function checkSeals(
  folder: string,
  { records, kept = {} }: SealState,
  files: readonly string[] = recordFiles,
): BrokenSeal[] {
  const found =
    records === undefined
      ? Object.entries(kept).flatMap(([file, seal]) => brokenIn(folder, file, seal, countOf(seal)))
      : files.flatMap((file) => brokenIn(folder, file, records[file]));
  return found.map((broken) => {
    if (broken.kind !== "changed") return broken;
    const aside = openDamage(folder).find(({ file }) => file === broken.file); // by a process that died before it began
    return aside === undefined ? broken : { file: broken.file, kind: "damaged", line: aside.line };
  });
}

/** What a person is told of a broken seal. */
export function sealLine({ file, kind, line }: BrokenSeal): string {
  const what = {
    missing: "is gone",
    damaged: `line ${line} is damaged`,
    changed: "was changed after the run had ended",
    unsealed: "was added after the run had ended",
  }[kind];
  return `${file} ${what}`;
}

/**
 * Throws UsageError where records of a finished run are not the sealed ones. `shown`: the run as typed. With `mend`
 * damaged records pass: the run that is about to begin does them again. Returns what is broken.
 */
export function refuseBrokenSeals(
  folder: string,
  shown: string,
  manifest: Manifest,
  { mend = false }: { readonly mend?: boolean } = {},
): BrokenSeal[] {
  const all = checkSeals(folder, manifest);
  const broken = all.filter(({ kind }) => !mend || !isMendable(kind));
  if (broken.length === 0) return all;
  const way = broken.every(({ kind }) => isMendable(kind))
    ? "give the command that made the run again: it repairs this, and stored replies are not paid for twice"
    : `put the old file back; a deliberate edit is taken over, and shown for ever, by lamp-eval verify ${shown} --accept-edit REASON`;
  throw new UsageError(`${shown}: ${broken.map(sealLine).join(", ")}; ${way}`);
}

/** The manifest of a run while it is at work: of one that had ended it carries the seals that hold, and apart those that are `broken`. */
export function atWork<State extends SealState>(
  { records, kept, mending, ...state }: State,
  broken: readonly BrokenSeal[],
): Omit<State, "records" | "kept" | "mending"> & SealState {
  const isBroken = (file: string): boolean => broken.some((one) => one.file === file);
  const seals = Object.entries(records ?? kept ?? {});
  const whole = seals.filter(([file]) => !isBroken(file) && mending?.[file] === undefined);
  const all = { ...mending, ...Object.fromEntries(seals.filter(([file]) => isBroken(file))) };
  return {
    ...state,
    ...(whole.length === 0 ? {} : { kept: Object.fromEntries(whole) }),
    ...(Object.keys(all).length === 0 ? {} : { mending: all }),
  };
}

/** The manifest while files are put in order: a process that dies between any two of them leaves records that no seal counts. */
export function withoutKept<State extends SealState>({ kept: _kept, ...state }: State): Omit<State, "kept"> {
  return state;
}

/** The seals of a run that ends at `at`, and what of an earlier seal could not be kept. */
export function sealRun(
  folder: string,
  { mending = {}, edits = [] }: SealState,
  at: string,
  files: readonly string[] = recordFiles,
): Pick<Manifest, "records" | "edits"> {
  const records = sealsOf(folder, files);
  const other = Object.keys(mending).filter((file) => isShown(file) && records[file] !== mending[file]);
  const edit = { at, reason: "damaged or lost records were done again, with another result", files: other };
  const all = other.length === 0 ? edits : [...edits, edit];
  return { records, ...(all.length === 0 ? {} : { edits: all }) };
}

export const isMendable = (kind: BrokenSeal["kind"]): boolean => kind === "damaged" || kind === "missing";

/** Files that numbers are made of. A reply that was lost is missed by `verify`, by name; no number has changed. */
export const isShown = (file: string): boolean =>
  file === runFiles.rows || file === runFiles.units || file === runFiles.traces || file === runFiles.judgements;

/** How many records a seal counts. */
const countOf = (seal: string): number => Number.parseInt(seal, 10);

/** What of a file is not as `seal` says, which is of its first `most` records. */
function brokenIn(folder: string, file: string, seal: string | undefined, most?: number): BrokenSeal[] {
  const path = join(folder, file);
  const isThere = existsSync(path) && (statSync(path).size > 0 || (seal !== undefined && countOf(seal) === 0));
  if (!isThere) return seal === undefined ? [] : [{ file, kind: "missing" }];
  const found = readSeal(path, most);
  if (most !== undefined && found.seal === seal) return []; // what stands behind may be anything
  if (found.flaw !== undefined) return [{ file, kind: "damaged", line: found.flaw }];
  if (seal === undefined) return [{ file, kind: "unsealed" }];
  const count = countOf(found.seal);
  if (most !== undefined && count < most) return [{ file, kind: "damaged", line: count + 1 }];
  return found.seal === seal ? [] : [{ file, kind: "changed" }];
}

/** The seal of the first `most` records of a file, and the line of the first damage, an unfinished last record among it. */
function readSeal(path: string, most = Number.POSITIVE_INFINITY): { readonly seal: string; readonly flaw?: number } {
  const sum = new Uint32Array(8);
  let count = 0;
  let flaw: number | undefined;
  for (const found of scanLines(path)) {
    if (count >= most) break;
    if (found.kind === "damage" || found.kind === "unfinished") flaw ??= found.line;
    if (found.kind !== "record") continue;
    addTo(sum, hash("sha256", found.body, "buffer"));
    count += 1;
  }
  const seal = `${count}:${Array.from(sum, (word) => word.toString(16).padStart(8, "0")).join("")}`;
  return { seal, ...(flaw === undefined ? {} : { flaw }) };
}

/** Adds 256 bits, the most significant word first; what is carried out of the first is dropped. */
function addTo(sum: Uint32Array, digest: Buffer): void {
  let carry = 0;
  for (let word = sum.length - 1; word >= 0; word--) {
    const total = sum[word]! + digest.readUInt32BE(4 * word) + carry;
    sum[word] = total; // modulo 2^32
    carry = total > 0xffffffff ? 1 : 0;
  }
}
