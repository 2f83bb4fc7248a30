import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of a whole test run in which the package is installed. */
    readonly packedFolder: string;
  }
}

/** Makes the folder that `packed.ts` fills when a test asks for it, and removes it when all tests are over. */
export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "lamp-eval-packed-"));
  project.provide("packedFolder", folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
