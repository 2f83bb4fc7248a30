import { existsSync, fstatSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { calls } from "../disk/calls.js";
import { FileError, isRefusal, onFile } from "../disk/file-error.js";
import { PRIVATE_FILE, writeFully, writeWhole } from "../disk/whole-file.js";
import { checkedRecord, lineOf, parsed, recordLine, recordOf, uncheckedRecord } from "./record-line.js";
import { type Fits, fitsOf } from "./record-shapes.js";
import { runFiles } from "./run-files.js";
import { type Damage, type Found, type Frame, SAFE, type Span, scan } from "./scan.js";

/** Records between two forced writes to disk. A killed process loses none in any case, a power cut at most these. */
const RECORDS_PER_SYNC = 64;

/** The file of a run folder that takes what belongs to no intact record. */
export const damagedFile = runFiles.damaged;

/** A damaged stretch of a journal, set aside. */
export interface SetAside {
  readonly file: string;
  /** As an editor counts, in the file as it was found. */
  readonly line: number;
  readonly text: string;
}

export interface JournalSettings {
  /** Default 64. */
  readonly recordsPerSync?: number;
  /**
   * Called whenever the file is read from its beginning; what it returns sees every record, parsed where files of this name
   * have a shape to be checked. The last reading holds.
   */
  readonly visitor?: () => (frame: Frame, record: object | undefined) => void;
}

/**
 * An append-only file of JSON records, one a line, each with its own check. Every record is written in full before
 * `append` returns, so a process killed at any moment loses at most the record it was writing.
 */
export class Journal {
  readonly path: string;
  /** What was set aside on opening. */
  readonly damage: readonly SetAside[];
  /** Whether an unfinished last record was cut off on opening: what stood behind it in a file cut short is gone too. */
  readonly wasCut: boolean;
  readonly #file: number;
  #size: number;
  /** Where the file must be cut before the next record: a refused write could not be taken back. */
  #torn = false;
  #unsynced = 0;
  readonly #recordsPerSync: number;
  readonly #fits: Fits | undefined;
  #held: Buffer | undefined;

  /**
   * Opens for appending. An unfinished last record is cut off; other damage is set aside into `damaged.jsonl` beside the
   * file. Throws FileError.
   */
  constructor(path: string, { recordsPerSync = RECORDS_PER_SYNC, visitor }: JournalSettings = {}) {
    this.path = path;
    this.#recordsPerSync = recordsPerSync;
    this.#fits = fitsOf(path);
    const sizeBefore = existsSync(path) ? statSync(path).size : 0;
    const { damage, end } = mend(path, visitor);
    this.damage = damage;
    this.#file = onFile(path, SAFE, () => calls().open(path, "a+", PRIVATE_FILE));
    try {
      this.#size = onFile(path, SAFE, () => cutAt(this.#file, end));
    } catch (error) {
      calls().close(this.#file);
      throw error;
    }
    this.wasCut = this.#size < sizeBefore;
  }

  /**
   * Appends one record. Returns where its line stands. Throws FileError, and TypeError on what could not be read again as a
   * record of this file; the record is then not in the file.
   */
  append(record: object): Span {
    if (this.#held !== undefined) throw new TypeError(`${basename(this.path)}: nothing is added to what is held`);
    if (this.#fits?.(record) === false) throw new TypeError(`${basename(this.path)}: this is no record of that file`);
    const line = recordLine(record);
    onFile(this.path, SAFE, () => {
      this.#cutTorn();
      try {
        writeFully(this.#file, line);
      } catch (error) {
        this.#torn = true;
        this.#takeBack();
        throw error;
      }
    });
    const span = { offset: this.#size, length: line.length - 1 };
    this.#size += line.length;
    if (++this.#unsynced >= this.#recordsPerSync) this.sync();
    return span;
  }

  /** The record at a span of the file; undefined where it is damaged by now. */
  read<T>(span: Span): T | undefined {
    const body = this.#body(span);
    if (body === undefined) return undefined;
    const record = recordOf<T & object>(body);
    return this.#fits?.(record) === false ? undefined : record;
  }

  /** The line of the record at a span, as this version writes it. */
  line(span: Span): Buffer {
    const body = this.#body(span);
    if (body === undefined) throw new FileError(this.path, "EIO", SAFE);
    return lineOf(body);
  }

  /** Holds a file that is small, for whoever takes all its lines in another order. Nothing can be appended then. */
  hold(): void {
    if (this.#size > MOST_HELD) return;
    const bytes = Buffer.allocUnsafe(this.#size);
    const got = onFile(this.path, SAFE, () => calls().read(this.#file, bytes, 0, bytes.length, 0));
    if (got === bytes.length) this.#held = bytes;
  }

  *frames(): Generator<Frame> {
    for (const found of scan(this.#file, this.path)) if (found.kind === "record") yield found;
  }

  /** Forces what was appended to the disk. */
  sync(): void {
    onFile(this.path, SAFE, () => calls().sync(this.#file));
    this.#unsynced = 0;
  }

  /** Forces to the disk, and closes in every case. */
  close(): void {
    try {
      this.sync();
    } finally {
      onFile(this.path, SAFE, () => calls().close(this.#file));
    }
  }

  #body({ offset, length }: Span): Buffer | undefined {
    const held = this.#held?.subarray(offset, offset + length);
    if (held !== undefined) return (checkedRecord(held) ?? uncheckedRecord(held))?.body;
    const bytes = Buffer.allocUnsafe(length);
    const got = onFile(this.path, SAFE, () => calls().read(this.#file, bytes, 0, length, offset));
    return got < length ? undefined : (checkedRecord(bytes) ?? uncheckedRecord(bytes))?.body;
  }

  #cutTorn(): void {
    if (!this.#torn) return;
    calls().truncate(this.#file, this.#size);
    this.#torn = false;
  }

  /** Where the disk does not even take that, the next append tries again, and the next opening cuts. */
  #takeBack(): void {
    try {
      this.#cutTorn();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
    }
  }
}

/** The intact records of a journal file, in file order; none where there is no such file. Throws FileError. */
export function* readJournal<T>(path: string): Generator<T> {
  for (const { record } of framedRecords<T>(path)) yield record;
}

/** The same with the frames they stand in. */
export function* framedRecords<T>(path: string): Generator<Frame & { readonly record: T }> {
  const fits = fitsOf(path);
  for (const found of scanPath(path)) {
    if (found.kind !== "record") continue;
    const record = recordOf<T & object>(found.body);
    if (fits?.(record) !== false) yield { ...found, record };
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

/** Writes a journal file anew with every line that is a record of it, whatever its check says; other damage is set aside. */
export function takeRecords(path: string): void {
  const taken: Buffer[] = [];
  const damage: SetAside[] = [];
  const fits = fitsOf(path) ?? (() => true);
  for (const found of scanRecords(path)) {
    if (found.kind === "record") taken.push(lineOf(found.body));
    if (found.kind !== "damage") continue;
    const { "#": _check, ...record } = (parsed(found.bytes.toString("utf8")) ?? {}) as { "#"?: unknown };
    if (Object.keys(record).length > 0 && fits(record)) taken.push(recordLine(record));
    else damage.push(asideOf(path, found));
  }
  setAside(dirname(path), damage);
  writeWhole(path, taken);
}

// --- internal ---

const MOST_HELD = 16 * 2 ** 20;

function* scanPath(path: string): Generator<Found> {
  let file: number;
  try {
    file = onFile(path, SAFE, () => calls().open(path, "r"));
  } catch (error) {
    if (error instanceof Error && isRefusal(error.cause, "ENOENT")) return;
    throw error;
  }
  try {
    yield* scan(file, path);
  } finally {
    calls().close(file);
  }
}

/** A record as its bytes, and parsed where it had to be, for its shape. */
type FoundRecord = Frame & { readonly record?: object };

/** The same; a line whose check holds, but which is no record of this file, is damage. */
function* scanRecords(path: string): Generator<Exclude<Found, Frame> | FoundRecord> {
  const fits = fitsOf(path);
  for (const found of scanPath(path)) {
    if (found.kind !== "record" || fits === undefined) {
      yield found;
      continue;
    }
    const record = recordOf<object>(found.body);
    yield fits(record) ? { ...found, record } : damageOf(found);
  }
}

/** The whole line, its check included. */
const damageOf = ({ offset, length, line, body, checked }: Frame): Damage => ({
  kind: "damage",
  offset,
  length,
  line,
  bytes: checked ? lineOf(body).subarray(0, -1) : Buffer.concat([body, Buffer.from("}")]),
});

/** Cuts an unfinished last record off. Returns the size of the file. */
function cutAt(file: number, end: number | undefined): number {
  if (end !== undefined) calls().truncate(file, end);
  return end ?? fstatSync(file).size;
}

interface Mended {
  readonly damage: readonly SetAside[];
  /** Where an unfinished last record begins. */
  readonly end: number | undefined;
}

/** Sets damage aside and writes the file anew without it; changes nothing in a sound file. */
function mend(path: string, visitor: JournalSettings["visitor"]): Mended {
  const found = survey(path, visitor);
  if (basename(path) === damagedFile) return { damage: [], end: found.end };
  if (!found.odd) return found;
  setAside(dirname(path), found.damage);
  writeWhole(path, soundLines(path));
  return { damage: found.damage, end: survey(path, visitor).end };
}

/** What one reading of a file finds. */
function survey(path: string, visitor: JournalSettings["visitor"]): Mended & { readonly odd: boolean } {
  const visit = visitor?.();
  const damage: SetAside[] = [];
  let odd = false;
  let end: number | undefined;
  for (const found of scanRecords(path)) {
    if (found.kind === "record") visit?.(found, found.record);
    else if (found.kind === "unfinished") end = found.offset;
    else odd = true;
    if (found.kind === "damage") damage.push(asideOf(path, found));
  }
  return { damage, end, odd };
}

function* soundLines(path: string): Generator<Buffer> {
  for (const found of scanRecords(path)) if (found.kind === "record") yield lineOf(found.body);
}

/** Adds what does not stand there yet: a process may have died between this and the mending. */
function setAside(folder: string, damage: readonly SetAside[]): void {
  const path = join(folder, damagedFile);
  const known = new Set([...readJournal<SetAside>(path)].map((one) => JSON.stringify(one)));
  const fresh = damage.filter((one) => !known.has(JSON.stringify(one)));
  if (fresh.length === 0) return;
  const journal = new Journal(path);
  for (const one of fresh) journal.append(one);
  journal.close();
}

const asideOf = (path: string, { line, bytes }: Damage): SetAside => ({
  file: basename(path),
  line,
  text: bytes.toString("latin1"),
});
