import { closeSync, openSync } from "node:fs";
import { basename } from "node:path";
import { isRefusal, onFile } from "../../disk/file-error.js";
import { lineOf, recordOf } from "./record-line.js";
import { type Fits, fitsOf } from "./record-shapes.js";
import { type Damage, type Found, type Frame, SAFE, scan } from "./scan.js";
import { soundEnd } from "./sound-files.js";

/** A damaged stretch of a journal, set aside. */
export interface SetAside {
  readonly file: string;
  /** As an editor counts, in the file as it was found. */
  readonly line: number;
  readonly text: string;
}

/** The intact records of a journal file, in file order; none where there is no such file. Throws FileError. */
export function* readJournal<T>(path: string): Generator<T> {
  for (const { record } of framedRecords<T>(path)) yield record;
}

/** The same with the frames they stand in. */
export function* framedRecords<T>(path: string): Generator<Frame & { readonly record: T }> {
  const fits = shapeToCheck(path);
  for (const found of scanPath(path)) {
    if (found.kind !== "record") continue;
    const record = recordOf<T & object>(found.body);
    if (fits?.(record) !== false) yield withRecord(found, record);
  }
}

/** The lines of a journal file whose own check holds, whatever they are records of. */
export function* readFrames(path: string): Generator<Frame> {
  for (const found of scanPath(path)) if (found.kind === "record") yield found;
}

/** What belongs to no intact record of a journal file, an unfinished last record apart. Changes nothing. */
export function* readDamage(path: string): Generator<SetAside> {
  for (const found of scanRecords(path)) if (found.kind === "damage") yield asideOf(path, found);
}

/** All that stands in a journal file, by the checks of its lines alone; nothing where there is no such file. Throws FileError. */
export const readAll = (path: string): Generator<Found> => scanPath(path);

/** A record as its bytes, and parsed where it had to be, for its shape. */
type FoundRecord = Frame & { readonly record?: object };

/** The same; a line whose check holds, but which is no record of this file, is damage. */
export function* scanRecords(path: string): Generator<Exclude<Found, Frame> | FoundRecord> {
  const fits = shapeToCheck(path);
  for (const found of scanPath(path)) {
    if (found.kind !== "record" || fits === undefined) {
      yield found;
      continue;
    }
    const record = recordOf<object>(found.body);
    yield fits(record) ? withRecord(found, record) : damageOf(found);
  }
}

export const asideOf = (path: string, { line, bytes }: Damage): SetAside => ({
  file: basename(path),
  line,
  text: bytes.toString("latin1"),
});

/** A frame that was made for this reader alone, with its record: a copy of each would take longer than its reading. */
const withRecord = <T extends object>(frame: Frame, record: T): Frame & { readonly record: T } =>
  Object.assign(frame, { record });

/** Undefined too where a seal vouches for the records. */
const shapeToCheck = (path: string): Fits | undefined => (soundEnd(path) === undefined ? fitsOf(path) : undefined);

function* scanPath(path: string): Generator<Found> {
  let file: number;
  try {
    file = onFile(path, SAFE, () => openSync(path, "r"));
  } catch (error) {
    if (error instanceof Error && isRefusal(error.cause, "ENOENT")) return;
    throw error;
  }
  try {
    yield* scan(file, path);
  } finally {
    closeSync(file);
  }
}

/** The whole line, its check included. */
const damageOf = ({ offset, length, line, body }: Frame): Damage => ({
  kind: "damage",
  offset,
  length,
  line,
  bytes: lineOf(body).subarray(0, -1),
});
