import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { UsageError } from "../errors.js";
import { onFile } from "./file-error.js";

/** Modes of what only its owner may read: runs hold prompts, replies and personal texts. */
export const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

interface WholeFileSettings {
  /** The file is made to be handed on: its mode is the system's default. Default: only its owner may read it. */
  readonly shared?: boolean;
}

/**
 * Writes a file as a whole, by `GrowingFile`. Makes the folder. What is no ordinary file (a pipe, /dev/stdout) is written in
 * place. Throws FileError.
 */
export function writeWhole(path: string, content: string | Uint8Array, { shared = false }: WholeFileSettings = {}) {
  const known = existsSync(path) ? statSync(path) : undefined;
  if (known !== undefined && !known.isFile() && !known.isDirectory()) return appendText(realpathSync(path), content);
  growTogether((grown) => grown(new GrowingFile(path, shared ? undefined : PRIVATE_FILE)).write(content));
}

/** Throws UsageError where a file is a symbolic link: in a folder of somebody else's it may lead to any file of this user. */
export function refuseLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return;
  throw new UsageError(
    `${path}: it is a symbolic link, which is not written through; name the file itself, or remove it`,
  );
}

/** Writes a file that is made to be handed on, and the folders that it stands in. Throws FileError. */
export const writeText = (path: string, text: string): void => writeWhole(path, text, { shared: true });

/** Writes a text unless the file holds it already. Throws FileError. */
export function writeNew(path: string, text: string): void {
  if (!existsSync(path) || !statSync(path).isFile() || readText(path) !== text) writeWhole(path, text);
}

/** Appends to a file that is made to be handed on. Throws FileError. */
export function appendText(path: string, text: string | Uint8Array): void {
  onFile(path, "what it held is still there", () => {
    const file = openSync(path, "a");
    try {
      writeFully(file, bytesOf(text));
    } finally {
      closeSync(file);
    }
  });
}

/** Does work in a folder of its own, which is removed with all that is in it. */
export async function inTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = temporaryFolder();
  try {
    return await work(folder.path);
  } finally {
    folder.remove();
  }
}

/** Makes a folder. `remove` removes it with all that is in it. Throws FileError. */
export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = onFile(tmpdir(), NOTHING, () => mkdtempSync(join(tmpdir(), "lamp-eval-")));
  return { path, remove: () => remove(path) };
}

/** Returns the text of a file. Throws FileError, whose `code` is that of the system. */
export const readText = (path: string): string => onFile(path, "nothing is changed", () => readFileSync(path, "utf8"));

/** Writes every byte, over short writes. Throws the system's refusal. */
export function writeFully(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    const got = writeSync(file, bytes, done, bytes.length - done);
    if (got <= 0) throw Object.assign(new Error("nothing could be written"), { code: "ENOSPC", syscall: "write" });
    done += got;
  }
}

/** Makes a folder with its parents, where they are missing. Throws FileError. */
export const makeFolder = (path: string): void => onFile(path, NOTHING, () => makeFolders(path));

/** Removes a folder that holds nothing. */
export function removeIfEmpty(path: string): void {
  if (readdirSync(path).length === 0) rmdirSync(path);
}

/** Makes a folder that only its owner may enter; its parents as the system does. An old one is left as it is: it may be a team's. Throws FileError. */
export function makePrivateFolder(path: string): void {
  onFile(path, NOTHING, () => {
    if (existsSync(path)) return;
    makeFolders(dirname(path));
    mkdirSync(path, PRIVATE_FOLDER);
  });
}

/** Gives a file that is complete and on the disk its name. Throws FileError. */
export function renameWhole(from: string, to: string): void {
  onFile(to, safeAt(to), () => renameSync(from, to));
  quietly(() => {
    const folder = openSync(dirname(to), "r"); // Windows opens no folders, network file systems sync none
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  });
}

/** Removes a file where there is one. Throws FileError. */
export const removeFile = (path: string): void => onFile(path, "it is unchanged", () => remove(path));

/**
 * A whole file of any size, written piece by piece beside its place: every byte of it, forced to the disk, then renamed over the
 * old one. Whatever fails and whenever the process dies, the old content stands or the new, never a part. Makes the folder.
 */
export class GrowingFile {
  readonly #path: string;
  readonly #safe: string;
  /** The file beside its place; undefined once it has its name or is dropped. */
  #fresh: string | undefined;
  /** Undefined once it is closed. */
  #file: number | undefined;
  readonly #pending = Buffer.allocUnsafe(CHUNK_BYTES);
  #bytes = 0;

  /** `mode`: default that of the system. Throws FileError. */
  constructor(path: string, mode?: number) {
    const fresh = `${path}.${process.pid}.new`;
    this.#path = path;
    this.#safe = safeAt(path);
    this.#file = onFile(path, this.#safe, () => {
      for (const place of [path, fresh]) refuseLink(place);
      makeFolders(dirname(path));
      return openSync(fresh, "w", mode);
    });
    this.#fresh = fresh;
  }

  /** Throws FileError. */
  write(piece: string | Uint8Array): void {
    const bytes = bytesOf(piece);
    if (this.#bytes + bytes.length > CHUNK_BYTES) this.#flush();
    if (bytes.length > CHUNK_BYTES) this.#append(bytes);
    else {
      this.#pending.set(bytes, this.#bytes);
      this.#bytes += bytes.length;
    }
  }

  /** Puts all on the disk and closes the file: only the renaming is left to `finish`. Throws FileError. */
  settle(): void {
    const file = this.#file;
    if (file === undefined) return;
    this.#flush();
    onFile(this.#path, this.#safe, () => fsyncSync(file));
    this.#file = undefined;
    onFile(this.#path, this.#safe, () => closeSync(file));
  }

  /** Puts the new content in place of the old. Throws FileError. */
  finish(): void {
    try {
      this.settle();
      if (this.#fresh !== undefined) renameWhole(this.#fresh, this.#path);
      this.#fresh = undefined;
    } finally {
      this.drop();
    }
  }

  /** After a failure: the old content stays, and nothing of the new. Does nothing to a file that is finished or dropped. */
  drop(): void {
    const [file, fresh] = [this.#file, this.#fresh];
    [this.#file, this.#fresh] = [undefined, undefined];
    if (file !== undefined) quietly(() => closeSync(file));
    if (fresh !== undefined) quietly(() => remove(fresh)); // the failure itself is told
  }

  #flush(): void {
    const bytes = this.#pending.subarray(0, this.#bytes);
    this.#bytes = 0;
    this.#append(bytes);
  }

  #append(bytes: Uint8Array): void {
    const file = this.#file;
    if (file !== undefined) onFile(this.#path, this.#safe, () => writeFully(file, bytes));
  }
}

/** Grows files that belong together: none gets its name before all are on the disk, and after a failure none is left half-made. Throws what `work` throws, and FileError. */
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

const bytesOf = (piece: string | Uint8Array): Uint8Array => (typeof piece === "string" ? Buffer.from(piece) : piece);

const makeFolders = (path: string): void => {
  if (!existsSync(path)) mkdirSync(path, { recursive: true });
};

const remove = (path: string): void => rmSync(path, { recursive: true, force: true });

function quietly(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
}
