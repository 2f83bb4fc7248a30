import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { onFile } from "../disk/file-error.js";
import { makePrivateFolder, PRIVATE_FILE, refuseLink, writeFully } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import type { Answer, Entry, Key } from "./entry.js";
import { entryOf, headOf, lineOf, linesOf, type Reader, type Span } from "./entry.js";
import { abandonTry, emptyState, fold, type State } from "./state.js";

/** Name of a run's log in its folder. */
export const LOG_FILE = "log.jsonl";

/** A log for reading. */
export interface ReadLog {
  /** The file, for messages. */
  readonly path: string;
  readonly state: State;
  /** Returns the answer of a key; undefined where none came, and where its line cannot be read any more. Throws FileError. */
  get(key: Key): Answer | undefined;
  /** Reads all entries that are not corrupt, in file order. Throws FileError. */
  entries(): Generator<Entry>;
  close(): void;
}

/** The log of a run at work. */
export interface Log extends ReadLog {
  /** Writes an entry in full before it returns. Throws FileError, and UsageError on an entry that holds a secret. */
  append(entry: Entry): void;
  /** Forces all that was appended to the disk. Throws FileError. */
  sync(): void;
}

interface LogSettings {
  /** Texts that may stand in no entry. */
  readonly secrets?: readonly string[];
}

/**
 * Opens the log of a run folder, which is made where it is missing. Cuts off a last line without its break; a try that a
 * dead process left open counts as possibly billed. The caller holds the folder's lock. Throws FileError.
 */
export function openLog(folder: string, { secrets = [] }: LogSettings = {}): Log {
  makePrivateFolder(folder);
  const path = join(folder, LOG_FILE);
  refuseLink(path);
  const file = onFile(path, SAFE, () => openSync(path, "a+", PRIVATE_FILE));
  const read = fileReader(file, path);
  const state = emptyState();
  let size: number;
  try {
    size = foldAll(state, read, path);
    onFile(path, SAFE, () => ftruncateSync(file, size));
  } catch (error) {
    closeSync(file);
    throw error;
  }
  for (const [key, { batch }] of [...state.open]) if (!batch) abandonTry(state, key);
  let writeInProgress = false;
  let unsynced = 0;
  const cut = (): void => {
    if (writeInProgress) ftruncateSync(file, size);
    writeInProgress = false;
  };
  const sync = (): void => {
    onFile(path, SAFE, () => fsyncSync(file));
    unsynced = 0;
  };
  return {
    ...readable({ path, state, read, size: () => size }),
    append(entry) {
      const line = lineOf(entry);
      if (secrets.some((secret) => line.includes(secret)))
        throw new UsageError(`${path}: an entry would hold a key or login of the environment; nothing was written`);
      onFile(path, SAFE, () => {
        cut();
        writeInProgress = true; // until all of it stands there
        writeFully(file, line);
        writeInProgress = false;
      });
      if (entry.t === "answer" && !isReadable(state, read, entry.key)) state.answers.delete(entry.key);
      fold(state, entry, { at: size, length: line.length - 1 });
      size += line.length;
      unsynced += 1;
      if (unsynced >= ENTRIES_PER_SYNC) sync();
    },
    sync,
    close() {
      try {
        sync();
      } finally {
        onFile(path, SAFE, () => closeSync(file));
      }
    },
  };
}

/** Opens a log, or a pack of one, for reading. Throws UsageError where the file is neither, and FileError. */
export function readLog(path: string, shown = path): ReadLog {
  const file = onFile(path, SAFE, () => openSync(path, "r"));
  const read = fileReader(file, path);
  const start = Buffer.alloc(GZIP.length);
  read(start, 0);
  if (!start.equals(GZIP)) return opened(read, () => closeSync(file));
  const bytes = unpacked(file, path, shown);
  return opened(
    (into, at) => bytes.copy(into, 0, at),
    () => undefined,
  );

  function opened(from: Reader, close: () => void): ReadLog {
    const state = emptyState();
    try {
      const size = foldAll(state, from, shown);
      return { ...readable({ path, state, read: from, size: () => size }), close };
    } catch (error) {
      close();
      throw error;
    }
  }
}

const foreign = (shown: string): UsageError =>
  new UsageError(
    `${shown}: neither a run's ${LOG_FILE} nor a pack (lamp-eval export RUN --form pack), or its line breaks were changed; take a copy that nothing has edited`,
  );

/** Part of the messages about a log whose disk refuses something. */
const SAFE = "every answer that stands in it is safe";
/** A killed process loses none; a power cut at most so many. */
const ENTRIES_PER_SYNC = 64;
const GZIP = Buffer.from([0x1f, 0x8b]);

interface Source {
  readonly path: string;
  readonly state: State;
  readonly read: Reader;
  readonly size: () => number;
}

const readable = ({ path, state, read, size }: Source): Omit<ReadLog, "close"> => ({
  path,
  state,
  get: (key) => answerAt(state.answers.get(key), read),
  *entries() {
    const end = size();
    for (const { text, at } of linesOf(read)) {
      if (at >= end) return;
      const entry = entryOf(text);
      if (entry !== undefined) yield entry;
    }
  },
});

function answerAt(span: Span | undefined, read: Reader): Answer | undefined {
  if (span === undefined) return undefined;
  const line = Buffer.allocUnsafe(span.length);
  const entry = entryOf(line.subarray(0, read(line, span.at)));
  return entry?.t === "answer" ? entry : undefined;
}

/** Returns false where the answer of a key is known, and its line cannot be read any more. */
const isReadable = (state: State, read: Reader, key: Key): boolean =>
  !state.answers.has(key) || answerAt(state.answers.get(key), read) !== undefined;

/** Adds all whole lines of a file to a state. Returns their bytes. Throws UsageError where every line is corrupt: the file is no log. */
function foldAll(state: State, read: Reader, shown: string): number {
  let size = 0;
  let number = 0;
  for (const { text, at, length, isWhole } of linesOf(read)) {
    if (!isWhole) break; // `append` had not returned
    number += 1;
    size = at + length + 1;
    const head = headOf(text);
    if (head === undefined) state.corrupt.push(number);
    else fold(state, head, { at, length });
  }
  if (number > 0 && state.corrupt.length === number) throw foreign(shown);
  if (state.corrupt.length > 0) delete state.end;
  return size;
}

const fileReader =
  (file: number, path: string): Reader =>
  (into, at) =>
    onFile(path, SAFE, () => readSync(file, into, 0, into.length, at));

/** Returns what a pack holds, and closes it. */
function unpacked(file: number, path: string, shown: string): Buffer {
  try {
    const packed = onFile(path, SAFE, () => readFileSync(file));
    const most = Math.min(MOST_UNPACKED_BYTES, Math.max(LEAST_BOUND_BYTES, MOST_DENSITY * packed.length));
    return unzipped(packed, most, shown);
  } finally {
    closeSync(file);
  }
}

function unzipped(packed: Buffer, most: number, shown: string): Buffer {
  try {
    return gunzipSync(packed, { maxOutputLength: most });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if ("code" in error && error.code === "ERR_BUFFER_TOO_LARGE")
      throw new UsageError(`${shown}: it unpacks to more than ${most} bytes, as no pack of a run does; it is not read`);
    throw new UsageError(`${shown}: this pack is cut or corrupted (${error.message}); copy it again`);
  }
}

/** Of unpacked packs: real ones unpack to 5 to 30 times their size. Smaller bounds than this are none. */
const MOST_DENSITY = 200;
const LEAST_BOUND_BYTES = 32 << 20;
const MOST_UNPACKED_BYTES = 2 ** 31 - 1;
