import { UsageError } from "../errors.js";

/**
 * A file could not be written or read: a full disk, a read-only folder, a missing permission, a failing device. One line
 * says what is safe and what to do; exit code 2.
 */
export class FileError extends UsageError {
  /** As the system names it, e.g. `ENOSPC`. */
  readonly code: string;

  constructor(path: string, code: string, safe: string, options?: ErrorOptions) {
    const [what, remedy] = known[code] ?? [`cannot be used (${code})`, "mend that"];
    super(`${path}: ${what}; ${safe}; ${remedy}, then the same command goes on`);
    this.code = code;
    if (options?.cause !== undefined) this.cause = options.cause;
  }
}

/** The FileError of a refusal that nobody has named a file for; undefined where it is none that a disk gives. */
export function fileErrorOf(error: unknown): FileError | undefined {
  if (!isSystemError(error) || !(error.code in known)) return undefined;
  const path = typeof error.path === "string" ? error.path : "a file";
  return new FileError(path, error.code, "what was written before is safe", { cause: error });
}

/** Runs file calls on `path`. A refusal of the system becomes a FileError that says what is `safe`; all else passes. */
export function onFile<T>(path: string, safe: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof FileError || !isSystemError(error)) throw error;
    throw new FileError(path, error.code, safe, { cause: error });
  }
}

/** True for a refusal of the system with this code. */
export function isRefusal(error: unknown, ...codes: readonly string[]): boolean {
  return isSystemError(error) && codes.includes(error.code);
}

/** True for a refusal of the system. */
export function isSystemError(error: unknown): error is Error & { readonly code: string; readonly path?: unknown } {
  return error instanceof Error && "code" in error && typeof error.code === "string" && "syscall" in error;
}

/** What went wrong, and what to do, by the system's code. */
const known: Readonly<Record<string, readonly [string, string]>> = {
  ENOSPC: ["no space is left on the disk", "make some"],
  EDQUOT: ["the disk quota is used up", "make some space"],
  EFBIG: ["the file is larger than this file system takes", "use another file system"],
  EROFS: ["the file system is read-only", "make it writable, or use another folder"],
  EACCES: ["permission is missing", "give it (chmod, chown), or use another folder"],
  EPERM: ["the system does not allow it", "allow it, or use another folder"],
  EIO: ["the disk reports an error", "copy the folder to a sound disk"],
  EMFILE: ["too many files are open", "raise the limit (ulimit -n)"],
  ENFILE: ["too many files are open on this machine", "close some"],
  ENOTDIR: ["a file stands where a folder is needed", "move it away"],
  EISDIR: ["a folder stands where a file is needed", "move it away"],
  EEXIST: ["something else stands there", "move it away"],
  ENOENT: ["it, or its folder, is gone", "put it back"],
  ENAMETOOLONG: ["the name is too long", "choose a shorter one"],
  ESTALE: ["the network folder has gone", "mount it again"],
};
