import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../errors.js";
import { framedRecords } from "./journal.js";
import { type LockSettings, lockFolder, otherOut } from "./lock.js";
import { recordFiles, runFiles } from "./run-files.js";

/** Locks the folder that a command was given as `--out`. Throws UsageError where a run would write over files that are of no run. */
export function lockOutFolder(folder: string, settings: Pick<LockSettings, "onLost"> = {}): () => void {
  refuseForeign(folder);
  return lockFolder(folder, { ...settings, elseDo: otherOut });
}

function refuseForeign(folder: string): void {
  const written = Object.values(runFiles).filter((name) => {
    const found = statSync(join(folder, name), { throwIfNoEntry: false });
    return found?.isFile() && found.size > 0;
  });
  const hasRecord = (name: string): boolean => framedRecords(join(folder, name)).next().value !== undefined;
  const isRun =
    existsSync(join(folder, runFiles.manifest)) ||
    recordFiles.some((name) => written.includes(name) && hasRecord(name));
  if (written.length === 0 || isRun) return;
  throw new UsageError(`--out ${folder}: holds ${written.join(", ")}, which a run would write over; ${otherOut}`);
}
