import { createHash, type Hash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { calls } from "../disk/calls.js";
import { onFile } from "../disk/file-error.js";
import { readFrames } from "./journal.js";
import { recordFiles, runFiles } from "./run-rows.js";

/**
 * Seals of the record files that are there, for the manifest of a finished run. `3:<sha256>`: three records, and the
 * SHA-256 over their digests, in file order where the run puts the file in order, else sorted: a seal knows nothing of
 * line ends and checks. `<sha256>` alone, of version 0.1.0: over the bytes of the file.
 */
export function recordHashes(folder: string): Record<string, string> {
  const there = recordFiles.filter((name) => existsSync(join(folder, name)));
  return Object.fromEntries(there.map((name) => [name, sealOf(join(folder, name), name)]));
}

/** Whether a file's records are those of a seal. */
export function sealHolds(folder: string, name: string, seal: string): boolean {
  const path = join(folder, name);
  if (!existsSync(path)) return false;
  return seal.includes(":") ? sealOf(path, name) === seal : oldSealHolds(path, seal);
}

// --- internal ---

/** Files that `finish` puts in order: the order of the others is that of arrival. */
const inOrder: readonly string[] = [runFiles.rows, runFiles.units, runFiles.traces];
const CHUNK_BYTES = 1 << 20;

function sealOf(path: string, name: string): string {
  const digests: string[] = [];
  for (const { body } of readFrames(path)) digests.push(createHash("sha256").update(body).digest("base64"));
  if (!inOrder.includes(name)) digests.sort();
  const whole = createHash("sha256");
  for (const digest of digests) whole.update(digest);
  return `${digests.length}:${whole.digest("hex")}`;
}

/** The bytes of the file, or the bytes that version 0.1.0 would write for its records. */
function oldSealHolds(path: string, seal: string): boolean {
  if (bytesHash(path).digest("hex") === seal) return true;
  const hash = createHash("sha256");
  for (const { body } of readFrames(path)) hash.update("\n").update(body).update("}\n");
  return hash.digest("hex") === seal;
}

function bytesHash(path: string): Hash {
  return onFile(path, "the run is unchanged", () => {
    const hash = createHash("sha256");
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const file = calls().open(path, "r");
    try {
      for (let got = read(file, chunk); got > 0; got = read(file, chunk)) hash.update(chunk.subarray(0, got));
    } finally {
      calls().close(file);
    }
    return hash;
  });
}

const read = (file: number, chunk: Buffer): number => calls().read(file, chunk, 0, chunk.length);
