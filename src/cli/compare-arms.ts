import { UsageError } from "../errors.js";
import { suggest } from "../registry.js";
import type { Cell, Row } from "../types.js";
import type { RunFolder } from "./run-folder.js";

/** One method of one run on one task, all repeats together. */
export interface ComparedArm {
  readonly cell: Cell;
  readonly rows: readonly Row[];
}

export interface ArmPair {
  readonly a: ComparedArm;
  readonly b: ComparedArm;
}

/** A run as typed, opened. */
export interface NamedRun {
  readonly name: string;
  readonly folder: RunFolder;
}

export interface MethodFlags {
  readonly method?: string;
  readonly methodB?: string;
}

/**
 * Which arms are compared: of two runs the methods of the same name, or the named ones; of one run two named methods, or one
 * against all others. Tasks that only one run has are left out. Throws UsageError where nothing is left to compare.
 */
export function pairArms(a: NamedRun, b: NamedRun, flags: MethodFlags): ArmPair[] {
  const tasks = unique(a.folder.manifest.plan.cells.map(({ task }) => task)).filter((task) =>
    b.folder.manifest.plan.cells.some((cell) => cell.task === task),
  );
  if (tasks.length === 0)
    throw new UsageError(`${a.name} and ${b.name}: no task in common; ${tasksOf(a)}; ${tasksOf(b)}`);
  const names = methodPairs(a, b, flags);
  const pairs = tasks.flatMap((task) =>
    names.flatMap(([methodA, methodB]) => {
      const [armA, armB] = [armOf(a, task, methodA), armOf(b, task, methodB)];
      return armA === undefined || armB === undefined ? [] : [{ a: armA, b: armB }];
    }),
  );
  if (pairs.length === 0) throw new UsageError(`${a.name} and ${b.name}: no task has both ${names.join(" and ")}`);
  return pairs;
}

// --- internal ---

const unique = (names: readonly string[]): string[] => [...new Set(names)];
const methodsOf = ({ folder }: NamedRun): string[] => unique(folder.manifest.plan.cells.map(({ method }) => method));
const tasksOf = (run: NamedRun): string =>
  `${run.name} has ${unique(run.folder.manifest.plan.cells.map(({ task }) => task)).join(", ")}`;

function methodPairs(a: NamedRun, b: NamedRun, { method, methodB }: MethodFlags): (readonly [string, string])[] {
  if (method !== undefined) refuseUnknownMethod(a, method, "--method");
  if (methodB !== undefined) refuseUnknownMethod(b, methodB, "--method-b");
  return a.folder.path === b.folder.path ? withinOneRun(a, method, methodB) : acrossRuns(a, b, method, methodB);
}

function withinOneRun(run: NamedRun, method: string | undefined, methodB: string | undefined): [string, string][] {
  const known = methodsOf(run);
  if (method === undefined || method === methodB || known.length < 2)
    throw new UsageError(
      `${run.name}: one run needs two methods to compare, as --method ${known[0]} --method-b ${known[1] ?? "<other>"}, or a second run; its methods: ${known.join(", ")}`,
    );
  return (methodB === undefined ? known.filter((other) => other !== method) : [methodB]).map((other) => [
    method,
    other,
  ]);
}

function acrossRuns(
  a: NamedRun,
  b: NamedRun,
  method: string | undefined,
  methodB: string | undefined,
): (readonly [string, string])[] {
  if (method !== undefined && methodB === undefined) refuseUnknownMethod(b, method, "--method-b");
  const [knownA, knownB] = [methodsOf(a), methodsOf(b)];
  if (method !== undefined) return [[method, methodB ?? method]];
  if (methodB !== undefined) {
    refuseUnknownMethod(a, methodB, "--method");
    return [[methodB, methodB]];
  }
  const shared = knownA.filter((name) => knownB.includes(name));
  if (shared.length > 0) return shared.map((name) => [name, name]);
  const [onlyA, onlyB] = [knownA[0], knownB[0]];
  if (onlyA !== undefined && onlyB !== undefined && knownA.length === 1 && knownB.length === 1) return [[onlyA, onlyB]];
  throw new UsageError(
    `no method in common (${a.name}: ${knownA.join(", ")}; ${b.name}: ${knownB.join(", ")}); choose with --method and --method-b`,
  );
}

function refuseUnknownMethod(run: NamedRun, method: string, flag: string): void {
  const known = methodsOf(run);
  if (!known.includes(method))
    throw new UsageError(
      `${flag} ${method}: not in ${run.name}${suggest(method, known)}; its methods: ${known.join(", ")}`,
    );
}

function armOf({ name, folder }: NamedRun, task: string, method: string): ComparedArm | undefined {
  const cells = folder.manifest.plan.cells.filter((cell) => cell.task === task && cell.method === method);
  const first = cells[0];
  if (first === undefined) return undefined;
  const settings = (cell: Cell) => JSON.stringify({ ...cell, id: "", repeat: 0 });
  if (cells.some((cell) => settings(cell) !== settings(first)))
    throw new UsageError(`${name}: ${method} ran on ${task} with several settings; compare runs with one each`);
  const ids = new Set(cells.map(({ id }) => id));
  return { cell: first, rows: folder.rows.filter((row) => ids.has(row.cell)) };
}
