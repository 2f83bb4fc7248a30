import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";

/**
 * Every call that reads or changes a journal or a whole file. Tests put others in their place: a disk that fills up, a
 * write that is refused, cut or short.
 */
export interface FileCalls {
  open(path: string, flags: string, mode?: number): number;
  /** May write less than it was given. Returns how many bytes were written. */
  write(file: number, bytes: Uint8Array, offset: number, length: number): number;
  /** Reads at `position`; undefined: behind what was read last. Returns how many bytes there were. */
  read(file: number, into: Uint8Array, offset: number, length: number, position?: number): number;
  sync(file: number): void;
  truncate(file: number, length: number): void;
  close(file: number): void;
  rename(from: string, to: string): void;
  link(from: string, to: string): void;
  remove(path: string): void;
  makeFolder(path: string, mode?: number): void;
  setMode(path: string, mode: number): void;
}

export const realCalls: FileCalls = {
  open: (path, flags, mode) => openSync(path, flags, mode),
  write: (file, bytes, offset, length) => writeSync(file, bytes, offset, length),
  read: (file, into, offset, length, position) => readSync(file, into, offset, length, position ?? null),
  sync: (file) => fsyncSync(file),
  truncate: (file, length) => ftruncateSync(file, length),
  close: (file) => closeSync(file),
  rename: (from, to) => renameSync(from, to),
  link: (from, to) => linkSync(from, to),
  remove: (path) => rmSync(path, { recursive: true, force: true }),
  makeFolder: (path, mode) => {
    const options = mode === undefined ? {} : { mode };
    try {
      mkdirSync(path, { ...options, recursive: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      mkdirSync(firstMissing(path), options); // Node says ENOENT of a read-only file system; a plain call says what it is
      mkdirSync(path, { ...options, recursive: true });
    }
  },
  setMode: (path, mode) => chmodSync(path, mode),
};

/** The uppermost folder of `path` that is not there. */
function firstMissing(path: string): string {
  const above = dirname(path);
  return above === path || existsSync(above) ? path : firstMissing(above);
}

let current: FileCalls = realCalls;

/** The calls in use. */
export const calls = (): FileCalls => current;

/** Puts other calls in place until the returned function is called. For tests of what a failing disk does. */
export function replaceCalls(other: FileCalls): () => void {
  const before = current;
  current = other;
  return () => {
    current = before;
  };
}
