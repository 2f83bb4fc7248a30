import {
  closeSync,
  existsSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { isRefusal, onFile } from "../disk/file-error.js";
import { makePrivateFolder, PRIVATE_FILE, removeQuietly, writeFully } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import { sha256 } from "../text/content-id.js";
import { parsed } from "./journal/record-line.js";
import { runFiles } from "./run-files.js";

/** Between two signs of life of the process that works on a run. */
const BEAT_MS = 10_000;
/** The file of a folder that says who works in it, written again at each sign of life. */
export const LOCK = "lock";
/** Without a sign of life for so long, a lease of a process that cannot be seen is taken over. */
export const STALE_MS = 120_000;

/** The machine that leases are made on; tests hand in another. */
export interface Machine {
  /** What tells one space of process ids from all others: host, start of the system, container. */
  readonly space: string;
  readonly host: string;
  readonly pid: number;
  /** When a process began, in whatever unit the system counts; undefined: it cannot be told. */
  startOf(pid: number): string | undefined;
  isAlive(pid: number): boolean;
  /** When a file was written last, milliseconds by the clock of whoever keeps the file. */
  writtenMs(path: string): number | undefined;
  /** Calls again and again until the returned function is called; never keeps the process alive. */
  every(ms: number, work: () => void): () => void;
}

/** What else there is to do where a command takes its folder from `--out`. */
export const otherOut = "choose another --out";

interface LeaseSettings {
  readonly machine?: Machine;
  /** What else a person may do who finds the folder in work. Default: nothing. */
  readonly elseDo?: string;
  /** Told once when the lease is no longer ours: someone broke it. */
  readonly onLost?: (error: UsageError) => void;
}

/**
 * Keeps two processes out of one run folder, on whatever machines and in whatever containers they are. Returns the
 * release. A dead process's lease is taken over: at once where the process can be seen to be gone, else when it gave no
 * sign of life for `STALE_MS`. Throws UsageError naming the file where the folder is in work.
 */
export function lockFolder(
  folder: string,
  { machine = thisMachine(), onLost, elseDo }: LeaseSettings = {},
): () => void {
  makePrivateFolder(folder);
  const path = join(folder, LOCK);
  const draft = `${path}.${sha256(machine.space).slice(0, 8)}.${machine.pid}`; // two containers may have equal process ids
  const text = JSON.stringify(leaseOf(machine));
  let gone: number | undefined;
  onFile(path, "the run is unchanged", () => {
    try {
      write(draft, text);
      while (!linked(draft, path)) gone = takeOver({ folder, path, draft, machine, elseDo }) ?? gone;
    } finally {
      removeQuietly(draft); // what stays is removed with other leftovers
    }
  });
  const nowMs = machine.writtenMs(path);
  const ageMs = (file: string): number | undefined => {
    const writtenMs = machine.writtenMs(file);
    return nowMs === undefined || writtenMs === undefined ? undefined : nowMs - writtenMs;
  };
  removeLeftovers(folder, { gone, own: machine.pid, isAlive: machine.isAlive, ageMs }, STALE_MS);
  held.add(path);
  let lost = false;
  const stop = machine.every(BEAT_MS, () => {
    if (lost) return;
    try {
      if (readText(path) === text) return write(path, text, "r+"); // the same bytes over the old take no space
    } catch (error) {
      if (isRefusal(error, ...PASSING)) return;
      throw error;
    }
    lost = true;
    onLost?.(new UsageError(`${path}: the lock was taken away while this run worked; nothing more is written`));
  });
  return () => {
    stop();
    held.delete(path);
    if (readText(path) === text) onFile(path, "the run is complete", () => rmSync(path, { force: true }));
  };
}

/** The machine and process that this code runs on. */
export function thisMachine(): Machine {
  const host = hostname();
  const boot = unlessGone(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()) ?? "";
  const container = unlessGone(() => readlinkSync("/proc/self/ns/pid")) ?? "";
  return {
    space: [host, boot, container].join(" "),
    host,
    pid: process.pid,
    startOf: (pid) => unlessGone(() => startTicks(readFileSync(`/proc/${pid}/stat`, "utf8"))),
    isAlive,
    writtenMs: (path) => unlessGone(() => statSync(path).mtimeMs),
    every(ms, work) {
      const timer = setInterval(work, ms);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}

/** Leases of this process: one that it could not remove any more does not keep it out. */
const held = new Set<string>();

const leaseSchema = z.object({ place: z.string(), host: z.string(), pid: z.number(), start: z.string().optional() });
type Lease = z.infer<typeof leaseSchema>;

function leaseOf({ space, host, pid, startOf }: Machine): Lease {
  const start = startOf(pid);
  return { place: space, host, pid, ...(start === undefined ? {} : { start }) };
}

interface Sought {
  readonly folder: string;
  readonly path: string;
  readonly draft: string;
  readonly machine: Machine;
  readonly elseDo: string | undefined;
}

/** Takes a dead lease out of the way; puts it back where it was another one by then. Returns whose it was, where that is known. */
function takeOver(sought: Sought): number | undefined {
  const { folder, path, draft, machine } = sought;
  const text = readText(path);
  if (text === undefined) return undefined; // it has just gone
  refuseHeld(text, sought);
  const aside = `${draft}.old`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (isRefusal(error, "ENOENT")) return undefined; // another process took it
    throw error;
  }
  const ours = readText(aside) === text || linked(aside, path);
  rmSync(aside, { force: true });
  if (!ours) throw new UsageError(`${folder}: several processes want to work on this run; try again`);
  const lease = leaseIn(text);
  return lease?.place === machine.space ? lease.pid : undefined;
}

function refuseHeld(text: string, { folder, path, draft, machine, elseDo }: Sought): void {
  const lease = leaseIn(text);
  const beatMs = machine.writtenMs(path);
  const nowMs = machine.writtenMs(draft); // by the same clock as the other's
  const silentMs = beatMs === undefined || nowMs === undefined ? 0 : nowMs - beatMs;
  if (lease === undefined ? silentMs > STALE_MS : !mayLive(lease, path, silentMs, machine)) return;
  const who = lease === undefined ? "another process" : `process ${lease.pid} on ${lease.host}`;
  const ways = ["wait for it", ...(elseDo === undefined ? [] : [elseDo])].join(", ");
  throw new UsageError(
    `${folder}: ${who} is working on this run (last sign of life ${Math.max(0, Math.round(silentMs / 1000))} s ago); ${ways}, or, if it is surely gone, remove ${path}`,
  );
}

/** A process of this machine and container is looked for; of any other only its signs of life are known. */
function mayLive({ place: space, pid, start }: Lease, path: string, silentMs: number, machine: Machine): boolean {
  if (space !== machine.space) return silentMs <= STALE_MS;
  if (pid === machine.pid) return held.has(path);
  if (!machine.isAlive(pid)) return false;
  const startNow = machine.startOf(pid);
  return start === undefined || startNow === undefined || start === startNow;
}

function leaseIn(text: string): Lease | undefined {
  const lease = leaseSchema.safeParse(parsed(text));
  return lease.success ? lease.data : undefined;
}

/** Makes the lock appear with its content or not at all. False when there is one. */
function linked(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (isRefusal(error, "EEXIST")) return false;
    if (!isRefusal(error, "EPERM", "ENOTSUP", "ENOSYS", "EOPNOTSUPP")) throw error;
    return made(path, readText(draft) ?? "");
  }
}

/** The same on file systems without hard links. */
function made(path: string, text: string): boolean {
  try {
    write(path, text, "wx");
    return true;
  } catch (error) {
    if (isRefusal(error, "EEXIST")) return false;
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

/** Refusals of one sign of life: a disk that goes on refusing will stop the run by itself, and open connections end. */
const PASSING = "ENOSPC EDQUOT EIO EROFS EACCES EPERM ENOENT ESTALE EMFILE ENFILE".split(" ");

function readText(path: string): string | undefined {
  return unlessGone(() => readFileSync(path, "utf8"));
}

/** proc(5), field 22; the second field, the name, may hold blanks and brackets. */
const startTicks = (stat: string): string | undefined => stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];

/** Ended, but nobody has asked for its exit code yet: a killed process in a container without an init stays so. proc(5), field 3. */
function hasEnded(pid: number): boolean {
  const stat = unlessGone(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  return stat !== undefined && /^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
}

function isAlive(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return !hasEnded(pid);
  } catch (error) {
    return isRefusal(error, "EPERM");
  }
}

/** Undefined where the file is not there, or the system has none such. */
function unlessGone<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (isRefusal(error, "ENOENT", "ENOTDIR", "EACCES", "ESRCH", "EPERM")) return undefined;
    throw error;
  }
}

