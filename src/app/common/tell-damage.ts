import type { Manifest } from "../../run/manifest.js";
import { recordFiles } from "../../run/rows.js";
import { damageRemarks } from "../../run/sealed-run.js";
import type { Io } from "../io.js";

/** Tells of records that a run which has not ended holds damaged, and which are left out of what is shown. Returns whether there are any. */
export function tellDamage(run: string, folder: string, manifest: Manifest, io: Pick<Io, "tell">): boolean {
  const lines = damageRemarks(folder, manifest, recordFiles);
  for (const line of lines) io.tell(`${run}: ${line}`);
  return lines.length > 0;
}
