import { closeSync, openSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { isRefusal, isSystemError, onFile } from "../disk/file-error.js";
import { makePrivateFolder, PRIVATE_FILE, writeFully } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";

/** File name of the lock in a run folder. It holds the owner: `{ pid, host }`. */
export const LOCK_FILE = "lock";

/** Interval of heartbeats: the owner writes its lock file again. */
const HEARTBEAT_MS = 10_000;
/** A lock of another machine without a heartbeat for so long counts as abandoned. */
const STALE_MS = 120_000;

interface LockSettings {
  /** Called if another process has removed or replaced the lock file. */
  onLost?(error: UsageError): void;
}

/**
 * Locks a folder for this process. Creates the folder if it is missing. Returns a function that releases the lock. Throws UsageError if
 * another process that is alive holds the lock, and FileError.
 */
export function lockFolder(folder: string, { onLost = () => undefined }: LockSettings = {}): () => void {
  makePrivateFolder(folder);
  const path = join(folder, LOCK_FILE);
  const owner = JSON.stringify({ pid: process.pid, host: machineId() });
  onFile(path, "the run is unchanged", () => {
    while (!tryCreate(path, owner)) removeAbandoned(path, folder);
  });
  const timer = setInterval(() => {
    if (textOf(path) === owner) return sendHeartbeat(path, owner);
    clearInterval(timer);
    onLost(new UsageError(`${path}: the lock was taken away while this run worked; nothing more is written`));
  }, HEARTBEAT_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    if (textOf(path) === owner) rmSync(path, { force: true });
  };
}

/** Updates the file's modification time: by writing, so that the file system's clock sets it, which all machines share. */
function sendHeartbeat(path: string, owner: string): void {
  try {
    writeFileSync(path, owner, { flag: "r+" });
  } catch (error) {
    if (!isSystemError(error)) throw error; // the next heartbeat may succeed, long before the lock is stale
  }
}

/** Removes a lock whose process is dead. Throws UsageError if it is alive. */
function removeAbandoned(path: string, folder: string): void {
  const text = textOf(path);
  if (text === undefined) return; // just released
  const { pid, host } = parseOwner(text);
  const ageMs = ageOf(path);
  const isAlive = host === machineId() ? isRunning(pid) : ageMs <= STALE_MS;
  if (isAlive)
    throw new UsageError(
      `${folder}: process ${pid} on ${host.split(" ")[0]} is working on this run (last seen ${Math.round(ageMs / 1000)} s ago); wait for it, choose another --out, or remove ${path} if that process is gone`,
    );
  removeUnchanged(path, text);
}

/**
 * Removes a lock file if it still has this text. A second lock file, `lock.takeover`, lets one process at a time do so: otherwise the
 * second process would remove the new lock of the first.
 */
function removeUnchanged(path: string, text: string): void {
  const takeover = `${path}.takeover`;
  if (!tryCreate(takeover, "")) {
    if (ageOf(takeover) > STALE_MS) rmSync(takeover, { force: true }); // its process was killed
    throw new UsageError(`${path}: another process is taking it over; give the same command again`);
  }
  try {
    if (textOf(path) === text) rmSync(path);
  } finally {
    rmSync(takeover, { force: true });
  }
}

/** Returns how long ago a file was written, in milliseconds, by the clock of its file system: that of a file written now. */
function ageOf(path: string): number {
  const probe = `${path}.${process.pid}.now`;
  try {
    writeFileSync(probe, "", { mode: PRIVATE_FILE });
    return Math.max(0, statSync(probe).mtimeMs - statSync(path).mtimeMs);
  } finally {
    rmSync(probe, { force: true });
  }
}

/** Returns host name, boot id and PID namespace: process ids are unique within these. */
function machineId(): string {
  const bootId = textOf("/proc/sys/kernel/random/boot_id")?.trim() ?? "";
  let pidNamespace = "";
  try {
    pidNamespace = readlinkSync("/proc/self/ns/pid");
  } catch (error) {
    if (!isSystemError(error)) throw error; // not Linux
  }
  return [hostname(), bootId, pidNamespace].join(" ");
}

function parseOwner(text: string): { readonly pid: number; readonly host: string } {
  try {
    return JSON.parse(text);
  } catch {
    return { pid: 0, host: "another machine" }; // incomplete: its age decides
  }
}

/** Creates a file. Returns false if it exists. */
function tryCreate(path: string, text: string): boolean {
  let file: number;
  try {
    file = openSync(path, "wx", PRIVATE_FILE);
  } catch (error) {
    if (isRefusal(error, "EEXIST")) return false;
    throw error;
  }
  try {
    writeFully(file, Buffer.from(text));
    return true;
  } catch (error) {
    rmSync(path, { force: true }); // no empty lock on a full disk
    throw error;
  } finally {
    closeSync(file);
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return isRefusal(error, "EPERM");
  }
  // A zombie is dead: killed, but its parent has not waited for it. proc(5), field 3.
  const stat = textOf(`/proc/${pid}/stat`);
  return stat === undefined || !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
}
