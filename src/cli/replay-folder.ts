import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../errors.js";
import { renderReplay } from "../report/replay.js";
import { type Manifest, readManifest } from "../run/manifest.js";
import { runFiles } from "../run/run-rows.js";
import { searchesFile } from "../run/search-log.js";
import { vectorsFile } from "../run/vector-store.js";
import type { Io } from "./io.js";
import type { Replay } from "./replay.js";

/** What a replay found, beside the rows. */
const replayFiles = { json: "replay.json", markdown: "replay.md" } as const;

/**
 * Makes room for a replay: it costs nothing, so an earlier one in the folder is made again from the start.
 * Throws UsageError where the folder holds a run that was paid for. Always undefined: no manifest is taken up.
 */
export function beginReplay(folder: string): undefined {
  const old = readManifest(folder);
  if (old === undefined) return;
  if (old.replay === undefined)
    throw new UsageError(`${folder} holds a run that is no replay; choose another --out for --replay`);
  const { rows, units, timings, traces, responses, figures } = runFiles;
  for (const name of [rows, units, timings, traces, responses, figures, vectorsFile, searchesFile])
    rmSync(join(folder, name), { recursive: true, force: true });
}

/** Throws UsageError where a run that calls a model would go on with a replay's rows. */
export function refuseReplayed(old: Manifest | undefined, folder: string): void {
  if (old?.replay === undefined) return;
  throw new UsageError(`${folder} holds a replay; choose another --out, or repeat the command with its --replay`);
}

/** What stands beside the tables of a replayed run. */
export const replayRemarks = (replay: Replay | undefined): string[] =>
  replay === undefined ? [] : [`replayed from cassette ${replay.cassette.id.slice(0, 12)}`];

/** Writes what the replay found and says it in a line or two. Returns what the manifest keeps. */
export function concludeReplay(
  replay: Replay,
  { folder, shown }: { readonly folder: string; readonly shown: string },
  io: Io,
): NonNullable<Manifest["replay"]> {
  const report = replay.report(folder);
  writeFileSync(join(folder, replayFiles.json), `${JSON.stringify(report, undefined, 2)}\n`);
  writeFileSync(join(folder, replayFiles.markdown), renderReplay(report));
  const { cassette, stale, changed, rows } = report;
  const changes =
    changed.length === 0
      ? `all requests of ${rows} rows are the recorded ones`
      : `the requests of ${changed.length} of ${rows} rows changed`;
  io.err(`replay of cassette ${cassette.slice(0, 12)}${report.simulated ? " (SIMULATED)" : ""}: ${changes}`);
  if (stale > 0)
    io.err(
      `stale cassette: ${stale} requests are not in it; they are in ${join(shown, replayFiles.markdown)} with the nearest recorded ones`,
    );
  return { cassette, stale };
}
