import { basename } from "node:path";
import type { TitledComparison } from "../../report/compare/text.js";
import { openKnown } from "../../report/known-part.js";
import { refuseOtherFiles } from "../../report/same-files.js";
import { ofArm } from "../../results/arms.js";
import { compareArms } from "../../results/compare.js";
import type { Catalogue } from "../../run/catalogue.js";
import type { Io } from "../../run/io.js";
import { withControl } from "../../run/plan/controls.js";
import { refuseMixed } from "../../run/stored-run.js";
import type { Cell, Metric } from "../../types/index.js";
import { refuseUnknownMetric } from "../common/arm-choice.js";
import { type ArmChoices, type ArmPair, type NamedRun, pairArms } from "./arms.js";

export { renderComparisons, type TitledComparison } from "../../report/compare/text.js";

export interface CompareSettings extends ArmChoices {
  /** Run folder. */
  readonly a: string;
  /** Another run folder; absent: the same, for methods of one run. */
  readonly b?: string;
  /** Only this metric; absent: all of the task. */
  readonly metric?: string;
}

/**
 * Compares two runs, or methods of one, on the questions that both answered. Sends nothing, writes nothing. Throws UsageError on runs that cannot be compared: SIMULATED with real ones, of
 * different data, or without a task or method in common.
 */
export async function compare(
  { a: nameA, b: nameB, metric, ...arms }: CompareSettings,
  io: Pick<Io, "cwd" | "catalogue" | "tell">,
): Promise<readonly TitledComparison[]> {
  const [first, other = first] = [...new Set([nameA, nameB ?? nameA])].map((name) => ({
    name,
    ...openKnown(name, io),
  }));
  const [a, b] = [first!, other!]; // there is a first
  const { tasks } = a;
  const kind = ({ name, folder }: NamedRun) => ({ name, simulated: folder.manifest.simulated });
  refuseMixed(kind(a), kind(b), "they are never compared; run both on the same kind of model");
  const pairs = pairArms(a, b, arms);
  for (const task of new Set(pairs.map((pair) => pair.a.cell.task))) refuseOtherData(task, a, b);
  const wanted = metric === undefined ? pairs : pairsWith(metric, pairs, tasks);
  return wanted.map((pair) => ({
    ...titleOf(pair, { a, b, tasks }),
    comparison: compareArms({
      a: ofArm(a.folder.rows, pair.a.cells),
      b: ofArm(b.folder.rows, pair.b.cells),
      metrics: metricsOf(pair, tasks).filter(({ name }) => metric === undefined || name === metric),
    }),
  }));
}

type Tasks = Catalogue["tasks"];

const metricsOf = ({ a }: ArmPair, tasks: Tasks): readonly Metric[] => tasks.get(a.cell.task).metrics;

/** The pairs whose task has this metric. Throws UsageError where none has. */
function pairsWith(metric: string, pairs: readonly ArmPair[], tasks: Tasks): ArmPair[] {
  const having = pairs.filter((pair) => metricsOf(pair, tasks).some(({ name }) => name === metric));
  if (having.length === 0)
    refuseUnknownMetric(
      metric,
      pairs.map(({ a }) => tasks.get(a.cell.task)),
    );
  return having;
}

interface Compared {
  readonly a: NamedRun;
  readonly b: NamedRun;
  readonly tasks: Tasks;
}

function titleOf(pair: ArmPair, { a, b, tasks }: Compared): Omit<TitledComparison, "comparison"> {
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
  const [ofA, ofB] = [withControl(a), withControl(b)];
  const changed = Object.entries(ofA).filter(([name, value]) => name in ofB && ofB[name] !== value);
  return changed.map(([name, value]) => `${name}: A ${value}, B ${ofB[name]}`);
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
  const of = (run: NamedRun) => {
    const data = dataOf(task, run);
    return { run: run.name, dataset: data?.name, files: data?.files ?? [] };
  };
  refuseOtherFiles(task, of(a), of(b), "compare runs of the same files");
}
