import { Command } from "commander";
import { UsageError } from "../errors.js";
import { catalogueOf } from "../plan/catalogue.js";
import { type ReadingIo, refuseMixed } from "../record/stored-run.js";
import { choices } from "../registry/registry.js";
import { renderComparisons, type TitledComparison } from "../report/compare.js";
import { changedSettings, type JoinedResults, joinResults } from "../report/join.js";
import { armLabel, armNamed, armsOf, isNamed, ofArm, settingsOf } from "../results/arms.js";
import { compareArms } from "../results/compare.js";
import type { ArmSpec } from "../types/index.js";
import { integer, names } from "./flags.js";
import { printJson } from "./json.js";
import type { CommandIo } from "./terminal.js";

export interface CompareSettings {
  /** Run folder. */
  readonly a: string;
  /** Another run folder; absent: the same, for methods of one run. */
  readonly b?: string;
  /** Of A and of B, as tables print them: `rag`, `rag rag.k=2`. Default, of two runs: the methods that both have. */
  readonly methods?: readonly string[];
  /** Only this metric; absent: all of the task. */
  readonly metric?: string;
}

type Arm = readonly ArmSpec[];
type Run = JoinedResults["runs"][number];

/**
 * Compares two runs, or methods of one, on the questions that both answered. Throws UsageError on runs that cannot be compared:
 * SIMULATED with real ones, of different data, or without a common task or method.
 */
export async function compare(
  { a, b = a, methods, metric }: CompareSettings,
  io: ReadingIo,
): Promise<readonly TitledComparison[]> {
  const stored = [...new Set([a, b])].map((name) => io.runs.get(name));
  const { runs, tasks, rows, summaries } = joinResults(stored, catalogueOf(io), { equal: false });
  const [first, last] = [runs[0]!, runs.at(-1)!]; // there is one
  const kind = ({ name, manifest }: Run) => ({ name, simulated: manifest.simulated });
  refuseMixed(kind(first), kind(last), "they are never compared; run both on the same kind of model");
  const ofTasks = [...new Set(first.specs.map(({ task }) => task))];
  const both = ofTasks.filter((task) => hasBoth(task, first, last, methods));
  const pairs = (both.length === 0 ? ofTasks : both).flatMap((task) => pairsOf(task, first, last, methods));
  if (pairs.length === 0) throw new UsageError(`${a} and ${b}: no task in common`);
  const known = pairs.flatMap(([[spec]]) => tasks.get(spec!.task).metrics.map(({ name }) => name));
  if (metric !== undefined && !known.includes(metric))
    throw new UsageError(`--metric ${metric}: no such metric${choices(metric, [...new Set(known)], "metrics")}`);
  const nameOf = ([spec]: Arm, run: Run): string => {
    const summary = summaries.find(({ arms }) => arms.includes(spec!.id));
    const isNamed = first === last || spec!.options.run !== undefined;
    const label = summary === undefined ? spec!.method : armLabel(summary);
    return [label, spec!.model, ...(isNamed ? [] : [run.name])].join(", ");
  };
  return pairs.flatMap(([armA, armB]): TitledComparison[] => {
    const [specA, specB] = [armA[0]!, armB[0]!]; // no arm is empty
    const { title, metrics } = tasks.get(specA.task);
    if (metric !== undefined && !metrics.some(({ name }) => name === metric)) return [];
    return [
      {
        ...{ title, dataset: specA.dataset, simulated: first.manifest.simulated },
        ...{ a: nameOf(armA, first), b: nameOf(armB, last) },
        remarks: remarksOf([first, specA], [last, specB]),
        comparison: compareArms({ a: ofArm(rows, armA), b: ofArm(rows, armB), metrics, only: metric }),
      },
    ];
  });
}

