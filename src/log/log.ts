import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { onFile } from "../disk/file-error.js";
import { makePrivateFolder, PRIVATE_FILE, refuseLink, writeFully } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import type { Answer, Entry, Key } from "./entry.js";
import { entryOf, headOf, lineOf, linesOf, type Reader, type Span } from "./entry.js";
import { abandonTry, emptyState, fold, type State } from "./state.js";

/** File name of the log in a run folder. */
export const LOG_FILE = "log.jsonl";

/** A log opened for reading. */
export interface ReadLog {
  /** The file, for messages. */
  readonly path: string;
  readonly state: State;
  /** Returns the answer of a key; undefined if there is none, or its line is corrupt by now. Throws FileError. */
  get(key: Key): Answer | undefined;
  /** Yields all entries in file order, without corrupt ones. Throws FileError. */
  entries(): Generator<Entry>;
  close(): void;
}

/** A log opened for writing. */
export interface Log extends ReadLog {
  /** Writes an entry in full before it returns. Throws FileError, and UsageError on an entry that contains a secret. */
  append(entry: Entry): void;
  /** Forces all appended entries to the disk. Throws FileError. */
  sync(): void;
}

interface LogSettings {
  /** Texts that no entry may contain. */
  readonly secrets?: readonly string[];
}

/**
 * Opens the log of a run folder for writing; the caller holds the folder's lock. Creates the folder if it is missing, cuts off an
 * incomplete last line, and counts open tries as possibly billed: the process that sent them is dead. Throws FileError.
 */
