import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** A fresh folder for all tests of a file or describe block, removed when they are over. Call it while they are collected. */
export function suiteDir(): string {
  const folder = mkdtempSync(join(tmpdir(), "lamp-eval-suite-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
