import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A fresh folder, removed when the test is over. */
export function tempDir(): string {
  const folder = mkdtempSync(join(tmpdir(), "lamp-eval-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
