import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { FileError, isSystemError } from "../disk/file-error.js";
import { makePrivateFolder, removeQuietly, writeWhole } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import type { Artifacts, Clock, SharedCodec } from "../types/index.js";

/** The store's folder, beside the run folders: what one run built serves the next. Safe to delete at any time. */
export const artifactsFolder = ".artifacts";

interface ArtifactLimits {
  readonly clock: Pick<Clock, "now">;
  /** Most bytes kept; those used longest ago go first. One larger value is kept alone. Default 2 GB. */
  readonly maxBytes?: number;
}

/**
 * Built values as files named by their content id. A file starts with the SHA-256 of the rest: a damaged or cut one is
 * unknown, and the next `put` replaces it. Written by rename, so several processes may share the folder. A file's
 * modification time is its last use; every `put` removes what is over the limit. It only saves time: where the disk refuses
 * anything (another person's folder, a read-only one), values are built again.
 */
export function fileArtifacts(folder: string, { clock, maxBytes = MAX_BYTES }: ArtifactLimits): Artifacts {
  return {
    get(id) {
      const path = join(folder, id);
      const bytes = unlessRefused(() => readFileSync(path));
      if (bytes === undefined || bytes.length < DIGEST_BYTES) return undefined;
      const content = new Uint8Array(bytes.buffer, bytes.byteOffset + DIGEST_BYTES, bytes.length - DIGEST_BYTES);
      if (!digest(content).equals(bytes.subarray(0, DIGEST_BYTES))) return undefined;
      touch(path, clock);
      return content;
    },
    put(id, content) {
      const path = join(folder, id);
      unlessRefused(() => {
        makePrivateFolder(folder);
        writeWhole(path, [digest(content), content]);
        touch(path, clock);
        prune(folder, id, maxBytes, clock.now());
      });
    },
  };
}

/** The stored value with the codec's content id; undefined where there is none, or the codec refuses its bytes. */
export function readArtifact<T>(
  codec: SharedCodec<T>,
  artifacts: Artifacts | undefined,
): { readonly value: T } | undefined {
  const bytes = artifacts?.get(codec.content);
  if (bytes === undefined) return undefined;
  try {
    return { value: codec.decode(bytes) };
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

const MAX_BYTES = 2e9;
/** A multiple of 8, so that arrays behind it can be used in place. */
const DIGEST_BYTES = 32;
/** Ending of files that are being written. One this old was left by a process that died. */
const FRESH = ".new";
const STALE_MS = 24 * 60 * 60 * 1000;

const digest = (bytes: Uint8Array): Buffer => createHash("sha256").update(bytes).digest();

function touch(path: string, clock: Pick<Clock, "now">): void {
  const seconds = clock.now() / 1000;
  unlessRefused(() => utimesSync(path, seconds, seconds));
}

/** Removes dead processes' half-written files, and the values used longest ago until the rest fits. Never `kept`. */
function prune(folder: string, kept: string, maxBytes: number, nowMs: number): void {
  const files = readdirSync(folder).flatMap((name) => {
    const facts = unlessRefused(() => statSync(join(folder, name)));
    return facts === undefined ? [] : [{ name, bytes: facts.size, usedMs: facts.mtimeMs }];
  });
  const remove = (name: string): void => removeQuietly(join(folder, name));
  for (const { name, usedMs } of files) if (name.endsWith(FRESH) && nowMs - usedMs > STALE_MS) remove(name);
  const values = files.filter(({ name }) => !name.endsWith(FRESH)).sort((a, b) => a.usedMs - b.usedMs);
  let bytes = values.reduce((sum, value) => sum + value.bytes, 0);
  for (const value of values) {
    if (bytes <= maxBytes) return;
    if (value.name === kept) continue;
    remove(value.name);
    bytes -= value.bytes;
  }
}

/** Undefined where the disk refuses it, or where the file has just been removed by another process. */
function unlessRefused<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof FileError || isSystemError(error)) return undefined;
    throw error;
  }
}
