import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../errors.js";
import { runFiles } from "./run-files.js";

/** Throws UsageError where a run in a folder would write over files that are of no run. */
export function refuseForeign(folder: string): void {
  if (existsSync(join(folder, runFiles.log))) return;
  const written = Object.values(runFiles).filter((name) => {
    const found = statSync(join(folder, name), { throwIfNoEntry: false });
    return found?.isFile() === true && found.size > 0;
  });
  if (written.length > 0)
    throw new UsageError(
      `--out ${folder}: holds ${written.join(", ")}, which a run would write over; choose another --out`,
    );
}