export function openLog(folder: string, { secrets = [] }: LogSettings = {}): Log {
  makePrivateFolder(folder);
  const path = join(folder, LOG_FILE);
  refuseLink(path);
  const file = onFile(path, ANSWERS_ARE_SAFE, () => openSync(path, "a+", PRIVATE_FILE));
  try {
    return new WritableLog(file, path, secrets);
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** Opens a log or a pack for reading. `shown`: its path in messages. Throws UsageError if the file is neither, and FileError. */
export function readLog(path: string, shown = path): ReadLog {
  const file = onFile(path, ANSWERS_ARE_SAFE, () => openSync(path, "r"));
  const close = (): void => closeSync(file);
  const read = readerOf(file, path);
  const start = Buffer.alloc(GZIP_START.length);
  try {
    read(start, 0);
    if (!start.equals(GZIP_START)) return new FoldedLog({ path, shown, read, close });
    const bytes = unpacked(file, path, shown);
    return new FoldedLog({ path, shown, read: (into, at) => bytes.copy(into, 0, at), close });
  } catch (error) {
    close();
    throw error;
  }
}

/** Part of messages about a log that cannot be read or written. */
const ANSWERS_ARE_SAFE = "every answer that stands in it is safe";
const GZIP_START = Buffer.from([0x1f, 0x8b]);

/** The bytes of a log. */
interface LogSource {
  readonly path: string;
  /** The path in messages. */
  readonly shown: string;
  readonly read: Reader;
  close(): void;
}

/** A log whose lines were all read once, and folded into its state. */
class FoldedLog implements ReadLog {
  readonly path: string;
  readonly state = emptyState();
  /** Bytes of all whole lines. */
  protected size = 0;
  readonly #source: LogSource;

  /** Throws UsageError if every line is corrupt: the file is no log. */
  constructor(source: LogSource) {
    this.path = source.path;
    this.#source = source;
    const { corrupt } = this.state;
    let lines = 0;
    for (const { text, at, length, isWhole } of linesOf(source.read)) {
      if (!isWhole) break; // `append` did not return
      lines += 1;
      this.size = at + length + 1;
      const head = headOf(text);
      if (head === undefined) corrupt.push(lines);
      else fold(this.state, head, { at, length });
    }
    if (lines > 0 && corrupt.length === lines) throw noLog(source.shown);
    if (corrupt.length !== (this.state.end?.corruptLines ?? 0)) delete this.state.end;
  }

  get(key: Key): Answer | undefined {
    const place = this.state.answers.get(key);
    return place && this.#answerAt(place);
  }

  #answerAt({ at, length }: Span): Answer | undefined {
    const line = Buffer.allocUnsafe(length);
    const entry = entryOf(line.subarray(0, this.#source.read(line, at)));
    return entry?.t === "answer" ? entry : undefined;
  }

  *entries(): Generator<Entry> {
    const { size } = this;
    for (const { text, at } of linesOf(this.#source.read)) {
      if (at >= size) return; // appended since, or incomplete
      const entry = entryOf(text);
      if (entry !== undefined) yield entry;
    }
  }

  close(): void {
    this.#source.close();
  }
}

class WritableLog extends FoldedLog implements Log {
  readonly #file: number;
  readonly #secrets: readonly string[];
  /** True while the file may end with an incomplete line. */
  #isWriting = false;
  #unsyncedEntries = 0;

  constructor(file: number, path: string, secrets: readonly string[]) {
    super({ path, shown: path, read: readerOf(file, path), close: () => closeSync(file) });
    this.#file = file;
    this.#secrets = secrets;
    onFile(path, ANSWERS_ARE_SAFE, () => ftruncateSync(file, this.size));
    for (const [key, { batch }] of [...this.state.openTries]) if (!batch) abandonTry(this.state, key);
  }

  append(entry: Entry): void {
    const line = lineOf(entry);
    if (this.#secrets.some((secret) => line.includes(secret)))
      throw new UsageError(`${this.path}: an entry would hold a key or login of the environment; nothing was written`);
    onFile(this.path, ANSWERS_ARE_SAFE, () => this.#writeLine(line));
    const isCorruptByNow = entry.t === "answer" && this.get(entry.key) === undefined;
    if (isCorruptByNow) this.state.answers.delete(entry.key); // otherwise the first answer of a key stays valid
    fold(this.state, entry, { at: this.size, length: line.length - 1 });
    this.size += line.length;
    this.#unsyncedEntries += 1;
    if (this.#unsyncedEntries >= ENTRIES_PER_SYNC) this.sync();
  }

  #writeLine(line: Buffer): void {
    if (this.#isWriting) ftruncateSync(this.#file, this.size); // the last write failed
    this.#isWriting = true;
    writeFully(this.#file, line);
    this.#isWriting = false;
  }

  sync(): void {
    onFile(this.path, ANSWERS_ARE_SAFE, () => fsyncSync(this.#file));
    this.#unsyncedEntries = 0;
  }

  override close(): void {
    try {
      this.sync();
    } finally {
      onFile(this.path, ANSWERS_ARE_SAFE, () => super.close());
    }
  }
}

/** A power failure loses at most as many entries, a killed process none. */
const ENTRIES_PER_SYNC = 64;

const noLog = (shown: string): UsageError =>
  new UsageError(
    `${shown}: neither a run's ${LOG_FILE} nor a pack (lamp-eval export RUN --form pack), or its line breaks were changed; take a copy that nothing has edited`,
  );

const readerOf =
  (file: number, path: string): Reader =>
  (into, at) =>
    onFile(path, ANSWERS_ARE_SAFE, () => readSync(file, into, 0, into.length, at));

/** Returns the content of a pack. Throws UsageError if it is corrupt or unreasonably large. */
function unpacked(file: number, path: string, shown: string): Buffer {
  const packed = onFile(path, ANSWERS_ARE_SAFE, () => readFileSync(file));
  const maxBytes = Math.min(MAX_UNPACKED_BYTES, Math.max(MIN_BOUND_BYTES, MAX_COMPRESSION * packed.length));
  try {
    return gunzipSync(packed, { maxOutputLength: maxBytes });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if ("code" in error && error.code === "ERR_BUFFER_TOO_LARGE")
      throw new UsageError(
        `${shown}: it unpacks to more than ${maxBytes} bytes, as no pack of a run does; it is not read`,
      );
    throw new UsageError(`${shown}: this pack is cut or corrupted (${error.message}); copy it again`);
  }
}

/** Real packs unpack to 5 to 30 times their size. */
const MAX_COMPRESSION = 200;
/** Packs may unpack to as much, whatever their size. */
const MIN_BOUND_BYTES = 32 << 20;
const MAX_UNPACKED_BYTES = 2 ** 31 - 1;
