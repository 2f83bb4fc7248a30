import { closeSync, openSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { isRefusal, isSystemError, onFile } from "../disk/file-error.js";
import { makePrivateFolder, PRIVATE_FILE, writeFully } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";

/** The lock file of a folder. */
export const LOCK_FILE = "lock";

/** Between two signs of life, and the silence after which the lock of a process on another machine is taken over. */
const BEAT_MS = 10_000;
const STALE_MS = 120_000;

interface LockSettings {
  /** Called where the lock file was removed meanwhile. */
  onLost?(error: UsageError): void;
}

/**
 * Keeps two processes out of one folder, which is made where it is missing. Returns the release. Throws UsageError naming the file where a living process holds it, and FileError.
 */
export function lockFolder(folder: string, { onLost = () => undefined }: LockSettings = {}): () => void {
  makePrivateFolder(folder);
  const path = join(folder, LOCK_FILE);
  const own = JSON.stringify({ pid: process.pid, host: machine() });
  onFile(path, "the run is unchanged", () => {
    while (!created(path, own)) removeDead(path, folder);
  });
  const timer = setInterval(() => {
    if (textAt(path) === own) return beat(path, own);
    clearInterval(timer);
    onLost(new UsageError(`${path}: the lock was taken away while this run worked; nothing more is written`));
  }, BEAT_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    if (textAt(path) === own) rmSync(path, { force: true });
  };
}

/** A sign of life: the file is written again, so that its time is by the clock of the file system, which all machines share. */
function beat(path: string, own: string): void {
  try {
    writeFileSync(path, own, { flag: "r+" });
  } catch (error) {
    if (!isSystemError(error)) throw error; // the next one may succeed: many are missed before a lock counts as dead
  }
}

/** Removes the lock of a dead process. Throws UsageError where it lives. */
function removeDead(path: string, folder: string): void {
  const text = textAt(path);
  if (text === undefined) return; // it has just been released
  const { pid, host } = ownerOf(text);
  const ageMs = ageOf(path);
  const isAlive = host === machine() ? isRunning(pid) : ageMs <= STALE_MS;
  if (isAlive)
    throw new UsageError(
      `${folder}: process ${pid} on ${host.split(" ")[0]} is working on this run (last seen ${Math.round(ageMs / 1000)} s ago); wait for it, choose another --out, or remove ${path} if that process is gone`,
    );
  removeOnly(path, text);
}

/** Removes a lock that still says this. One process at a time does so: otherwise the second would remove the fresh lock of the first. */
function removeOnly(path: string, text: string): void {
  const turn = `${path}.takeover`;
  if (!created(turn, "")) {
    if (ageOf(turn) > STALE_MS) rmSync(turn, { force: true }); // its process was killed
    throw new UsageError(`${path}: another process is taking it over; give the same command again`);
  }
  try {
    if (textAt(path) === text) rmSync(path);
  } finally {
    rmSync(turn, { force: true });
  }
}

/** Returns how long ago a file was written, in milliseconds, by the clock of its own file system. */
function ageOf(path: string): number {
  const probe = `${path}.${process.pid}.now`;
  try {
    writeFileSync(probe, "", { mode: PRIVATE_FILE });
    return Math.max(0, statSync(probe).mtimeMs - statSync(path).mtimeMs);
  } finally {
    rmSync(probe, { force: true });
  }
}

/** Host, start of the system and space of process ids: a container has its own. */
function machine(): string {
  const boot = textAt("/proc/sys/kernel/random/boot_id")?.trim() ?? "";
  let space = "";
  try {
    space = readlinkSync("/proc/self/ns/pid");
  } catch (error) {
    if (!isSystemError(error)) throw error; // not on this system
  }
  return [hostname(), boot, space].join(" ");
}

function ownerOf(text: string): { readonly pid: number; readonly host: string } {
  try {
    return JSON.parse(text);
  } catch {
    return { pid: 0, host: "another machine" }; // half written: its age decides
  }
}

function created(path: string, text: string): boolean {
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
    rmSync(path, { force: true }); // a full disk leaves no lock
    throw error;
  } finally {
    closeSync(file);
  }
}

function textAt(path: string): string | undefined {
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
  // Killed, but not waited for by its parent, as in a container without an init: proc(5), field 3.
  const stat = textAt(`/proc/${pid}/stat`);
  return stat === undefined || !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
}
