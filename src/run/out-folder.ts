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
  const holds = (name: string): boolean => existsSync(join(folder, name));
  const written = Object.values(runFiles).filter((name) => holds(name) && statSync(join(folder, name)).size > 0);
  const isRun = holds(runFiles.manifest) || recordFiles.some((name) => framedRecords(join(folder, name)).next().value);
  if (written.length === 0 || isRun) return;
  throw new UsageError(`--out ${folder}: holds ${written.join(", ")}, which a run would write over; ${otherOut}`);
}
