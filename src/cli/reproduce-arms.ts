import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { UsageError } from "../errors.js";
import { priceOf } from "../models/prices.js";
import type { OwnArm } from "../report/paper-tables.js";
import { personaVersions } from "../report/persona.js";
import { summarize } from "../report/summary.js";
import { latestUnits, readTimings, runFiles } from "../run/run-rows.js";
import { tasks } from "../tasks/index.js";
import { sha256 } from "../text/content-id.js";
import type { Cell, Trace } from "../types.js";
import { openRunFolder, type RunFolder } from "./run-folder.js";

/**
 * The arms of some run folders, or of folders of runs, that may stand beside a paper. Throws UsageError on runs of the
 * embedded model or the demo data, and on runs of different data for one task.
 */
export function ownArms(names: readonly string[], cwd: string): OwnArm[] {
  const runs = names.flatMap((name) => runsIn(name, cwd)).map((name) => ({ name, folder: openRunFolder(name, cwd) }));
  const demo = demoHashes();
  const dataOfTask = new Map<string, { readonly run: string; readonly files: string }>();
  for (const { name, folder } of runs) {
    refuseSimulated(name, folder);
    for (const { task, files } of folder.manifest.plan.data) {
      const hashes = files.map(({ sha256 }) => sha256).sort();
      refuseDemo(name, task, hashes, demo);
      const before = dataOfTask.get(task) ?? { run: name, files: hashes.join() };
      dataOfTask.set(task, before);
      if (before.files !== hashes.join())
        throw new UsageError(`${before.run} and ${name}: different data on ${task}; name runs of the same files`);
    }
  }
  return runs.flatMap(({ name, folder }) => armsOf(name, folder));
}

// --- internal ---

/** A folder without a manifest may hold runs: then these. */
function runsIn(name: string, cwd: string): string[] {
  const path = resolve(cwd, name);
  if (existsSync(join(path, runFiles.manifest)) || !existsSync(path)) return [name];
  const inside = readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(path, entry.name, runFiles.manifest)))
    .map((entry) => join(name, entry.name))
    .sort();
  return inside.length === 0 ? [name] : inside;
}

function armsOf(run: string, folder: RunFolder): OwnArm[] {
  const { manifest, path } = folder;
  const [units, timings] = [latestUnits(path), readTimings(path)];
  const groups = new Map<string, Cell[]>();
  for (const cell of manifest.plan.cells) {
    const key = JSON.stringify({ ...cell, id: "", repeat: 0 });
    groups.set(key, [...(groups.get(key) ?? []), cell]);
  }
  const startedMs = Date.parse(manifest.startedAt);
  return [...groups.values()].flatMap((cells) => {
    const ids = new Set(cells.map(({ id }) => id));
    const own = <T extends { readonly cell: string }>(records: readonly T[]) =>
      records.filter(({ cell }) => ids.has(cell));
    const rows = own(folder.rows);
    const [summary] = summarize({
      cells,
      task: (name) => tasks.get(name),
      rows,
      units: own(units),
      timings: own(timings),
      price: (model, usage) => priceOf(model, usage, startedMs),
    });
    const [cell] = cells;
    if (summary === undefined || cell === undefined) return [];
    const finished = manifest.finishedAt !== undefined;
    return [{ run, finished, cell, summary, rows, personas: own(folder.traces).flatMap(personaOf) }];
  });
}

function personaOf(trace: Trace): OwnArm["personas"] {
  const versions = trace.question === undefined ? personaVersions(trace) : [];
  const [first, last] = [versions[0], versions.at(-1)];
  return first === undefined || last === undefined
    ? []
    : [{ unit: trace.unit, text: last.persona, initial: first.persona }];
}

function refuseSimulated(name: string, { manifest, rows }: RunFolder): void {
  if (manifest.simulated || rows.some(({ simulated }) => simulated === true))
    throw new UsageError(
      `${name}: its numbers are SIMULATED (embedded model) and are never set beside a paper's; name a run on a real model (lamp-eval run --model PROVIDER/ID), or use --published-only`,
    );
}

function refuseDemo(name: string, task: string, hashes: readonly string[], demo: ReadonlySet<string>): void {
  if (hashes.some((hash) => demo.has(hash)))
    throw new UsageError(
      `${name}: ${task} ran on the built-in demo data (synthetic), which is never set beside a paper's; run it with --data DIR`,
    );
}

/** SHA-256 of the data files that ship with the package. */
function demoHashes(): ReadonlySet<string> {
  const folder = fileURLToPath(new URL("../../datasets/demo/", import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".json"));
  return new Set(files.map((file) => sha256(readFileSync(join(folder, file), "utf8"))));
}
