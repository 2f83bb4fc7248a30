import { UsageError } from "../errors.js";
import type { Catalogue } from "../plan/catalogue.js";
import { refusePart, type StoredRun } from "../record/stored-run.js";
import { controlOf, settingsOf } from "../results/arms.js";
import { groupBy } from "../results/samples.js";
import type { SummaryInput } from "../results/summary.js";
import { contentId } from "../text/content-id.js";
import type { ArmSpec } from "../types/index.js";
import { type LoadedResults, loadResults, summarizeRun } from "./load.js";
import type { TaskFacts } from "./tables/results.js";

interface NamedResults extends LoadedResults {
  readonly name: string;
  readonly stored: StoredRun;
}

/** A run with its arms and records by their ids in the whole. */
interface JoinedRun extends NamedResults {
  readonly records: Pick<SummaryInput, "rows" | "units" | "timings">;
}

export interface JoinedResults extends LoadedResults {
  readonly runs: readonly JoinedRun[];
}

/**
 * Joins runs into one. Arms that several runs have are told apart by the setting `run`. `equal`: all must have been asked the same
 * questions, and arms with equal answers appear once. Throws UsageError naming what cannot be joined.
 */
export function joinResults(
  named: readonly StoredRun[],
  catalogue: Catalogue,
  { equal }: { readonly equal: boolean },
): JoinedResults {
  const loaded = named.map((stored) => ({
    ...loadResults(stored, catalogue, { judges: true }),
    stored,
    name: stored.name,
  }));
  for (const [at, run] of loaded.entries()) {
    refusePart(run.stored);
    if (run.manifest.judged !== undefined) throw new UsageError(`${run.name}: a judge's run; report it alone`);
    for (const before of loaded.slice(0, at)) refuseOther(before, run, equal);
  }
  const runs = loaded.map((run): JoinedRun => {
    const ids = joinedIds(run, loaded, equal);
    return {
      ...run,
      specs: run.specs.flatMap((arm) => joinedArm(arm, ids.get(arm.id), run, loaded)),
      records: {
        rows: joined(run.rows, ids),
        units: joined(run.stored.units, ids),
        timings: joined(run.stored.timings(), ids),
      },
    };
  });
  const arms = runs.flatMap((run) => run.specs);
  const summaries = runs.flatMap((run) => {
    const of = summarizeRun(run.manifest, { specs: run.specs, peers: arms, ...run.records }, run.tasks);
    return of.map((summary) => ({ ...summary, run: run.name }));
  });
  const first = loaded[0]!; // there is one
  const { sweep: _, finishedAt, ...manifest } = first.manifest;
  const isDone = loaded.every((run) => run.manifest.finishedAt !== undefined);
  return {
    ...first,
    ...{ stored: undefined, sweep: undefined },
    ...{ summaries, specs: arms, runs, rows: runs.flatMap(({ records }) => records.rows) },
    manifest: {
      ...{ ...manifest, ...(isDone && finishedAt !== undefined ? { finishedAt } : {}) },
      identity: { ...manifest.identity, arms },
      simulated: summaries.every(({ simulated }) => simulated),
    },
    facts: joinedFacts(loaded.flatMap(({ facts }) => facts)),
  };
}

type Ids = ReadonlyMap<string, string>;

/** Maps arms to ids among all runs: `id@2` where runs differ, or without `equal`; none where an earlier run has the same answers. */
function joinedIds(run: NamedResults, loaded: readonly NamedResults[], equal: boolean): Ids {
  const at = loaded.indexOf(run);
  const answers = ({ rows }: NamedResults, id: string): string =>
    contentId(rows.filter(({ arm }) => arm === id).map(({ question, outcome }) => [question, outcome]));
  const ids = run.specs.flatMap(({ id }): [string, string][] => {
    const others = loaded.filter((other) => other !== run && other.specs.some((arm) => arm.id === id));
    if (others.some((other) => !equal || answers(other, id) !== answers(run, id))) return [[id, `${id}@${at + 1}`]];
    return others.some((other) => loaded.indexOf(other) < at) ? [] : [[id, id]];
  });
  return new Map(ids);
}

function joinedArm(
  arm: ArmSpec,
  id: string | undefined,
  run: NamedResults,
  loaded: readonly NamedResults[],
): ArmSpec[] {
  if (id === undefined) return [];
  const data = loaded.flatMap(({ manifest }) => manifest.identity.data).find(({ task }) => task === arm.task);
  const options = id === arm.id ? arm.options : { ...arm.options, run: run.name };
  return [{ ...arm, id, dataset: data?.name ?? arm.dataset, options }];
}

const joined = <T extends { readonly arm: string }>(records: Iterable<T>, ids: Ids): T[] =>
  [...records].flatMap((record) => {
    const arm = ids.get(record.arm);
    return arm === undefined ? [] : [{ ...record, arm }];
  });

/** Returns one a task, with what all runs say of it. */
const joinedFacts = (facts: readonly TaskFacts[]): TaskFacts[] =>
  [...groupBy(facts, ({ task }) => task).values()].map((all) => ({
    ...all[0]!, // no group is empty
    remarks: [...new Set(all.flatMap(({ remarks }) => remarks))],
    warnings: [...new Set(all.flatMap(({ warnings = [] }) => warnings))],
  }));

function refuseOther(a: NamedResults, b: NamedResults, equal: boolean): void {
  const both = `${a.name} and ${b.name}`;
  for (const data of a.manifest.identity.data)
    for (const other of b.manifest.identity.data.filter(({ task }) => task === data.task)) {
      if (!sameFiles(data.files, other.files))
        throw new UsageError(`${both}: other data of ${data.task}; name runs of the same files`);
      if (equal && data.units !== other.units)
        throw new UsageError(`${both}: other questions or histories of ${data.task}; name runs of the same ones`);
    }
}

interface HashedFile {
  readonly sha256: string;
}

/** Returns whether two runs read the same data, whatever the files are called. */
export function sameFiles(a: readonly HashedFile[], b: readonly HashedFile[]): boolean {
  const [hashesA, hashesB] = [a, b].map((files) => files.map(({ sha256 }) => sha256).sort());
  return hashesA?.join() === hashesB?.join();
}

/** Returns the settings of two arms that differ: what a difference may be due to, besides the method. */
export function changedSettings(a: ArmSpec, b: ArmSpec): string[] {
  const settings = (arm: ArmSpec): ArmSpec["options"] => ({ "history.control": controlOf(arm), ...settingsOf(arm) });
  const [ofA, ofB] = [settings(a), settings(b)];
  const names = Object.keys(ofA).filter((name) => name in ofB && ofB[name] !== ofA[name] && name !== "run");
  return names.map((name) => `${name}: A ${ofA[name]}, B ${ofB[name]}`);
}
