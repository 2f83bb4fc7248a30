import type { Manifest } from "../../src/record/manifest.js";
import { Runs } from "../../src/record/stored-run.js";

/** Returns what the log of a run folder says of its run; undefined where there is none. */
export function manifestIn(folder: string): Manifest | undefined {
  const runs = new Runs("/");
  try {
    return runs.find(folder)?.manifest;
  } finally {
    runs.close();
  }
}
