import { existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { UsageError } from "../errors.js";
import { partName } from "../plan/types.js";
import { suggest } from "../registry/registry.js";
import type { ArmSpec, Row, Trace } from "../types/index.js";
import { type Manifest, readRun } from "./manifest.js";
import { rowsOf, runFiles, tracesOf } from "./rows.js";

/** A run folder opened for reading. Rows and traces are read when they are first asked for. */
export interface StoredRun {
  readonly path: string;
  readonly manifest: Manifest;
  readonly rows: readonly Row[];
  /** Of every unit and question. */
  readonly traces: readonly Trace[];
  arm(id: string): ArmSpec | undefined;
}

/** Throws UsageError where there is no run. */
export function openRunFolder(run: string, cwd: string): StoredRun {
  const path = resolve(cwd, run);
  const manifest = readRun(path);
  if (manifest === undefined) throw new UsageError(`${run}: no run here (no ${runFiles.log})`);
  let [rows, traces]: [Row[] | undefined, Trace[] | undefined] = [undefined, undefined];
  return {
    path,
    manifest,
    arm: (id) => manifest.plan.specs.find((arm) => arm.id === id),
    get rows() {
      rows ??= rowsOf(path);
      return rows;
    },
    get traces() {
      traces ??= [...tracesOf(path)];
      return traces;
    },
  };
}

/** The run folders in a folder, by name; none where it is a run itself. */
export function runsIn(folder: string): string[] {
  const isRun = (path: string): boolean => existsSync(join(path, runFiles.log));
  if (isRun(folder) || !existsSync(folder) || !statSync(folder).isDirectory()) return [];
  const inside = readdirSync(folder).sort();
  return inside.map((name) => join(folder, name)).filter(isRun);
}

/** The unit ids of a user: `u1` has `u1`, `u1#2`, ... */
export const isUnitOf = (unit: string, user: string): boolean => unit === user || unit.startsWith(`${user}#`);

/** Throws UsageError where `name` is asked for with `flag` (`--user`) and the run has no such thing; undefined asks for nothing. */
export function refuseAbsent(run: string, flag: string, name: string | undefined, known: readonly string[]): void {
  const names = [...new Set(known)];
  if (name === undefined || names.includes(name)) return;
  const more = names.length > LISTED ? `, ... (${names.length} in all)` : "";
  const has = names.length === 0 ? "it has none" : `it has ${names.slice(0, LISTED).join(", ")}${more}`;
  throw new UsageError(`${flag} ${name}: not in ${run}${suggest(name, names)}; ${has}`);
}

/** How many of the known names an error message lists. */
const LISTED = 5;

interface Named {
  readonly name: string;
  readonly simulated: boolean;
}

/** Throws UsageError where only one of the two is SIMULATED; `rule` says what holds instead. */
export function refuseMixed(a: Named, b: Named, rule: string): void {
  if (a.simulated === b.simulated) return;
  const [simulated, real] = a.simulated ? [a, b] : [b, a];
  throw new UsageError(`${simulated.name} is SIMULATED (embedded model) and ${real.name} is not: ${rule}`);
}

/** Throws UsageError on a shard where only a whole run is judged. */
export function refusePart(run: string, { part }: Pick<Manifest, "part">): void {
  if (part !== undefined)
    throw new UsageError(
      `${run}: ${partName(part)} of a run; join the shards with lamp-eval run --reuse and name the whole run`,
    );
}
