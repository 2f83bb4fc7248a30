import { UsageError } from "../errors.js";
import { settingsOf } from "../results/arms.js";
import type { Material } from "../results/summary.js";
import { catalogueOf } from "../run/catalogue.js";
import type { Io } from "../run/io.js";
import { withControl } from "../run/plan/controls.js";
import { refusePart } from "../run/plan/part.js";
import { contentId } from "../text/content-id.js";
import type { Cell } from "../types/index.js";
import { type LoadedResults, loadResults, measuredIn, summariesOf, unfinished } from "./load.js";
import { sameFiles } from "./same-files.js";
import type { TaskFacts } from "./tables/results.js";

/** A run as typed, and where it is. */
export interface NamedFolder {
  readonly name: string;
  readonly folder: string;
}

type NamedResults = LoadedResults & NamedFolder;

/** A run with its cells and records as they are called in the whole. */
type PlacedRun = NamedResults & {
  readonly cells: readonly Cell[];
  readonly records: Pick<Material, "rows" | "units" | "timings">;
};

export interface JoinedResults extends LoadedResults {
  readonly runs: readonly PlacedRun[];
}

/**
 * Joins runs into one. Arms that several runs have are told apart by the setting `run`. `equal`: all must have been asked the same
 * questions, and arms with equal answers appear once. Throws UsageError naming what cannot be joined.
 */
export function joinResults(
  named: readonly NamedFolder[],
  io: Pick<Io, "catalogue" | "tell">,
  { equal }: { readonly equal: boolean },
): JoinedResults {
  const loaded = named.map(({ name, folder }) => ({ name, folder, ...loadResults(folder, catalogueOf(io), name) }));
  for (const [at, run] of loaded.entries()) {
    refusePart(run.name, run.manifest);
    if (run.manifest.judged !== undefined) throw new UsageError(`${run.name}: a judge's run; report it alone`);
    for (const before of loaded.slice(0, at)) refuseOther(before, run, equal);
  }
  const runs = loaded.map((run) => placed(run, loaded, equal));
  const cells = runs.flatMap((run) => run.cells);
  const summaries = runs.flatMap((run) => {
    const of = summariesOf(run.manifest, { cells: run.cells, peers: cells, ...run.records }, run.tasks);
    return unfinished(run.manifest, of).map((summary) => ({ ...summary, run: run.name }));
  });
  const first = loaded[0]!; // there is one
  const { sweep: _, finishedAt, ...manifest } = first.manifest;
  const areDone = finishedAt !== undefined && loaded.every((run) => run.manifest.finishedAt !== undefined);
  return {
    ...{ ...first, summaries, runs },
    rows: runs.flatMap(({ records }) => [...records.rows]),
    manifest: {
      ...{ ...manifest, ...(areDone ? { finishedAt } : {}), plan: { ...manifest.plan, cells } },
      simulated: summaries.every(({ simulated }) => simulated),
    },
    facts: joinedFacts(loaded.flatMap(({ facts }) => facts)),
  };
}

function placed(run: NamedResults, all: readonly NamedResults[], equal: boolean): PlacedRun {
  const at = all.indexOf(run);
  const has = ({ manifest }: NamedResults, id: string): boolean => manifest.plan.cells.some((cell) => cell.id === id);
  const answers = ({ rows }: NamedResults, id: string): string =>
    contentId(rows.filter(({ cell }) => cell === id).map(({ question, outcome }) => [question, outcome]));
  const names = new Map<string, string>();
  const cells = run.manifest.plan.cells.flatMap((cell): Cell[] => {
    const { id, task } = cell;
    const others = all.filter((other) => other !== run && has(other, id));
    const isTwice = others.some((other) => !equal || answers(other, id) !== answers(run, id));
    if (!isTwice && others.some((other) => all.indexOf(other) < at)) return [];
    const name = isTwice ? `${id}@${at + 1}` : id;
    names.set(id, name);
    const data = all.flatMap(({ manifest }) => manifest.plan.data).find((one) => one.task === task);
    const options = isTwice ? { ...cell.options, run: run.name } : cell.options;
    return [{ ...cell, id: name, dataset: data?.name ?? cell.dataset, options }];
  });
  const ours = <T extends { readonly cell: string }>(records: Iterable<T>): T[] =>
    [...records].flatMap((record) => {
      const cell = names.get(record.cell);
      return cell === undefined ? [] : [{ ...record, cell }];
    });
  const { units, timings } = measuredIn(run.folder);
  return { ...run, cells, records: { rows: ours(run.rows), units: ours(units), timings: ours(timings) } };
}

/** One a task, with what all runs say of it. */
const joinedFacts = (facts: readonly TaskFacts[]): TaskFacts[] =>
  facts
    .filter(({ task }, at) => facts.findIndex((one) => one.task === task) === at)
    .map((fact) => {
      const all = facts.filter(({ task }) => task === fact.task);
      const warnings = [...new Set(all.flatMap((one) => one.warnings ?? []))];
      return { ...fact, remarks: [...new Set(all.flatMap(({ remarks }) => remarks))], warnings };
    });

function refuseOther(a: NamedResults, b: NamedResults, equal: boolean): void {
  for (const data of a.manifest.plan.data)
    for (const other of b.manifest.plan.data.filter(({ task }) => task === data.task)) {
      if (!sameFiles(data.files, other.files))
        throw new UsageError(`${a.name} and ${b.name}: other data of ${data.task}; name runs of the same files`);
      if (equal && data.units !== other.units)
        throw new UsageError(
          `${a.name} and ${b.name}: other questions or histories of ${data.task}; name runs of the same users and settings`,
        );
    }
}

/** The settings of two arms that differ: what a difference may be due to, besides the method. */
export function changedSettings(a: Cell, b: Cell): string[] {
  const [ofA, ofB] = [a, b].map((cell) => settingsOf({ ...cell, options: withControl(cell) })) as [
    Cell["options"],
    Cell["options"],
  ];
  const names = Object.keys(ofA).filter((name) => name in ofB && ofB[name] !== ofA[name] && name !== "run");
  return names.map((name) => `${name}: A ${ofA[name]}, B ${ofB[name]}`);
}
