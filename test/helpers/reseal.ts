import { readManifest, writeManifest } from "../../src/run/manifest.js";
import { sealsOf } from "../../src/run/seals.js";

/** Seals the records of a run as they stand, as if it had ended with them. */
export function reseal(folder: string): void {
  const manifest = readManifest(folder, { edited: true });
  if (manifest === undefined) throw new Error(`${folder}: no run here`);
  writeManifest(folder, { ...manifest, records: sealsOf(folder) });
}
