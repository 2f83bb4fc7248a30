import { type FileCalls, realCalls, replaceCalls } from "../../src/disk/calls.js";

/** An error as the system gives it. */
export const refusal = (code: string, syscall = "write"): Error =>
  Object.assign(new Error(`${code}: refused, ${syscall}`), { code, syscall });

export interface FailingDisk {
  /** Bytes written through it. */
  written(): number;
  /** Calls that change something, in order. */
  readonly changes: readonly string[];
  restore(): void;
}

/** A disk that takes `bytes` bytes and then none; what is removed or cut off makes no room. */
export function fullDisk(bytes: number): FailingDisk {
  let left = bytes;
  return install((real) => ({
    write(file, content, offset, length) {
      if (left === 0) throw refusal("ENOSPC");
      const got = real.write(file, content, offset, Math.min(length, left));
      left -= got;
      return got;
    },
  }));
}

/** A disk on which the nth changing call (0-based) is answered by `fault` in place of being made. */
export function faultyCall(
  n: number,
  fault: "ENOSPC" | "EROFS" | "EACCES" | "EPERM" | "EIO" | "EDQUOT" | "short",
): FailingDisk {
  let count = 0;
  const due = (): boolean => count++ === n;
  const refused = (): boolean => due() && fault !== "short";
  return install((real) => ({
    write(file, content, offset, length) {
      if (!due()) return real.write(file, content, offset, length);
      if (fault !== "short") throw refusal(fault);
      return real.write(file, content, offset, Math.max(1, length - 1));
    },
    ...Object.fromEntries(
      (["sync", "truncate", "rename", "makeFolder", "link", "remove"] as const).map((name) => [
        name,
        (...args: never[]) => {
          if (refused()) throw refusal(fault, name);
          return (real[name] as (...given: never[]) => void)(...args);
        },
      ]),
    ),
  }));
}

/** The real disk, counted. */
export const countingDisk = (): FailingDisk => install(() => ({}));

// --- internal ---

function install(make: (real: FileCalls) => Partial<FileCalls>): FailingDisk {
  let written = 0;
  const changes: string[] = [];
  const own: FileCalls = { ...realCalls, ...make(realCalls) };
  const restore = replaceCalls({
    ...own,
    write(file, content, offset, length) {
      changes.push("write");
      const got = own.write(file, content, offset, length);
      written += got;
      return got;
    },
    sync(file) {
      changes.push("sync");
      own.sync(file);
    },
    truncate(file, length) {
      changes.push("truncate");
      own.truncate(file, length);
    },
    rename(from, to) {
      changes.push("rename");
      own.rename(from, to);
    },
    makeFolder(path, mode) {
      changes.push("makeFolder");
      own.makeFolder(path, mode);
    },
    link(from, to) {
      changes.push("link");
      own.link(from, to);
    },
    remove(path) {
      changes.push("remove");
      own.remove(path);
    },
  });
  return { written: () => written, changes, restore };
}
