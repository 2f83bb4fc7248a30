import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { UsageError } from "../../errors.js";
import { takeRecords } from "../../run/journal.js";
import {
  brokenJudgements,
  isJudgeFileWhole,
  type JudgeFile,
  judgedFiles,
  judgeFolders,
  readJudgeFile,
  writeJudgeFile,
} from "../../run/judge-folder.js";
import { lockFolder } from "../../run/lock.js";
import { isManifestWhole, readManifest, writeManifest } from "../../run/manifest.js";
import { recordFiles, runFiles } from "../../run/rows.js";
import { checkSeals, sealsOf } from "../../run/seals.js";
import { timestamp } from "../common/timestamp.js";
import type { Io } from "../io.js";

interface EditSettings {
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
    const ofRun = [
      ...(isManifestWhole(folder) ? [] : [runFiles.manifest]),
      ...checkSeals(folder, manifest).map(({ file }) => file),
    ];
    const judges = judgeFolders(folder).flatMap((judge) => editedIn(judge));
    const files = [
      ...ofRun,
      ...judges.flatMap((one) => one.files.map((file) => relative(folder, join(one.judge, file)))),
    ];
    const last = manifest.edits?.at(-1);
    if (files.length === 0 && last?.reason === reason) return taken(run, last);
    if (files.length === 0) throw new UsageError(`${run}: nothing in it was edited since it ended`);
    const at = timestamp({ clock });
    for (const one of judges) takeJudge(one, { at, reason });
    for (const name of recordFiles) if (existsSync(join(folder, name))) takeRecords(join(folder, name));
    const edits = [...(manifest.edits ?? []), { at, reason, files }];
    const fresh = sealsOf(folder);
    const kept = Object.keys(manifest.kept ?? {}).flatMap((name) =>
      fresh[name] === undefined ? [] : [[name, fresh[name]]],
    );
    const sealed = manifest.records === undefined ? {} : { records: fresh };
    const keeping = manifest.kept === undefined ? {} : { kept: Object.fromEntries(kept) };
    writeManifest(folder, { ...manifest, ...sealed, ...keeping, edits });
    return taken(run, { files, reason });
  } finally {
    release();
  }
}

interface EditedJudge {
  readonly judge: string;
  readonly file: JudgeFile;
  readonly files: readonly string[];
}

/** A judge's folder in which something was edited. Throws UsageError where the file of the judge itself is gone. */
function editedIn(judge: string): EditedJudge[] {
  const file = readJudgeFile(judge, { edited: true });
  if (file === undefined) return [];
  const broken = brokenJudgements(judge, file).map((one) => one.file);
  const files = [...(isJudgeFileWhole(judge) ? [] : [runFiles.judge]), ...broken];
  return files.length === 0 ? [] : [{ judge, file, files }];
}

/** Seals the records of a judge as they stand. */
function takeJudge({ judge, file, files }: EditedJudge, edit: { readonly at: string; readonly reason: string }): void {
  for (const name of judgedFiles) if (existsSync(join(judge, name))) takeRecords(join(judge, name));
  const { kept: _kept, mending: _mending, ...facts } = file;
  const edits = [...(file.edits ?? []), { ...edit, files: [...files] }];
  writeJudgeFile(judge, { ...facts, records: sealsOf(judge, judgedFiles), edits });
}

const taken = (
  run: string,
  { files, reason }: { readonly files: readonly string[]; readonly reason: string },
): string => `${run}: ${files.join(", ")} taken as edited; every table of the run says so: ${reason}`;
