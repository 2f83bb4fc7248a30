import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { calls } from "./calls.js";
import { FileError, isRefusal, onFile } from "./file-error.js";

/** Modes of what only its owner may read: runs hold prompts, replies and personal texts. */
export const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

interface WholeFileSettings {
  /** The file is made to be handed on: its mode is the system's default. Default: only its owner may read it. */
  readonly shared?: boolean;
}

/** What is to be said where the folder of a new file cannot be forced to the disk. */
export const RENAMED = "it is written, but a power cut may still take it";

/** What a whole file is made of: one piece, or pieces in order. */
type Content = string | Uint8Array | Iterable<string | Uint8Array>;

/**
 * Writes a file as a whole: a temporary file beside it, every byte of it, forced to the disk, then renamed over the old
 * one. Whatever fails and whenever the process dies, the old content stands or the new, never a part. Makes the folder.
 * What is no ordinary file (a pipe, /dev/stdout) is written in place. Throws FileError.
 */
export function writeWhole(path: string, content: Content, { shared = false }: WholeFileSettings = {}): void {
  const safe = existsSync(path) ? "what stood there before is unchanged" : "nothing was written there";
  onFile(path, safe, () => {
    const target = existsSync(path) ? realpathSync(path) : path;
    const mode = shared ? undefined : PRIVATE_FILE;
    if (existsSync(target) && !statSync(target).isFile() && !statSync(target).isDirectory())
      return writeAll(target, "a", content, { force: false, mode });
    if (!existsSync(dirname(target))) calls().makeFolder(dirname(target));
    const fresh = `${target}.${process.pid}.new`;
    try {
      writeAll(fresh, "w", content, { force: true, mode });
      calls().rename(fresh, target);
    } catch (error) {
      removeQuietly(fresh);
      throw error;
    }
    if (gathered === undefined) onFile(path, RENAMED, () => syncFolder(dirname(target)));
    else gathered.set(dirname(target), path);
  });
}

/** Whole files that are written one after the other: their folder is forced to the disk once, behind the last. Throws FileError. */
export function writeTogether(work: () => void): void {
  const folders = new Map<string, string>();
  const force = (): void => {
    gathered = undefined;
    for (const [folder, path] of folders) onFile(path, RENAMED, () => syncFolder(folder));
  };
  gathered = folders;
  try {
    work();
  } catch (error) {
    quietly(force);
    throw error;
  }
  force();
}

/** The same of a text that the file may hold already, which is then left as it is. Throws FileError. */
export function writeNew(path: string, text: string): void {
  if (!existsSync(path) || !statSync(path).isFile() || readText(path) !== text) writeWhole(path, text);
}

/** A copy of a file of any size, as a whole. Throws FileError. */
export function copyWhole(from: string, to: string): void {
  writeWhole(to, chunksOf(from));
}

/**
 * Writes behind what a file that is made to be handed on holds, in full or nothing. One that ends with the content already is
 * left as it is: so a command that is given again after a refusal adds nothing twice. Makes the folder. What is no ordinary
 * file is written to as it is, and so is one that cannot be exchanged for another (mounted by itself). Throws FileError.
 */
export function appendWhole(path: string, content: string): void {
  const before = existsSync(path) ? statSync(path) : undefined;
  if (before?.isFile() === false) {
    appendInPlace(path, content, undefined);
    return;
  }
  const held = before === undefined ? "" : readText(path);
  if (held.endsWith(content)) return;
  try {
    writeWhole(path, [held, content], { shared: true });
  } catch (error) {
    if (!(error instanceof FileError) || error.code !== "EBUSY") throw error;
    appendInPlace(path, content, before?.size);
  }
}

/**
 * Makes a folder that only its owner may enter, with what `fill` puts into it, beside its place and then renamed: it stands
 * complete or not at all. Throws FileError, and what `fill` throws.
 */
export function makeWholeFolder(path: string, fill: (fresh: string) => void): void {
  const fresh = `${path}.${process.pid}.new`;
  onFile(path, "nothing was written there", () => {
    calls().remove(fresh);
    try {
      makePrivateFolder(fresh);
      fill(fresh);
      calls().rename(fresh, path);
    } catch (error) {
      removeQuietly(fresh);
      throw error;
    }
  });
  onFile(path, RENAMED, () => syncFolder(dirname(path)));
}

