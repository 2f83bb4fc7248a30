import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Artifacts } from "../types.js";

/** The store's folder, beside the run folders: what one run built serves the next. Safe to delete at any time. */
export const artifactsFolder = ".artifacts";

/**
 * Built values as files named by their content id. A file starts with the SHA-256 of the rest: a damaged or cut one is
 * unknown, and the next `put` replaces it. Written by rename, so several processes may share the folder.
 */
export function fileArtifacts(folder: string): Artifacts {
  return {
    get(id) {
      const bytes = readIfThere(join(folder, id));
      if (bytes === undefined || bytes.length < DIGEST_BYTES) return undefined;
      const content = new Uint8Array(bytes.buffer, bytes.byteOffset + DIGEST_BYTES, bytes.length - DIGEST_BYTES);
      return digest(content).equals(bytes.subarray(0, DIGEST_BYTES)) ? content : undefined;
    },
    put(id, content) {
      mkdirSync(folder, { recursive: true });
      const path = join(folder, id);
      const fresh = `${path}.${process.pid}.new`;
      writeFileSync(fresh, digest(content));
      writeFileSync(fresh, content, { flag: "a" });
      renameSync(fresh, path);
    },
  };
}

// --- internal ---

/** A multiple of 8, so that arrays behind it can be used in place. */
const DIGEST_BYTES = 32;

const digest = (bytes: Uint8Array): Buffer => createHash("sha256").update(bytes).digest();

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
