import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isRefusal } from "../disk/file-error.js";
import { runFiles } from "./run-files.js";

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
