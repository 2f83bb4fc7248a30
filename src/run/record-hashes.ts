import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { runFiles } from "./run-rows.js";

const CHUNK_BYTES = 1 << 20;

/** The files whose bytes a finished run fixes. */
export const hashedFiles = [
  runFiles.rows,
  runFiles.units,
  runFiles.timings,
  runFiles.traces,
  runFiles.responses,
] as const;

/** SHA-256 of the record files that are there, for the manifest of a finished run: `lamp-eval verify` compares them. */
export function recordHashes(folder: string): Record<string, string> {
  const there = hashedFiles.filter((name) => existsSync(join(folder, name)));
  return Object.fromEntries(there.map((name) => [name, fileHash(join(folder, name))]));
}

// --- internal ---

function fileHash(path: string): string {
  const hash = createHash("sha256");
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const file = openSync(path, "r");
  for (let got = readSync(file, chunk); got > 0; got = readSync(file, chunk)) hash.update(chunk.subarray(0, got));
  closeSync(file);
  return hash.digest("hex");
}
