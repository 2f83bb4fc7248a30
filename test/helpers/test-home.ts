import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of a whole test run in which the package is installed. */
    readonly packedFolder: string;
  }
}

/**
 * Makes the folder that holds all temporary files of a test run, among them the folder that `packed.ts` fills when a test asks
 * for it, and removes it when all tests are over.
 */
export default function setup(project: TestProject): () => void {
  const given = env.TMPDIR;
  const home = mkdtempSync(join(given ?? (isFit(MEMORY) ? MEMORY : tmpdir()), "lamp-eval-tests-"));
  env.TMPDIR = home; // workers are started with it
  project.provide("packedFolder", mkdtempSync(join(home, "lamp-eval-packed-")));
  return () => {
    if (given === undefined) delete env.TMPDIR;
    else env.TMPDIR = given;
    rmSync(home, { recursive: true, force: true });
  };
}

/** Tests write many thousands of small files, each of which costs a disk ten times what it costs memory. */
const MEMORY = "/dev/shm";
/** Many times what tests hold at once. */
const ROOM_BYTES = 4e9;

/** Whether there is room, and programs may be started from there. */
function isFit(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < ROOM_BYTES) return false;
  const probe = mkdtempSync(join(folder, "lamp-eval-probe-"));
  writeFileSync(join(probe, "program"), "#!/bin/sh\n", { mode: 0o755 });
  const { status } = spawnSync(join(probe, "program"));
  rmSync(probe, { recursive: true });
  return status === 0;
}