/** Who may have left files that it was writing. */
interface Writers {
  /** The process whose lease was taken over: it is gone, wherever it was. */
  readonly gone: number | undefined;
  /** This process. */
  readonly own: number;
  isAlive(pid: number): boolean;
  /** How long ago a file was written, milliseconds; undefined: it cannot be told. */
  ageMs(path: string): number | undefined;
}

/**
 * Removes what killed processes were writing in a run folder: files of exactly the names that this program gives them
 * (`rows.jsonl.PID.new`, `lock.ID.PID`), of a process that is gone. One that cannot be seen counts as gone when its file has
 * stood for `staleMs`. To be called by the holder of the folder's lease.
 */
export function removeLeftovers(folder: string, writers: Writers, staleMs: number): void {
  for (const [inside, pattern] of [
    [folder, OF_RUN],
    [folder, OF_LEASE],
    [join(folder, runFiles.figures), OF_FIGURES],
  ] as const) {
    if (!existsSync(inside)) continue;
    for (const name of readdirSync(inside)) {
      const pid = Number(pattern.exec(name)?.groups?.pid);
      if (Number.isSafeInteger(pid) && isGone(pid, join(inside, name), writers, staleMs)) removeOne(join(inside, name));
    }
  }
}

const escaped = Object.values(runFiles).map((name) => name.replaceAll(".", "\\."));
const OF_RUN = new RegExp(`^(?:${escaped.join("|")})\\.(?<pid>\\d+)\\.new$`);
const OF_LEASE = /^lock\.[0-9a-f]{8}\.(?<pid>\d+)(?:\.old)?$/;
const OF_FIGURES = /^.+\.(?:svg|png|vl\.json)\.(?<pid>\d+)\.new$/;

function isGone(pid: number, path: string, { gone, own, isAlive, ageMs }: Writers, staleMs: number): boolean {
  if (pid === own || isAlive(pid)) return false;
  return pid === gone || (ageMs(path) ?? 0) > staleMs;
}

/** What cannot be removed is left: nothing reads it. */
function removeOne(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    if (!isRefusal(error, "EACCES", "EPERM", "EROFS", "EIO", "EBUSY", "ENOSPC", "EDQUOT", "ESTALE")) throw error;
  }
}
