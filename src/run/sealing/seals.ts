import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../../errors.js";
import { readDamage, readFrames } from "../journal/journal.js";
import { openDamage } from "../journal/set-aside.js";
import type { Manifest } from "../manifest/manifest.js";
import { recordFiles, runFiles } from "../run-files.js";
import { countOf, firstFlaw, prefixHolds, recordHashes, sealHolds, sealInOrder } from "./record-hashes.js";

/** A record file of a finished run that is not as it was when the run ended. */
export interface BrokenSeal {
  readonly file: string;
  readonly kind: "missing" | "damaged" | "changed" | "unsealed";
  /** The first damaged line. */
  readonly line?: number;
}

/**
 * Compares the record files of a run that has ended with its seals; nothing is broken in one that never did. `damaged`:
 * a record's own check fails; `changed`: every record is whole, but they are not the ones that were sealed.
 */
export function brokenSeals(
  folder: string,
  { records, kept = {} }: SealState,
  files: readonly string[] = recordFiles,
): BrokenSeal[] {
  const found = records === undefined ? brokenKept(folder, kept) : brokenRecords(folder, records, files);
  return found.map((broken) => {
    if (broken.kind !== "changed") return broken;
    const aside = openDamage(folder).find(({ file }) => file === broken.file); // by a process that died before it began
    return aside === undefined ? broken : { file: broken.file, kind: "damaged", line: aside.line };
  });
}

/** What a manifest, or the file of a judge, holds of seals. */
export type SealState = Pick<Manifest, "records" | "kept" | "mending" | "edits">;

function brokenRecords(
  folder: string,
  records: Readonly<Record<string, string>>,
  files: readonly string[],
): BrokenSeal[] {
  return files.flatMap((file): BrokenSeal[] => {
    const path = join(folder, file);
    const seal = records[file];
    if (!existsSync(path)) return seal === undefined ? [] : [{ file, kind: "missing" }];
    if (statSync(path).size === 0 && seal !== undefined)
      return sealHolds(folder, file, seal) ? [] : [{ file, kind: "missing" }];
    if (statSync(path).size === 0) return [];
    const line = firstFlaw(path, file);
    if (line !== undefined) return [{ file, kind: "damaged", line }];
    if (seal === undefined) return [{ file, kind: "unsealed" }];
    return sealHolds(folder, file, seal) ? [] : [{ file, kind: "changed" }];
  });
}

/** A run that had ended is at work again: only the records of its end are sealed. */
function brokenKept(folder: string, kept: Readonly<Record<string, readonly string[]>>): BrokenSeal[] {
  return Object.entries(kept).flatMap(([file, seals]): BrokenSeal[] => {
    if (seals.some((seal) => prefixHolds(folder, file, seal))) return [];
    const path = join(folder, file);
    if (!existsSync(path)) return [{ file, kind: "missing" }];
    const [damage] = readDamage(path);
    if (damage !== undefined) return [{ file, kind: "damaged", line: damage.line }];
    const count = [...readFrames(path)].length;
    const isCut = seals.every((seal) => count < countOf(seal));
    return [isCut ? { file, kind: "damaged", line: count + 1 } : { file, kind: "changed" }];
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
 * damaged records pass: the run that is about to begin does them again.
 */
export function refuseBrokenSeals(
  folder: string,
  shown: string,
  manifest: Manifest,
  { mend = false }: { readonly mend?: boolean } = {},
): void {
  const broken = brokenSeals(folder, manifest).filter(({ kind }) => !mend || !isMendable(kind));
  if (broken.length === 0) return;
  const way = broken.every(({ kind }) => isMendable(kind))
    ? "the command that made the run does what is damaged or gone again, from the stored replies where they are whole"
    : `put the old file back; a deliberate edit is taken over, and shown for ever, by lamp-eval verify ${shown} --accept-edit REASON`;
  throw new UsageError(`${shown}: ${broken.map(sealLine).join(", ")}: these are not the records of the run; ${way}`);
}

/** What it carries while damaged records are done again. */
function mendingOf(folder: string, manifest: SealState, files: readonly string[]): Pick<Manifest, "mending"> {
  const { records = firstOf(manifest.kept), mending = {} } = manifest;
  const damaged = brokenSeals(folder, manifest, files).filter(({ kind }) => isMendable(kind));
  const seals = damaged.flatMap(({ file }) => (records[file] === undefined ? [] : [[file, records[file]] as const]));
  const all = { ...mending, ...Object.fromEntries(seals) };
  return Object.keys(all).length === 0 ? {} : { mending: all };
}

/** The manifest of a run while it is at work: of one that had ended it carries the seals that hold. */
export function atWork<State extends SealState>(
  folder: string,
  manifest: State,
  files: readonly string[] = recordFiles,
): Omit<State, "records" | "kept"> & SealState {
  const mended = { ...manifest, ...mendingOf(folder, manifest, files) };
  const { records: _records, kept: _kept, ...begun } = mended;
  return { ...begun, ...keptOf(folder, mended) };
}

/** What it carries besides when the files are about to be put in order: a process may die between any two of them. */
export function keptInOrder(folder: string, { kept = {} }: Manifest): Pick<Manifest, "kept"> {
  const all = Object.entries(kept).map(([file, seals]) => {
    const coming = sealInOrder(folder, file);
    return [file, coming === undefined ? seals : [...seals, coming]] as const;
  });
  return all.length === 0 ? {} : { kept: Object.fromEntries(all) };
}

/** The seals of a run that ends at `at`, and what of an earlier seal could not be kept. */
export function sealRun(
  folder: string,
  { mending = {}, edits = [] }: SealState,
  at: string,
  files: readonly string[] = recordFiles,
): Pick<Manifest, "records" | "edits"> {
  const other = Object.entries(mending).flatMap(([file, seal]) =>
    !isShown(file) || sealHolds(folder, file, seal) ? [] : [file],
  );
  const edit = { at, reason: "damaged or lost records were done again, with another result", files: other };
  const all = other.length === 0 ? edits : [...edits, edit];
  return { records: recordHashes(folder, files), ...(all.length === 0 ? {} : { edits: all }) };
}

/** The seals that hold. Nothing for a run that never ended. */
function keptOf(folder: string, { records, kept = {}, mending = {} }: SealState): Pick<Manifest, "kept"> {
  const all =
    records === undefined
      ? Object.entries(kept).flatMap(([file, seals]) => {
          const holding = seals.filter((seal) => prefixHolds(folder, file, seal));
          return holding.length === 0 ? [] : [[file, holding] as const];
        })
      : Object.entries(records).map(([file, seal]) => [file, [seal]] as const);
  const left = all.filter(([file]) => mending[file] === undefined);
  return left.length === 0 ? {} : { kept: Object.fromEntries(left) };
}

const firstOf = (kept: Manifest["kept"] = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(kept).flatMap(([file, [seal]]) => (seal === undefined ? [] : [[file, seal]])));

export const isMendable = (kind: BrokenSeal["kind"]): boolean => kind === "damaged" || kind === "missing";

/** Files that numbers are made of. A reply that was lost is missed by `verify`, by name; no number has changed. */
export const isShown = (file: string): boolean =>
  file === runFiles.rows || file === runFiles.units || file === runFiles.traces || file === runFiles.judgements;
