import { UsageError } from "../../errors.js";
import { armsOf } from "../../results/arms.js";
import type { StoredRun } from "../../run/stored-run.js";
import type { Cell } from "../../types/index.js";
import { type ArmChoice, onlyArm, refuseUnknownMethod, variantsText } from "../common/arm-choice.js";

/** One method of one run on one task, all repeats together. */
interface ComparedArm {
  readonly cell: Cell;
  /** One a repeat. */
  readonly cells: readonly Cell[];
}

/** Two arms of one task, to be compared question by question. */
export interface ArmPair {
  readonly a: ComparedArm;
  readonly b: ComparedArm;
}

/** A run as typed, opened. */
export interface NamedRun {
  readonly name: string;
  readonly folder: StoredRun;
}

/** Which arms are compared; each `...B` is as its first where absent. */
export interface ArmChoices {
  readonly method?: string;
  readonly methodB?: string;
  /** Settings that tell the arms of a sweep apart: `align.iterations=3 memory.k=4`. */
  readonly variant?: string;
  readonly variantB?: string;
  readonly model?: string;
  readonly modelB?: string;
}

/**
 * Which arms are compared: of two runs the methods of the same name, or the named ones; of one run two named methods, or one
 * against all others. Tasks that only one run has are left out. Throws UsageError where nothing is left to compare.
 */
export function pairArms(a: NamedRun, b: NamedRun, wanted: ArmChoices): ArmPair[] {
  const tasks = unique(a.folder.manifest.plan.cells.map(({ task }) => task)).filter((task) =>
    b.folder.manifest.plan.cells.some((cell) => cell.task === task),
  );
  if (tasks.length === 0)
    throw new UsageError(`${a.name} and ${b.name}: no task in common; ${tasksOf(a)}; ${tasksOf(b)}`);
  const names = methodPairs(a, b, wanted);
  const { variant, variantB = variant, model, modelB = model } = wanted;
  const pairs = tasks.flatMap((task) =>
    names.flatMap(([methodA, methodB]) => {
      const armA = armOf(a, { task, method: methodA }, { variant, model }, "--variant or --model");
      const choiceB = { variant: variantB, model: modelB };
      const armB = armOf(b, { task, method: methodB }, choiceB, "--variant-b or --model-b");
      return armA === undefined || armB === undefined ? [] : [{ a: armA, b: armB }];
    }),
  );
  if (pairs.length === 0) throw new UsageError(`${a.name} and ${b.name}: no task has both ${names.join(" and ")}`);
  return pairs;
}

const unique = (names: readonly string[]): string[] => [...new Set(names)];
const methodsOf = ({ folder }: NamedRun): string[] => unique(folder.manifest.plan.cells.map(({ method }) => method));
const tasksOf = (run: NamedRun): string =>
  `${run.name} has ${unique(run.folder.manifest.plan.cells.map(({ task }) => task)).join(", ")}`;

function methodPairs(a: NamedRun, b: NamedRun, wanted: ArmChoices): (readonly [string, string])[] {
  const { method, methodB, variant, variantB = variant, model, modelB = model } = wanted;
  if (method !== undefined) refuseUnknownMethod(a.name, methodsOf(a), method);
  if (methodB !== undefined) refuseUnknownMethod(b.name, methodsOf(b), methodB, "--method-b");
  if (a.folder.path !== b.folder.path) return acrossRuns(a, b, method, methodB);
  if (variant === variantB && model === modelB) return withinOneRun(a, method, methodB);
  const [only, ...others] = methodsOf(a);
  const methodA = method ?? (others.length === 0 ? only : undefined);
  if (methodA === undefined) throw new UsageError(`${a.name}: several methods; name the one with --method`);
  return [[methodA, methodB ?? methodA]];
}

function withinOneRun(run: NamedRun, method: string | undefined, methodB: string | undefined): [string, string][] {
  const known = methodsOf(run);
  refuseOneSweptMethod(run, method ?? known[0], methodB ?? (known.length > 1 ? undefined : known[0]));
  if (method === undefined || method === methodB || known.length < 2)
    throw new UsageError(
      `${run.name}: one run needs two methods to compare, as --method ${known[0]} --method-b ${known[1] ?? "<other>"}, or another run; its methods: ${known.join(", ")}`,
    );
  return (methodB === undefined ? known.filter((other) => other !== method) : [methodB]).map((other) => [
    method,
    other,
  ]);
}

/** A method against itself, where a sweep made several arms of it: the flags that tell those apart are what is missing. */
function refuseOneSweptMethod(run: NamedRun, method: string | undefined, methodB: string | undefined): void {
  if (method === undefined || method !== methodB) return;
  const cells = run.folder.manifest.plan.cells.filter((cell) => cell.method === method);
  const ofFirstTask = cells.filter(({ task }) => task === cells[0]?.task);
  if (armsOf(ofFirstTask).length < 2) return;
  const variants = variantsText(ofFirstTask);
  const [first, second] = variants.split("; ").map((variant) => JSON.stringify(variant));
  throw new UsageError(
    `${run.name}: ${method} has several arms; name two, as --variant ${first} --variant-b ${second}; its arms: ${variants}`,
  );
}

function acrossRuns(a: NamedRun, b: NamedRun, method?: string, methodB = method): (readonly [string, string])[] {
  const [knownA, knownB] = [methodsOf(a), methodsOf(b)];
  const methodA = method ?? methodB;
  if (methodA !== undefined && methodB !== undefined) {
    refuseUnknownMethod(a.name, knownA, methodA);
    refuseUnknownMethod(b.name, knownB, methodB, "--method-b");
    return [[methodA, methodB]];
  }
  const shared = knownA.filter((name) => knownB.includes(name));
  if (shared.length > 0) return shared.map((name) => [name, name]);
  if (knownA.length === 1 && knownB.length === 1) return [[knownA[0]!, knownB[0]!]];
  throw new UsageError(
    `no method in common (${a.name}: ${knownA.join(", ")}; ${b.name}: ${knownB.join(", ")}); choose with --method and --method-b`,
  );
}

function armOf({ name, folder }: NamedRun, arm: Pick<Cell, "task" | "method">, choice: ArmChoice, flags: string) {
  const all = armsOf(folder.manifest.plan.cells);
  const arms = all.map(([first]) => first!); // no arm is empty
  const cell = onlyArm({ name, arms }, arm, choice, flags);
  return cell === undefined ? undefined : { cell, cells: all[arms.indexOf(cell)]! };
}
