import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { UsageError } from "../../errors.js";
import { takeRecords } from "../../run/journal.js";
import { lockFolder } from "../../run/lease.js";
import { isManifestWhole, readManifest, writeManifest } from "../../run/manifest.js";
import { recordHashes } from "../../run/record-hashes.js";
import { recordFiles, runFiles } from "../../run/run-rows.js";
import { brokenSeals } from "../../run/seals.js";
import { timestamp } from "../common/timestamp.js";
import type { Io } from "../io.js";

export interface EditSettings {
  /** Run folder. */
  readonly run: string;
  /** Why the records were edited: every table of the run says so from now on. */
  readonly reason: string;
}

/**
 * Seals the records and the manifest of a run as they stand, edited or not; every table of the run then states the reason.
 * Returns one line on what was done. An edit that was taken for the same reason is taken once. Throws UsageError where
 * nothing was edited.
 */
export function acceptEdit({ run, reason }: EditSettings, { cwd, clock }: Pick<Io, "cwd" | "clock">): string {
  const folder = resolve(cwd, run);
  if (reason.trim() === "") throw new UsageError("--accept-edit: say why, every table will show it");
  const release = lockFolder(folder);
  try {
    const manifest = readManifest(folder, { edited: true });
    if (manifest === undefined) throw new UsageError(`${run}: no run here (no ${runFiles.manifest})`);
    const files = [
      ...(isManifestWhole(folder) ? [] : [runFiles.manifest]),
      ...brokenSeals(folder, manifest).map(({ file }) => file),
    ];
    const last = manifest.edits?.at(-1);
    if (files.length === 0 && last?.reason === reason) return taken(run, last);
    if (files.length === 0) throw new UsageError(`${run}: nothing in it was edited since it ended`);
    for (const name of recordFiles) if (existsSync(join(folder, name))) takeRecords(join(folder, name));
    const edits = [...(manifest.edits ?? []), { at: timestamp({ clock }), reason, files }];
    const fresh = recordHashes(folder);
    const kept = Object.keys(manifest.kept ?? {}).flatMap((name) =>
      fresh[name] === undefined ? [] : [[name, [fresh[name]]]],
    );
    const sealed = manifest.records === undefined ? {} : { records: fresh };
    const keeping = manifest.kept === undefined ? {} : { kept: Object.fromEntries(kept) };
    writeManifest(folder, { ...manifest, ...sealed, ...keeping, edits });
    return taken(run, { files, reason });
  } finally {
    release();
  }
}

// --- internal ---

const taken = (
  run: string,
  { files, reason }: { readonly files: readonly string[]; readonly reason: string },
): string => `${run}: ${files.join(", ")} taken as edited; every table of the run says so: ${reason}`;
