import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

type Write = (file: number, bytes: Uint8Array, offset: number, length: number) => number;

/** Calls of node:fs that change something, by the name that a case calls them. */
const changing = {
  fsyncSync: "sync",
  ftruncateSync: "truncate",
  renameSync: "rename",
  mkdirSync: "makeFolder",
  linkSync: "link",
  rmSync: "remove",
  chmodSync: "setMode",
} as const;

/** An error as the system gives it. */
const refusal = (code: string, syscall = "write"): Error =>
  Object.assign(new Error(`${code}: refused, ${syscall}`), { code, syscall });

const refusals = ["ENOSPC", "EROFS", "EIO"] as const;
/**
 * `one byte`, `one byte short`: what of a write reaches the file before the rest is refused for want of space. `short`: a write takes all
 * but its last byte and says so, which is no failure.
 */
export type DiskFault = (typeof refusals)[number] | "one byte" | "one byte short" | "short";

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
  return install((write) => (file, content, offset, length) => {
    if (left === 0) throw refusal("ENOSPC");
    const got = write(file, content, offset, Math.min(length, left));
    left -= got;
    return got;
  });
}

/** A disk on which the nth changing call (0-based) is answered by `fault` in place of being made. */
export function faultyCall(n: number, fault: DiskFault): FailingDisk {
  const code = refusals.find((one) => one === fault) ?? "ENOSPC";
  let count = 0;
  let cut = false;
  return install(
    (write) => (file, content, offset, length) => {
      if (cut) {
        cut = false;
        throw refusal(code);
      }
      if (count !== n + 1) return write(file, content, offset, length);
      if (code === fault) throw refusal(code);
      cut = fault !== "short";
      return write(file, content, offset, fault === "one byte" ? 1 : Math.max(1, length - 1));
    },
    (name) => {
      if (count++ === n && name !== "write" && code === fault) throw refusal(code, name);
    },
  );
}

/** The real disk, counted. */
export const countingDisk = (): FailingDisk => install((write) => write);

/** `onChange` is told of a call before it is made, and may refuse it. */
function install(make: (real: Write) => Write, onChange: (name: string) => void = () => undefined): FailingDisk {
  let written = 0;
  const changes: string[] = [];
  const writing = new Set<number>();
  const real = { ...fs };
  const own = make((file, bytes, offset, length) => real.writeSync(file, bytes, offset, length));
  const change = (name: string): void => {
    changes.push(name);
    onChange(name);
  };
  const counted =
    (name: string, call: (...args: never[]) => unknown) =>
    (...args: never[]): unknown => {
      change(name);
      return call(...args);
    };
  const patched = {
    openSync(...[path, flags, mode]: Parameters<typeof fs.openSync>): number {
      if (flags !== "r") change("open");
      const file = real.openSync(path, flags, mode);
      if (flags !== "r") writing.add(file);
      return file;
    },
    writeSync(...[file, bytes, offset, length]: Parameters<Write>): number {
      change("write");
      const got = own(file, bytes, offset, length);
      written += got;
      return got;
    },
    closeSync(file: number): void {
      real.closeSync(file);
      if (writing.delete(file)) change("close"); // a network disk tells only now what it could not keep
    },
    ...Object.fromEntries(
      Object.entries(changing).map(([call, name]) => [call, counted(name, real[call as keyof typeof changing])]),
    ),
  };
  const put = (calls: object): void => {
    Object.assign(fs, calls);
    syncBuiltinESMExports();
  };
  put(patched);
  const restore = (): void =>
    put(Object.fromEntries(Object.keys(patched).map((call) => [call, real[call as "openSync"]])));
  return { written: () => written, changes, restore };
}
