import { randomUUID } from "node:crypto";
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { hostname } from "node:os";
import { basename, join } from "node:path";
import * as z from "zod";
import { isRefusal, isSystemError, onFile } from "../disk/file-error.js";
import { makePrivateFolder, PRIVATE_FILE, removeQuietly, writeFully } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import { parsed } from "./record-lines.js";
import { runFiles } from "./run-files.js";

/** The lock file of a folder, written again at each sign of life. */
export const LOCK = "lock";
/** Between two signs of life. */
const BEAT_MS = 10_000;
/** Without a sign of life for so long the lock of a process on another machine is taken over. */
export const STALE_MS = 120_000;
/** What else there is to do where a command takes its folder from `--out`. */
export const otherOut = "choose another --out";

/** A process and the machine it runs on; tests hand in others. */
export interface Machine {
  /** What tells one space of process ids from all others: host, start of the system, container. */
  readonly space: string;
  readonly host: string;
  readonly pid: number;
  isAlive(pid: number): boolean;
}

export interface LockSettings {
  readonly machine?: Machine;
  /** What else a person may do who finds the folder locked. Default: nothing. */
  readonly elseDo?: string;
  /** Told once when the lock is no longer ours: someone removed it. */
  readonly onLost?: (error: UsageError) => void;
}

/**
 * Keeps two processes out of one run folder, on whatever machines and in whatever containers they are. Returns the
 * release. Throws UsageError naming the file where a living process holds the lock.
 */
export function lockFolder(folder: string, { machine = thisMachine(), onLost, elseDo }: LockSettings = {}): () => void {
  makePrivateFolder(folder);
  const path = join(folder, LOCK);
  const text = ownerText(machine);
  const gone = onFile(path, "the run is unchanged", () =>
    take(path, machine, (owner, silentMs) => {
      const ways = ["wait for it", ...(elseDo === undefined ? [] : [elseDo])].join(", ");
      throw new UsageError(
        `${folder}: ${owner} is working on this run (last seen ${Math.round(silentMs / 1000)} s ago); ${ways}, or remove ${path} if that process is gone`,
      );
    }),
  );
  removeLeftovers(folder, gone);
  const timer = setInterval(() => {
    try {
      if (textAt(path) === text) return write(path, text, "r+"); // the same bytes over the old take no space
    } catch (error) {
      if (isSystemError(error)) return; // a disk that goes on refusing stops the run by itself
      throw error;
    }
    clearInterval(timer);
    onLost?.(new UsageError(`${path}: the lock was taken away while this run worked; nothing more is written`));
  }, BEAT_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    if (textAt(path) === text) onFile(path, "the run is complete", () => rmSync(path, { force: true }));
  };
}

/** The machine and process that this code runs on. */
export function thisMachine(): Machine {
  const host = hostname();
  const boot = unlessGone(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()) ?? "";
  const container = unlessGone(() => readlinkSync("/proc/self/ns/pid")) ?? "";
  return { space: [host, boot, container].join(" "), host, pid: process.pid, isAlive };
}

/**
 * Makes a lock file, in place of a dead process's. `busy` is told of a living owner and throws. Returns the id of the dead
 * process, where it was on this machine.
 */
function take(path: string, machine: Machine, busy: (owner: string, silentMs: number) => never): number | undefined {
  let gone: number | undefined;
  while (!created(path, ownerText(machine))) {
    const old = textAt(path);
    if (old === undefined) continue; // it has just been released
    const owner = ownerSchema.safeParse(parsed(old)).data;
    const isHere = owner?.space === machine.space;
    const aside = `${path}.${randomUUID()}`;
    const silentMs = silenceOf(path, aside);
    if (isHere ? machine.isAlive(owner.pid) : silentMs <= STALE_MS)
      busy(owner === undefined ? "another process" : `process ${owner.pid} on ${owner.host}`, silentMs);
    else {
      remove(path, old, aside);
      gone = isHere ? owner.pid : undefined;
    }
  }
  return gone;
}

/** How long ago a file was written, by the clock of whoever keeps it: `aside` is written to know its time. */
function silenceOf(path: string, aside: string): number {
  write(aside, "");
  const nowMs = statSync(aside).mtimeMs;
  rmSync(aside);
  return Math.max(0, nowMs - (unlessGone(() => statSync(path).mtimeMs) ?? nowMs));
}

/** Removes a dead process's lock; where another process was faster and it is a new one by now, it is put back. */
function remove(path: string, old: string, aside: string): void {
  unlessGone(() => renameSync(path, aside));
  const moved = textAt(aside);
  if (moved !== undefined && moved !== old) created(path, moved);
  rmSync(aside, { force: true });
}

const ownerSchema = z.object({ space: z.string(), host: z.string(), pid: z.number() });

const ownerText = ({ space, host, pid }: Machine): string => JSON.stringify({ space, host, pid });

/** False where there is such a file. Leaves none that is empty because the disk is full. */
function created(path: string, text: string): boolean {
  try {
    write(path, text, "wx");
    return true;
  } catch (error) {
    if (isRefusal(error, "EEXIST")) return false;
    removeQuietly(path);
    throw error;
  }
}

function write(path: string, text: string, flags = "w"): void {
  const file = openSync(path, flags, PRIVATE_FILE);
  try {
    writeFully(file, Buffer.from(text));
  } finally {
    closeSync(file);
  }
}

const textAt = (path: string): string | undefined => unlessGone(() => readFileSync(path, "utf8"));

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return isRefusal(error, "EPERM");
  }
  // Killed, but its parent has not asked for its exit code: it stays so in a container without an init. proc(5), field 3.
  const stat = textAt(`/proc/${pid}/stat`);
  return stat === undefined || !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
}

/** Undefined where the file is not there, or the system has none such. */
function unlessGone<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (isRefusal(error, "ENOENT", "ENOTDIR", "ESRCH")) return undefined;
    throw error;
  }
}

/** Removes files that killed processes were writing: those of the process whose lock was taken over, and old ones. */
function removeLeftovers(folder: string, gone: number | undefined): void {
  const nowMs = statSync(join(folder, LOCK)).mtimeMs;
  for (const inside of [folder, join(folder, runFiles.figures)])
    for (const name of existsSync(inside) ? readdirSync(inside) : []) {
      const [, file = "", pid] = /^(.+)\.(\d+)\.new$/.exec(name) ?? [];
      const isOurs = inside === folder ? names.has(file) : /\.(?:svg|png|vl\.json)$/.test(file);
      const path = join(inside, name);
      if (isOurs && (Number(pid) === gone || nowMs - statSync(path).mtimeMs > STALE_MS)) removeQuietly(path);
    }
}

const names = new Set<string>(Object.values(runFiles).map((name) => basename(name)));
