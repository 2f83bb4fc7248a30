import { join } from "node:path";
import { removeFile, writeWhole } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";
import { renderReplay } from "../../report/replay/replay.js";
import { type Manifest, readManifest } from "../../run/manifest/manifest.js";
import { recordFiles, runFiles } from "../../run/run-rows.js";
import { nounOf } from "../../text/count.js";
import type { Replay } from "./replay.js";

/** Throws UsageError where a replay would go on with a run that was paid for, or a run that calls with a replay's rows. */
export function refuseOtherKind(old: Manifest | undefined, replay: Replay | undefined, folder: string): void {
  if (old === undefined || (old.replay === undefined) === (replay === undefined)) return;
  throw new UsageError(
    replay === undefined
      ? `${folder} holds a replay; choose another --out, or repeat the command with its --replay`
      : `${folder} holds a run that is no replay; choose another --out for --replay`,
  );
}

/** Makes room for a replay: it costs nothing, so an earlier one in the folder is made again from the start. */
export function clearReplay(folder: string): void {
  if (readManifest(folder)?.replay === undefined) return;
  for (const name of [...recordFiles, runFiles.figures]) removeFile(join(folder, name));
}

/** What stands beside the tables of a replayed run. */
export const replayRemarks = (replay: Replay | undefined): string[] =>
  replay === undefined ? [] : [`replayed from cassette ${replay.cassette.id.slice(0, 12)}`];

/** Writes what the replay found and tells it in a line or two. Returns what the manifest keeps. */
export function concludeReplay(
  replay: Replay,
  { folder, shown }: { readonly folder: string; readonly shown: string },
  tell: (line: string) => void,
): NonNullable<Manifest["replay"]> {
  const report = replay.report(folder);
  writeWhole(join(folder, runFiles.replayJson), `${JSON.stringify(report, undefined, 2)}\n`);
  writeWhole(join(folder, runFiles.replayText), renderReplay(report));
  const { cassette, stale, changed, rows } = report;
  const changes =
    changed.length === 0
      ? `all requests of ${rows} ${nounOf(rows, "row")} are the recorded ones`
      : `the requests of ${changed.length} of ${rows} ${nounOf(rows, "row")} changed`;
  tell(`replay of cassette ${cassette.slice(0, 12)}${report.simulated ? " (SIMULATED)" : ""}: ${changes}`);
  if (stale > 0)
    tell(
      `stale cassette: ${stale} ${nounOf(stale, "request is not in it; it is", "requests are not in it; they are")} in ${join(shown, runFiles.replayText)} with the nearest recorded ones`,
    );
  return { cassette, stale };
}
