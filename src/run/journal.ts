import { closeSync, existsSync, fstatSync, fsyncSync, ftruncateSync, openSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { onFile } from "../disk/file-error.js";
import { PRIVATE_FILE, writeFully, writeWhole } from "../disk/whole-file.js";
import { nounOf } from "../text/count.js";
import {
  asideOf,
  bodyAt,
  type Frame,
  framedRecords,
  lineOf,
  parsed,
  readJournal,
  recordLine,
  recordOf,
  SAFE,
  type SetAside,
  type Span,
  scanLines,
} from "./record-lines.js";
import { type Fits, fitsOf } from "./record-shapes.js";
import { runFiles } from "./run-files.js";

export { framedRecords, readDamage, readJournal, recordAt, type SetAside } from "./record-lines.js";

interface JournalSettings<T> {
  /** Records between two forced writes to disk. A killed process loses none in any case, a power cut at most these. Default 64. */
  readonly recordsPerSync?: number;
  /** Sees every record of the file on opening. */
  readonly visit?: (frame: Frame<T>) => void;
}

/**
 * An append-only file of JSON records, one a line, each with its own check. Every record is written in full before
 * `append` returns, so a process killed at any moment loses at most the record it was writing.
 */
export class Journal<T = unknown> {
  readonly path: string;
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
  constructor(path: string, { recordsPerSync = 64, visit }: JournalSettings<T> = {}) {
    this.path = path;
    this.#recordsPerSync = recordsPerSync;
    this.#fits = fitsOf(path);
    const { damage, end, wasCut } = mend(path);
    this.damage = damage;
    this.wasCut = wasCut;
    this.#file = onFile(path, SAFE, () => openSync(path, "a+", PRIVATE_FILE));
    try {
      onFile(path, SAFE, () => (end === undefined ? undefined : ftruncateSync(this.#file, end)));
      this.#size = onFile(path, SAFE, () => fstatSync(this.#file).size);
      if (visit !== undefined) for (const frame of framedRecords<T>(path)) visit(frame);
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
    return body === undefined ? undefined : recordOf<R>(body);
  }

  /** The same as its bytes. */
  body(span: Span): Buffer | undefined {
    return bodyAt(this.#file, this.path, span);
  }

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

/** Closes them all, whatever becomes of the others; the first failure is thrown. */
export function closeAll(opened: readonly { close(): void }[]): void {
  const failures: unknown[] = [];
  for (const one of opened) {
    try {
      one.close();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** Writes a journal file anew with every line that is a record of it, whatever its check says; other damage is set aside. */
export function takeRecords(path: string): void {
  const taken: Buffer[] = [];
  const damage: SetAside[] = [];
  const fits = fitsOf(path) ?? (() => true);
  for (const found of scanLines(path)) {
    if (found.kind === "record" && fits(recordOf(found.body))) taken.push(lineOf(found.body));
    else if (found.kind === "damage") {
      const { "#": _check, ...record } = (parsed(found.bytes.toString("utf8")) ?? {}) as { "#"?: unknown };
      if (Object.keys(record).length > 0 && fits(record)) taken.push(recordLine(record));
      else damage.push(asideOf(path, found));
    }
  }
  setAside(dirname(path), damage);
  writeWhole(path, taken);
}

/** What was set aside since the run last ended: it may still have to be done again. */
export function openDamage(folder: string): SetAside[] {
  let open: SetAside[] = [];
  for (const entry of readJournal<SetAside | Mended>(join(folder, runFiles.damaged)))
    if ("mended" in entry) open = [];
    else open.push(entry);
  return open;
}

/** Notes that all that was damaged so far has been done again. */
export function closeDamage(folder: string): void {
  const { length } = openDamage(folder);
  if (length > 0) addTo(folder, [{ mended: length } satisfies Mended]);
}

/** One line for a person: what was found damaged, and what comes of it. */
export function damageLine({ file, line, text }: SetAside): string {
  return `${file} line ${line}: damaged, ${text.length} ${nounOf(text.length, "byte")} set aside in ${runFiles.damaged}; ${LOST[file] ?? "what it held is done again"}`;
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

/**
 * Sets damage aside and writes the file anew without it, also where line ends were changed; changes nothing in a sound file. Returns
 * where an unfinished last record begins.
 */
function mend(path: string): {
  readonly damage: readonly SetAside[];
  readonly end: number | undefined;
  readonly wasCut: boolean;
} {
  const damage: SetAside[] = [];
  let [sound, lines, isSound, end] = [0, 0, true, undefined as number | undefined];
  for (const found of scanLines(path)) {
    if (found.offset !== sound || found.line !== ++lines) isSound = false; // line ends were changed
    sound = found.offset + found.length + 1;
    if (found.kind === "damage") damage.push(asideOf(path, found));
    if (found.kind === "unfinished") end = found.offset;
  }
  if (end === undefined && existsSync(path) && statSync(path).size !== sound) isSound = false;
  const wasCut = end !== undefined;
  if ((isSound && damage.length === 0) || basename(path) === runFiles.damaged) return { damage, end, wasCut };
  setAside(dirname(path), damage);
  writeWhole(path, soundLines(path));
  return { damage, end: undefined, wasCut };
}

function* soundLines(path: string): Generator<Buffer> {
  for (const found of scanLines(path)) if (found.kind === "record") yield lineOf(found.body);
}

/** Adds what does not stand there yet: a process may have died between this and the mending. */
function setAside(folder: string, damage: readonly SetAside[]): void {
  const known = new Set([...readJournal<SetAside>(join(folder, runFiles.damaged))].map((one) => JSON.stringify(one)));
  const fresh = damage.filter((one) => !known.has(JSON.stringify(one)));
  if (fresh.length > 0) addTo(folder, fresh);
}

function addTo(folder: string, entries: readonly (SetAside | Mended)[]): void {
  const journal = new Journal(join(folder, runFiles.damaged));
  for (const one of entries) journal.append(one);
  journal.close();
}