/** The text of a file. Throws FileError, whose `code` is that of the system. */
export const readText = (path: string): string => onFile(path, "nothing is changed", () => readFileSync(path, "utf8"));

/** Writes every byte, over short writes. Throws the system's refusal. */
export function writeFully(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    const got = calls().write(file, bytes, done, bytes.length - done);
    if (got <= 0) throw Object.assign(new Error("nothing could be written"), { code: "ENOSPC", syscall: "write" });
    done += got;
  }
}

/** Makes a folder that only its owner may enter; its parents as the system does. An old one is closed to others. Throws FileError. */
export function makePrivateFolder(path: string): void {
  onFile(path, "nothing was written there", () => {
    if (existsSync(path)) {
      if ((statSync(path).mode & 0o077) !== 0) closeToOthers(path);
      return;
    }
    if (!existsSync(dirname(path))) calls().makeFolder(dirname(path));
    calls().makeFolder(path, PRIVATE_FOLDER);
  });
}

/** Makes the names in a folder safe against a power cut, where the system can. */
export function syncFolder(path: string): void {
  let file: number;
  try {
    file = calls().open(path, "r");
  } catch (error) {
    if (isRefusal(error, ...FOLDERS_NOT_OPENED)) return;
    throw error;
  }
  try {
    calls().sync(file);
  } catch (error) {
    if (!isRefusal(error, ...FOLDERS_NOT_SYNCED)) throw error;
  } finally {
    calls().close(file);
  }
}

/** After a failure: what cannot be removed either is left, the failure itself is told. */
export function removeQuietly(path: string): void {
  quietly(() => calls().remove(path));
}

/** What fails after a failure is not told: the failure itself is. */
export function quietly(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
}

/** By folder that is still to be forced to the disk, a file in it. Undefined: each is at once. */
let gathered: Map<string, string> | undefined;

/** Windows opens no folders; a folder may be written to without being readable. */
const FOLDERS_NOT_OPENED = ["EISDIR", "EPERM", "EACCES"];
/** Network and FUSE file systems, and Windows. */
const FOLDERS_NOT_SYNCED = ["EINVAL", "ENOTSUP", "EPERM", "EBADF", "ENOSYS"];

const CHUNK_BYTES = 1 << 20;

function* chunksOf(path: string): Generator<Buffer> {
  const file = calls().open(path, "r");
  try {
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const got = calls().read(file, chunk, 0, CHUNK_BYTES);
      if (got === 0) return;
      yield chunk.subarray(0, got);
    }
  } finally {
    calls().close(file);
  }
}

interface Opening {
  /** To the disk, and not only to the system. */
  readonly force: boolean;
  readonly mode: number | undefined;
}

function writeAll(path: string, flags: string, content: Content, { force, mode }: Opening): void {
  const file = calls().open(path, flags, mode);
  try {
    for (const piece of piecesOf(content)) writeFully(file, typeof piece === "string" ? Buffer.from(piece) : piece);
    if (force) calls().sync(file);
  } finally {
    calls().close(file);
  }
}

const piecesOf = (content: Content): Iterable<string | Uint8Array> =>
  typeof content === "string" || content instanceof Uint8Array ? [content] : content;

/** A folder of someone else, or on a system without modes, stays as it is. */
function closeToOthers(path: string): void {
  try {
    calls().setMode(path, PRIVATE_FOLDER);
  } catch (error) {
    if (!isRefusal(error, "EPERM", "EROFS", "ENOSYS", "ENOTSUP", "EACCES")) throw error;
  }
}

/** `size`: of an ordinary file, to cut it to where it cannot be written to its end. */
function appendInPlace(path: string, content: string, size: number | undefined): void {
  onFile(path, "what it held is still there", () => {
    try {
      writeAll(path, "a", content, { force: false, mode: undefined });
    } catch (error) {
      if (size !== undefined) cutQuietly(path, size);
      throw error;
    }
  });
}

/** After a failure: cuts off what was written behind the first `size` bytes. */
function cutQuietly(path: string, size: number): void {
  quietly(() => {
    const file = calls().open(path, "r+");
    try {
      calls().truncate(file, size);
    } finally {
      calls().close(file);
    }
  });
}