/** Says what else differs between two arms. */
function remarksOf([first, a]: readonly [Run, ArmSpec], [last, b]: readonly [Run, ArmSpec]): string[] {
  const [dataA, dataB] = [first, last].map(({ manifest }) =>
    manifest.identity.data.find(({ task }) => task === a.task),
  );
  const unfinished = [...new Set([first, last])].filter(({ manifest }) => manifest.finishedAt === undefined);
  return [
    ...unfinished.map(({ name }) => `${name} is not finished`),
    ...(dataA?.units === dataB?.units ? [] : ["visible histories or questions differ"]),
    ...(dataA?.wording === dataB?.wording ? [] : ["the task's wording differs"]),
    ...changedSettings(a, b),
  ];
}

/** Returns whether both runs have the named arms on a task: a method may say nothing on some of them. */
function hasBoth(task: string, first: Run, last: Run, [nameA = "", nameB = nameA]: readonly string[] = []): boolean {
  const has = ({ specs }: Run, name: string): boolean =>
    name === "" || specs.some((spec) => spec.task === task && isNamed(spec, settingsOf(spec), name));
  return has(first, nameA) && has(last, nameB);
}

/** Returns the pairs of one task; none where a run has nothing of it. */
function pairsOf(task: string, first: Run, last: Run, methods: readonly string[] | undefined): (readonly [Arm, Arm])[] {
  const [a, b] = [first.name, last.name];
  const [ofA = [], ofB = []] = [first, last].map(({ specs }) => armsOf(specs.filter((spec) => spec.task === task)));
  if (ofA.length === 0 || ofB.length === 0) return [];
  if (methods !== undefined) {
    const [nameA = "", nameB = nameA] = methods;
    const [armA, armB] = [armNamed(nameA, ofA, a), armNamed(nameB, ofB, b)];
    if (armA[0]!.id === armB[0]!.id) throw new UsageError(`--methods ${methods.join()}: name two arms, not one`);
    return [[armA, armB]];
  }
  const known = [...new Set(ofA.map(([spec]) => spec!.method))];
  if (first === last) throw new UsageError(`${a}: name two methods of it, --methods A,B; it has ${known.join(", ")}`);
  const shared = known.filter((name) => ofB.some(([spec]) => spec!.method === name));
  if (shared.length > 0) return shared.map((name) => [armNamed(name, ofA, a), armNamed(name, ofB, b)]);
  if (ofA.length === 1 && ofB.length === 1) return [[ofA[0]!, ofB[0]!]]; // an imported run
  throw new UsageError(`${a} and ${b}: no method in common; name one of each with --methods A,B`);
}

/** Returns a comparison with the keys that tables have. */
function recordOf({ comparison, ...titled }: TitledComparison): object {
  const { effective, metrics, ...counted } = comparison;
  const records = metrics.map(({ interval, ...metric }) => ({
    ...metric,
    ...(interval === undefined ? {} : { gain_low: interval.low, gain_high: interval.high }),
  }));
  return { ...titled, ...counted, n_e: effective, metrics: records };
}

interface Flags extends Omit<CompareSettings, "a" | "b"> {
  readonly flipped: number;
  readonly wide?: boolean;
  readonly json?: boolean;
}

/** `lamp-eval compare A B`: interval and p between two runs, or between methods of one. */
export function compareCommand(io: CommandIo): Command {
  return new Command("compare")
    .argument("<a>", "run folder")
    .argument("[b]", "another run folder (default: the same)")
    .option("--methods <a,b>", 'methods of A and of B, e.g. prompt,rag or "rag rag.k=2,rag rag.k=4"', names)
    .option("--metric <name>", "only this metric (default: all of the task)")
    .option("--flipped <n>", "questions to list on which B is worse, and on which it is better", integer, 5)
    .option("--wide", "add the smallest detectable gain (80 % power)")
    .option("--json", "print JSON, with every flipped question")
    .action(async (a: string, b: string | undefined, { flipped, wide, json, ...chosen }: Flags) => {
      const found = await compare({ ...chosen, a, ...(b === undefined ? {} : { b }) }, io);
      if (json === true) printJson(io, "compare", { comparisons: found.map(recordOf) });
      else io.out(renderComparisons(found, { flipped, wide }));
    });
}
