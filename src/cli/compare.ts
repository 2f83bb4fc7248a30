import { basename } from "node:path";
import { Command } from "commander";
import { type ArmPair, type MethodFlags, type NamedRun, pairArms } from "../app/compare/arms.js";
import { refuseMixed } from "../app/refuse-mixed.js";
import { openRunFolder } from "../app/run-folder.js";
import { UsageError } from "../errors.js";
import { suggest } from "../registry.js";
import { compareArms, correct } from "../report/compare/compare.js";
import { renderComparisons, type TitledComparison } from "../report/compare/text.js";
import { filesText, sameFiles } from "../report/verify/same-files.js";
import { tasks } from "../tasks/index.js";
import type { Cell, Metric } from "../types.js";
import { integer } from "./run-flags.js";
import type { Terminal } from "./terminal.js";

interface Flags extends MethodFlags {
  readonly metric?: string;
  readonly flipped: number;
  readonly json?: boolean;
}

/** `lamp-eval compare A B`: paired tests between two runs, or between methods of one. Sends nothing, writes nothing. */
export function compareCommand(io: Terminal): Command {
  return new Command("compare")
    .argument("<a>", "run folder")
    .argument("[b]", "another run folder (default: the same)")
    .option("--method <name>", "method of A (default: all that both runs have; within one run it is needed)")
    .option("--method-b <name>", "method of B (default: as --method; within one run all others)")
    .option("--variant <settings>", "arm of A in a sweep, as tables name it, e.g. align.iterations=3")
    .option("--variant-b <settings>", "arm of B (default: as --variant)")
    .option("--model <provider/id>", "model of A, where a run has several")
    .option("--model-b <provider/id>", "model of B (default: as --model)")
    .option("--metric <name>", "only this metric (default: all of the task)")
    .option("--flipped <n>", "questions listed on which B is worse, and better", integer, 5)
    .option("--json", "print JSON, with every flipped question")
    .action((nameA: string, nameB: string | undefined, flags: Flags) => {
      const a: NamedRun = { name: nameA, folder: openRunFolder(nameA, io.cwd) };
      const b: NamedRun = nameB === undefined ? a : { name: nameB, folder: openRunFolder(nameB, io.cwd) };
      const kind = ({ name, folder }: NamedRun) => ({ name, simulated: folder.manifest.simulated });
      refuseMixed(kind(a), kind(b), "they are never compared; run both on the same kind of model");
      const pairs = pairArms(a, b, flags);
      for (const task of new Set(pairs.map((pair) => pair.a.cell.task))) refuseOtherData(task, a, b);
      const titled = compareAll(pairs, a, b, flags.metric);
      io.out(flags.json === true ? JSON.stringify(titled, undefined, 2) : renderComparisons(titled, flags.flipped));
    });
}

// --- internal ---

function compareAll(
  pairs: readonly ArmPair[],
  a: NamedRun,
  b: NamedRun,
  metric: string | undefined,
): TitledComparison[] {
  const wanted = metric === undefined ? pairs : pairsWith(metric, pairs);
  const comparisons = wanted.map((pair) =>
    compareArms({
      a: pair.a.rows,
      b: pair.b.rows,
      metrics: metricsOf(pair).filter(({ name }) => metric === undefined || name === metric),
      seed: pair.a.cell.seed,
    }),
  );
  return correct(comparisons).map((comparison, i) => ({ ...titleOf(wanted[i]!, a, b), comparison })); // one each
}

const metricsOf = ({ a }: ArmPair): readonly Metric[] => tasks.get(a.cell.task).metrics;

/** The pairs whose task has this metric. Throws UsageError where none has. */
function pairsWith(metric: string, pairs: readonly ArmPair[]): ArmPair[] {
  const having = pairs.filter((pair) => metricsOf(pair).some(({ name }) => name === metric));
  if (having.length > 0) return having;
  const known = [...new Set(pairs.flatMap(metricsOf).map(({ name }) => name))];
  throw new UsageError(`--metric ${metric}: no such metric${suggest(metric, known)}; metrics: ${known.join(", ")}`);
}

function titleOf(pair: ArmPair, a: NamedRun, b: NamedRun): Omit<TitledComparison, "comparison"> {
  const arm = ({ method, model }: Cell, { name }: NamedRun) => `${method}, ${model}, ${basename(name)}`;
  const { cell } = pair.a;
  return {
    title: tasks.get(cell.task).title,
    dataset: cell.dataset,
    a: arm(cell, a),
    b: arm(pair.b.cell, b),
    simulated: a.folder.manifest.simulated,
    remarks: [...unfinished(a, b), ...changedData(cell.task, a, b), ...changedOptions(cell, pair.b.cell)],
  };
}

const unfinished = (...runs: readonly NamedRun[]): string[] =>
  [...new Set(runs)]
    .filter(({ folder }) => folder.manifest.finishedAt === undefined)
    .map(({ name }) => `${name} is not finished`);

/** Settings that both arms have, with different values: what the difference may be due to, besides the method. */
function changedOptions(a: Cell, b: Cell): string[] {
  const changed = Object.entries(a.options).filter(([name, value]) => name in b.options && b.options[name] !== value);
  return changed.map(([name, value]) => `${name}: A ${value}, B ${b.options[name]}`);
}

const dataOf = (task: string, { folder }: NamedRun) => folder.manifest.plan.data.find((data) => data.task === task);

function changedData(task: string, a: NamedRun, b: NamedRun): string[] {
  const [dataA, dataB] = [dataOf(task, a), dataOf(task, b)];
  return [
    ...(dataA?.units === dataB?.units ? [] : ["visible histories or questions differ"]),
    ...(dataA?.wording === dataB?.wording ? [] : ["the task's wording differs"]),
  ];
}

function refuseOtherData(task: string, a: NamedRun, b: NamedRun): void {
  const [dataA, dataB] = [dataOf(task, a), dataOf(task, b)];
  const [filesA, filesB] = [dataA?.files ?? [], dataB?.files ?? []];
  if (sameFiles(filesA, filesB)) return;
  throw new UsageError(
    `different data on ${task}: ${a.name} ran on ${dataA?.name} (${filesText(filesA)}), ${b.name} on ${dataB?.name} (${filesText(filesB)}); compare runs of the same files`,
  );
}
