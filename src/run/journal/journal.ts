import { closeSync, existsSync, fstatSync, fsyncSync, ftruncateSync, openSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { onFile } from "../../disk/file-error.js";
import { PRIVATE_FILE, writeFully, writeWhole } from "../../disk/whole-file.js";
import { nounOf } from "../../text/count.js";
import { runFiles } from "../run-files.js";
import {
  asideOf,
  bodyAt,
  type Frame,
  readJournal,
  SAFE,
  type SetAside,
  type Span,
  scanRecords,
} from "./read-journal.js";
import { lineOf, parsed, recordLine, recordOf } from "./record-line.js";
import { type Fits, fitsOf } from "./record-shapes.js";

export { framedRecords, readDamage, readJournal, recordAt, type SetAside } from "./read-journal.js";

/** The file of a run folder that takes what belongs to no intact record. */
const damagedFile = runFiles.damaged;

interface JournalSettings<T> {
  /** Records between two forced writes to disk. A killed process loses none in any case, a power cut at most these. Default 64. */
  readonly recordsPerSync?: number;
  /** Called whenever the file is read from its beginning; what it returns sees every record. The last reading holds. */
  readonly visitor?: () => (frame: Frame<T>) => void;
}

/**
 * An append-only file of JSON records, one a line, each with its own check. Every record is written in full before
 * `append` returns, so a process killed at any moment loses at most the record it was writing.
 */
export class Journal<T = unknown> {
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

  /**
   * Opens for appending. An unfinished last record is cut off; other damage is set aside into `damaged.jsonl` beside the
   * file. Throws FileError.
   */
  constructor(path: string, { recordsPerSync = 64, visitor }: JournalSettings<T> = {}) {
    this.path = path;
    this.#recordsPerSync = recordsPerSync;
    this.#fits = fitsOf(path);
    const { damage, end, wasCut } = mend(path, visitor);
    this.damage = damage;
    this.wasCut = wasCut;
    this.#file = onFile(path, SAFE, () => openSync(path, "a+", PRIVATE_FILE));
    try {
      this.#size = onFile(path, SAFE, () => cutAt(this.#file, end));
    } catch (error) {
      closeSync(this.#file);
      throw error;
    }
  }

  /**
   * Appends one record. Returns where its line stands. Throws FileError, and TypeError on what could not be read again as a
   * record of this file; the record is then not in the file.
   */
  append(record: object): Span {
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
  read<R>(span: Span): R | undefined {
    const body = this.body(span);
    if (body === undefined) return undefined;
    const record = recordOf<R & object>(body);
    return this.#fits?.(record) === false ? undefined : record;
  }

  /** The same as its bytes. */
  body(span: Span): Buffer | undefined {
    return bodyAt(this.#file, this.path, span);
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

/** What was set aside since the run last ended: it may still have to be done again. */
export function openDamage(folder: string): SetAside[] {
  let open: SetAside[] = [];
  for (const entry of readJournal<SetAside | Mended>(join(folder, damagedFile)))
    if ("mended" in entry) open = [];
    else open.push(entry);
  return open;
}

/** Notes that all that was damaged so far has been done again. */
export function closeDamage(folder: string): void {
  const path = join(folder, damagedFile);
  const { length } = existsSync(path) ? openDamage(folder) : [];
  if (length === 0) return;
  const journal = new Journal(path);
  journal.append({ mended: length } satisfies Mended);
  journal.close();
}

/** One line for a person: what was found damaged, and what comes of it. */
export function damageLine({ file, line, text }: SetAside): string {
  return `${file} line ${line}: damaged, ${text.length} ${nounOf(text.length, "byte")} set aside in ${damagedFile}; ${LOST[file] ?? "what it held is done again"}`;
}

/** What comes of damage in files whose records cannot be made again. */
const LOST: Readonly<Record<string, string>> = {
  [runFiles.timings]: "the time it held is lost",
  [runFiles.attempts]: "the try it held is counted no more",
  [runFiles.batches]: "no request is sent twice because of it",
};

interface Mended {
  readonly mended: number;
}

/** Cuts an unfinished last record off. Returns the size of the file. */
function cutAt(file: number, end: number | undefined): number {
  if (end !== undefined) ftruncateSync(file, end);
  return end ?? fstatSync(file).size;
}

/** What one reading of a file finds. */
interface Survey {
  readonly damage: readonly SetAside[];
  /** Where an unfinished last record begins. */
  readonly end: number | undefined;
  readonly wasCut: boolean;
  /** Whether it is not as this program writes it. */
  readonly isOdd: boolean;
}

/** Sets damage aside and writes the file anew without it; changes nothing in a sound file. */
function mend<T>(path: string, visitor: JournalSettings<T>["visitor"]): Survey {
  const found = survey(path, visitor);
  if (!found.isOdd || basename(path) === damagedFile) return found;
  setAside(dirname(path), found.damage);
  writeWhole(path, soundLines(path));
  return { ...survey(path, visitor), damage: found.damage, wasCut: found.wasCut };
}

function survey<T>(path: string, visitor: JournalSettings<T>["visitor"]): Survey {
  const visit = visitor?.();
  const damage: SetAside[] = [];
  let isOdd = false;
  let end: number | undefined;
  for (const found of scanRecords<T>(path)) {
    if (found.kind === "record") visit?.(found);
    else if (found.kind === "unfinished") end = found.offset;
    else isOdd = true;
    if (found.kind === "damage") damage.push(asideOf(path, found));
  }
  return { damage, end, wasCut: end !== undefined, isOdd };
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
