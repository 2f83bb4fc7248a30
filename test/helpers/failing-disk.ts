import { type FileCalls, realCalls, replaceCalls } from "../../src/disk/calls.js";

/** An error as the system gives it. */
export const refusal = (code: string, syscall = "write"): Error =>
  Object.assign(new Error(`${code}: refused, ${syscall}`), { code, syscall });

export const refusals = ["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EPERM", "EIO"] as const;
/** What of a write reaches the file before the rest is refused for want of space: its first byte, or all but its last. */
export const cuts = ["one byte", "one byte short"] as const;
/** `short`: a write takes all but its last byte and says so, which is no failure. */
export type DiskFault = (typeof refusals)[number] | (typeof cuts)[number] | "short";

export interface FailingDisk {
  /** Bytes written through it. */
  written(): number;
  /** Calls that change something, in order. */
  readonly changes: readonly string[];
  /** Calls that read something. */
  readonly reads: readonly string[];
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

export interface FaultReach {
  /** The fault stays, as a disk that is full or read-only does. Default: one call, and what a cut write goes on with. */
  readonly stays?: boolean;
}

/** A disk on which the nth changing call (0-based) is answered by `fault` in place of being made. */
export function faultyCall(n: number, fault: DiskFault, { stays = false }: FaultReach = {}): FailingDisk {
  const code = refusals.find((one) => one === fault) ?? "ENOSPC";
  let count = 0;
  let cut = false;
  return install(
    (real) => ({
      write(file, content, offset, length) {
        const isFull = stays && fault !== "short" && count > n + 1;
        if (cut || isFull) {
          cut = false;
          throw refusal(code);
        }
        if (count !== n + 1) return real.write(file, content, offset, length);
        if (code === fault) throw refusal(code);
        cut = fault !== "short";
        return real.write(file, content, offset, fault === "one byte" ? 1 : Math.max(1, length - 1));
      },
    }),
    (name) => {
      const at = count++;
      const due = at === n || (stays && at > n);
      if (due && name !== "write" && code === fault) throw refusal(code, name);
    },
  );
}

/** A disk on which the nth reading call (0-based) is refused. */
export function faultyRead(n: number, code: "EIO" | "EACCES"): FailingDisk {
  let count = 0;
  return install(
    () => ({}),
    () => undefined,
    (name) => {
      if (count++ === n) throw refusal(code, name);
    },
  );
}

/** The real disk, counted. */
export const countingDisk = (): FailingDisk => install(() => ({}));

/** `onChange` and `onRead` are told of a call before it is made, and may refuse it. */
function install(
  make: (real: FileCalls) => Partial<FileCalls>,
  onChange: (name: string) => void = () => undefined,
  onRead: (name: string) => void = () => undefined,
): FailingDisk {
  let written = 0;
  const changes: string[] = [];
  const reads: string[] = [];
  const writing = new Set<number>();
  const own: FileCalls = { ...realCalls, ...make(realCalls) };
  const change = (name: string): void => {
    changes.push(name);
    onChange(name);
  };
  const read = (name: string): void => {
    reads.push(name);
    onRead(name);
  };
  const counted =
    <A extends unknown[], R>(name: string, call: (...args: A) => R) =>
    (...args: A): R => {
      change(name);
      return call(...args);
    };
  const restore = replaceCalls({
    open(path, flags, mode) {
      (flags === "r" ? read : change)("open");
      const file = own.open(path, flags, mode);
      if (flags !== "r") writing.add(file);
      return file;
    },
    read(...args) {
      read("read");
      return own.read(...args);
    },
    write(file, content, offset, length) {
      change("write");
      const got = own.write(file, content, offset, length);
      written += got;
      return got;
    },
    close(file) {
      own.close(file);
      if (writing.delete(file)) change("close"); // a network disk tells only now what it could not keep
    },
    sync: counted("sync", own.sync),
    truncate: counted("truncate", own.truncate),
    rename: counted("rename", own.rename),
    makeFolder: counted("makeFolder", own.makeFolder),
    link: counted("link", own.link),
    remove: counted("remove", own.remove),
    setMode: counted("setMode", own.setMode),
  });
  return { written: () => written, changes, reads, restore };
}
