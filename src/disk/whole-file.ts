import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onFile } from "./file-error.js";

/** Modes of what only its owner may read: runs hold prompts, replies and personal texts. */
export const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

interface WholeFileSettings {
  /** The file is made to be handed on: its mode is the system's default. Default: only its owner may read it. */
  readonly shared?: boolean;
}

/** What a whole file is made of: one piece, or pieces in order. */
type Content = string | Uint8Array | Iterable<string | Uint8Array>;

/**
 * Writes a file as a whole, by `GrowingFile`. Makes the folder. What is no ordinary file (a pipe, /dev/stdout) is written in
 * place. Throws FileError.
 */
export function writeWhole(path: string, content: Content, { shared = false }: WholeFileSettings = {}): void {
  const target = existsSync(path) ? realpathSync(path) : path;
  if (existsSync(target) && !statSync(target).isFile() && !statSync(target).isDirectory())
    onFile(path, NOTHING, () => appendTo(target, content));
  else writeInPlaceOf(target, content, shared);
}

function writeInPlaceOf(target: string, content: Content, shared: boolean): void {
  const file = new GrowingFile(target, shared ? undefined : PRIVATE_FILE);
  try {
    for (const piece of piecesOf(content)) file.write(piece);
  } catch (error) {
    file.drop();
    throw error;
  }
  file.finish();
}

/** The same of a text that the file may hold already, which is then left as it is. Throws FileError. */
export function writeNew(path: string, text: string): void {
  if (!existsSync(path) || !statSync(path).isFile() || readText(path) !== text) writeWhole(path, text);
}

/** Appends to a file that is made to be handed on. Throws FileError. */
export const appendText = (path: string, text: string): void =>
  onFile(path, "what it held is still there", () => appendTo(path, text));

/** Does work in a folder of its own, which is removed with all that is in it. */
export async function inTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = onFile(tmpdir(), NOTHING, () => mkdtempSync(join(tmpdir(), "lamp-eval-")));
  try {
    return await work(folder);
  } finally {
    remove(folder);
  }
}

/** The text of a file. Throws FileError, whose `code` is that of the system. */
export const readText = (path: string): string => onFile(path, "nothing is changed", () => readFileSync(path, "utf8"));

/** Writes every byte, over short writes. Throws the system's refusal. */
export function writeFully(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    const got = writeSync(file, bytes, done, bytes.length - done);
    if (got <= 0) throw Object.assign(new Error("nothing could be written"), { code: "ENOSPC", syscall: "write" });
    done += got;
  }
}

/** With its parents, where they are missing. Throws FileError. */
export const makeFolder = (path: string): void => onFile(path, NOTHING, () => makeFolders(path));

/** Makes a folder that only its owner may enter; its parents as the system does. An old one is left as it is: it may be a team's. Throws FileError. */
export function makePrivateFolder(path: string): void {
  onFile(path, NOTHING, () => {
    if (existsSync(path)) return;
    if (!existsSync(dirname(path))) makeFolders(dirname(path));
    mkdirSync(path, PRIVATE_FOLDER);
  });
}

/** Gives a file that is complete and on the disk its name. Throws FileError. */
export function renameWhole(from: string, to: string): void {
  onFile(to, safeAt(to), () => renameSync(from, to));
  syncFolder(dirname(to));
}

/** Nothing where there is no such file. Throws FileError. */
export const removeFile = (path: string): void => onFile(path, "it is unchanged", () => remove(path));

/**
 * A whole file of any size, written piece by piece beside its place: every byte of it, forced to the disk, then renamed over the
 * old one. Whatever fails and whenever the process dies, the old content stands or the new, never a part. Makes the folder.
 */
export class GrowingFile {
  readonly #path: string;
  readonly #fresh: string;
  readonly #safe: string;
  readonly #file: number;
  #pending: Uint8Array[] = [];
  #bytes = 0;
  #state: "open" | "settled" | "closed" = "open";

  /** `mode`: default that of the system. Throws FileError. */
  constructor(path: string, mode?: number) {
    this.#path = path;
    this.#fresh = `${path}.${process.pid}.new`;
    this.#safe = safeAt(path);
    this.#file = onFile(path, this.#safe, () => {
      if (!existsSync(dirname(path))) makeFolders(dirname(path));
      return openSync(this.#fresh, "w", mode);
    });
  }

  /** Throws FileError. */
  write(piece: string | Uint8Array): void {
    const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
    this.#pending.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes >= CHUNK_BYTES) this.#flush();
  }

  /** All is on the disk, and only the renaming is left to `finish`. Throws FileError. */
  settle(): void {
    if (this.#state !== "open") return;
    if (this.#bytes > 0) this.#flush();
    onFile(this.#path, this.#safe, () => fsyncSync(this.#file));
    this.#state = "settled";
  }

  /** The new content stands. Throws FileError, which says whether the old one does. */
  finish(): void {
    try {
      this.settle();
      this.#state = "closed";
      onFile(this.#path, this.#safe, () => closeSync(this.#file));
      renameWhole(this.#fresh, this.#path);
    } catch (error) {
      this.drop();
      quietly(() => remove(this.#fresh)); // the failure itself is told
      throw error;
    }
  }

  /** After a failure: the old content stays, and nothing of the new. Nothing once it is finished or dropped. */
  drop(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    quietly(() => closeSync(this.#file));
    quietly(() => remove(this.#fresh)); // the failure itself is told
  }

  #flush(): void {
    const bytes = this.#pending.length === 1 ? this.#pending[0]! : Buffer.concat(this.#pending);
    this.#pending = [];
    this.#bytes = 0;
    onFile(this.#path, this.#safe, () => writeFully(this.#file, bytes));
  }
}

/** Files that belong together: none that `grown` was given gets its name before all are on the disk, and after a failure none is left half-made. Throws what `work` throws, and FileError. */
export function growTogether(work: (grown: <T extends GrowingFile>(file: T) => T) => void): void {
  const files: GrowingFile[] = [];
  try {
    work((file) => {
      files.push(file);
      return file;
    });
    for (const file of files) file.settle();
    for (const file of files) file.finish();
  } finally {
    for (const file of files) file.drop();
  }
}

const NOTHING = "nothing was written there";
const safeAt = (path: string): string => (existsSync(path) ? "what stood there before is unchanged" : NOTHING);

const CHUNK_BYTES = 1 << 18;

const piecesOf = (content: Content): Iterable<string | Uint8Array> =>
  typeof content === "string" || content instanceof Uint8Array ? [content] : content;

function appendTo(path: string, content: Content): void {
  const file = openSync(path, "a");
  try {
    for (const piece of piecesOf(content)) writeFully(file, typeof piece === "string" ? Buffer.from(piece) : piece);
  } finally {
    closeSync(file);
  }
}

/** Makes the names in a folder safe against a power cut, where the system can: Windows opens no folders, network file systems sync none. */
function syncFolder(path: string): void {
  quietly(() => {
    const file = openSync(path, "r");
    try {
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  });
}

const makeFolders = (path: string): void => void mkdirSync(path, { recursive: true });

const remove = (path: string): void => rmSync(path, { recursive: true, force: true });

function quietly(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
}

/** Writes a file that is made to be handed on, and the folders that it stands in. Throws FileError. */
export const writeText = (path: string, text: string): void => writeWhole(path, text, { shared: true });
