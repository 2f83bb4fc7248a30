import { closeSync, existsSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { onFile } from "../../disk/file-error.js";
import { PRIVATE_FILE, writeFully, writeWhole } from "../../disk/whole-file.js";
import { runFiles } from "../run-files.js";
import { asideOf, readJournal, type SetAside, scanRecords } from "./journal-reading.js";
import { beginOwn, endOwn, type OwnLines } from "./own-lines.js";
import { checkedRecord, isAsWritten, lineOf, parsed, recordLine, recordOf, writtenLine } from "./record-line.js";
import { type Fits, fitsOf } from "./record-shapes.js";
import { type Frame, SAFE, type Span, scan } from "./scan.js";
import { soundEnd } from "./sound-files.js";

/** Records between two forced writes to disk. A killed process loses none in any case, a power cut at most these. */
const RECORDS_PER_SYNC = 64;

export { framedRecords, readAll, readDamage, readFrames, readJournal, type SetAside } from "./journal-reading.js";

/** The file of a run folder that takes what belongs to no intact record. */
export const damagedFile = runFiles.damaged;

interface JournalSettings {
  /** Default 64. */
  readonly recordsPerSync?: number;
  /**
   * Called whenever the file is read from its beginning; what it returns sees every record, parsed where that was needed to
   * check its shape. The last reading holds.
   */
  readonly visitor?: () => (frame: Frame, record: object | undefined) => void;
  /** Called instead where the file is as it was sealed, with `soundEnd`: it need not be read. */
  readonly sealed?: (end: number) => void;
  /** It will be sealed: what is appended to a file that holds nothing is remembered for that. */
  readonly seals?: boolean;
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
  /** Whether it held no record when it was opened. */
  readonly isEmpty: boolean;
  /** What was appended, of a file that will be sealed and held nothing. */
  readonly own: OwnLines | undefined;
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
  constructor(path: string, { recordsPerSync = RECORDS_PER_SYNC, visitor, sealed, seals }: JournalSettings = {}) {
    this.path = path;
    this.#recordsPerSync = recordsPerSync;
    this.#fits = fitsOf(path);
    const sizeBefore = existsSync(path) ? statSync(path).size : 0;
    const { damage, end } = mend(path, visitor, sealed);
    this.damage = damage;
    this.#file = onFile(path, SAFE, () => openSync(path, "a+", PRIVATE_FILE));
    try {
      this.#size = onFile(path, SAFE, () => cutAt(this.#file, end));
    } catch (error) {
      closeSync(this.#file);
      throw error;
    }
    this.wasCut = this.#size < sizeBefore;
    this.isEmpty = this.#size === 0;
    endOwn(path);
    this.own = seals === true && this.isEmpty ? beginOwn(path) : undefined;
  }

  /**
   * Appends one record. Returns where its line stands. Throws FileError, and TypeError on what could not be read again as a
   * record of this file; the record is then not in the file.
   */
  append(record: object): Span {
    if (this.#held !== undefined) throw new TypeError(`${basename(this.path)}: nothing is added to what is held`);
    if (this.#fits?.(record) === false) throw new TypeError(`${basename(this.path)}: this is no record of that file`);
    const { line, body } = writtenLine(record);
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
    this.own?.add(line, body);
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

  /** The record at a span as its bytes, with the line that this version writes for it; undefined where it is damaged by now. */
  written({ offset, length }: Span): { readonly line: Buffer; readonly body: Buffer } | undefined {
    const bytes = this.#bytes({ offset, length: length + 1 }); // with its line break
    const line = bytes?.subarray(0, length);
    const body = line === undefined ? undefined : checkedRecord(line)?.body;
    if (bytes === undefined || line === undefined || body === undefined) return undefined;
    return { line: bytes[length] === LINE_FEED && isAsWritten(line, body) ? bytes : lineOf(body), body };
  }

  /** Holds a file that is small, for whoever takes all its lines in another order. Nothing can be appended then. */
  hold(): void {
    if (this.#size > MOST_HELD) return;
    const bytes = Buffer.allocUnsafe(this.#size);
    const got = onFile(this.path, SAFE, () => readSync(this.#file, bytes, 0, bytes.length, 0));
    if (got === bytes.length) this.#held = bytes;
  }

  *frames(): Generator<Frame> {
    for (const found of scan(this.#file, this.path)) if (found.kind === "record") yield found;
  }

  /** Forces what was appended to the disk. */
  sync(): void {
    onFile(this.path, SAFE, () => fsyncSync(this.#file));
    this.#unsynced = 0;
  }

  /** Forces to the disk, and closes in every case. */
  close(): void {
    try {
      this.sync();
    } finally {
      onFile(this.path, SAFE, () => closeSync(this.#file));
    }
  }

  #body({ offset, length }: Span): Buffer | undefined {
    const bytes = this.#bytes({ offset, length });
    return bytes === undefined || bytes.length < length ? undefined : checkedRecord(bytes)?.body;
  }

  /** What stands at a span; fewer bytes at the end of the file. */
  #bytes({ offset, length }: Span): Buffer | undefined {
    if (this.#held !== undefined) return this.#held.subarray(offset, offset + length);
    const bytes = Buffer.allocUnsafe(length);
    const got = onFile(this.path, SAFE, () => readSync(this.#file, bytes, 0, length, offset));
    return bytes.subarray(0, got);
  }

  #cutTorn(): void {
    if (!this.#torn) return;
    ftruncateSync(this.#file, this.#size);
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

const MOST_HELD = 16 * 2 ** 20;
const LINE_FEED = 0x0a;

/** Cuts an unfinished last record off. Returns the size of the file. */
function cutAt(file: number, end: number | undefined): number {
  if (end !== undefined) ftruncateSync(file, end);
  return end ?? fstatSync(file).size;
}

interface Mended {
  readonly damage: readonly SetAside[];
  /** Where an unfinished last record begins. */
  readonly end: number | undefined;
}

/** Sets damage aside and writes the file anew without it; changes nothing in a sound file. */
function mend(path: string, visitor: JournalSettings["visitor"], sealed: JournalSettings["sealed"]): Mended {
  const known = sealed === undefined ? undefined : soundEnd(path);
  if (known !== undefined && !Number.isNaN(known)) {
    sealed?.(known);
    return { damage: [], end: undefined };
  }
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
