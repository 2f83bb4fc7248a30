import { join, resolve } from "node:path";
import { UsageError } from "../errors.js";
import { readJournal } from "../run/journal.js";
import { type Manifest, readManifest } from "../run/manifest.js";
import { placeKey } from "../run/place-key.js";
import { latestRows, runFiles } from "../run/run-rows.js";
import type { Cell, Row, Trace } from "../types.js";

/** A run folder opened for reading. */
export interface RunFolder {
  readonly path: string;
  readonly manifest: Manifest;
  readonly rows: readonly Row[];
  /** The last trace of every unit and question, in file order. */
  readonly traces: readonly Trace[];
  cell(id: string): Cell | undefined;
}

/** Throws UsageError where there is no run. */
export function openRunFolder(run: string, cwd: string): RunFolder {
  const path = resolve(cwd, run);
  const manifest = readManifest(path);
  if (manifest === undefined) throw new UsageError(`${run}: no run here (no ${runFiles.manifest})`);
  const cells = new Map(manifest.plan.cells.map((cell) => [cell.id, cell]));
  const traces = new Map<string, Trace>();
  for (const trace of readJournal<Trace>(join(path, runFiles.traces))) traces.set(placeKey(trace), trace);
  return { path, manifest, rows: latestRows(path), traces: [...traces.values()], cell: (id) => cells.get(id) };
}

/** The unit ids of a user: `u1` has `u1`, `u1#2`, ... */
export const isUnitOf = (unit: string, user: string): boolean => unit === user || unit.startsWith(`${user}#`);
