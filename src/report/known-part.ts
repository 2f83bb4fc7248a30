import { UsageError } from "../errors.js";
import { judgeTask } from "../judges/verdicts.js";
import { memoized } from "../results/pairs.js";
import { type Catalogue, catalogueOf, extended, withMetrics, withMetricsAs } from "../run/catalogue.js";
import type { Io } from "../run/io.js";
import type { Manifest } from "../run/manifest.js";
import { openRunFolder, type StoredRun, storedRun } from "../run/stored-run.js";

/** What of a run the catalogue knows. No code is loaded because a manifest names it. */
export interface KnownPart {
  /** Without what is of unknown tasks. */
  readonly manifest: Manifest;
  /** Tasks as the run scores them: with the metrics that it adds, where they are known. */
  readonly tasks: Catalogue["tasks"];
  readonly has: (cell: string) => boolean;
  /** Metrics that the run adds and nobody knows here. */
  readonly unknownMetrics: readonly string[];
  /** What is left out and why, a line each. */
  readonly leftOut: readonly string[];
}

/** The part of a run that can be read, which may be nothing; `shown` is the run as it is named. */
export function knownPart(manifest: Manifest, handed: Catalogue, shown: string): KnownPart {
  const { plan, judged } = manifest;
  const isJudge = judged !== undefined && handed.tasks.find(judgeTask.name) === undefined;
  const catalogue = isJudge ? extended(handed, { tasks: [judgeTask] }, "a judge") : handed;
  const isKnown = (task: string): boolean => catalogue.tasks.find(task) !== undefined;
  const tasks = [...new Set(plan.cells.map(({ task }) => task))].filter((task) => !isKnown(task));
  const added = manifest.settings.metrics;
  const metrics = added.flatMap((name) => catalogue.metrics.find(name) ?? []);
  const unknownMetrics = added.filter((name) => catalogue.metrics.find(name) === undefined);
  const leftOut = [
    ...tasks.map((name) => `${shown}: ${absent("task", name, manifest)}: its tables are left out; ${AGAIN}`),
    ...unknownMetrics.map((name) => `${shown}: ${absent("metric", name, manifest)}: its column is left out; ${AGAIN}`),
  ];
  const scored = withMetricsAs(withMetrics(catalogue, metrics), memoized);
  if (tasks.length === 0) return { manifest, tasks: scored.tasks, has: () => true, unknownMetrics, leftOut };
  const cells = plan.cells.filter(({ task }) => isKnown(task));
  const known = new Set(cells.map(({ id }) => id));
  const ofKnown = <T extends { readonly task: string }>(things: readonly T[]): T[] =>
    things.filter(({ task }) => isKnown(task));
  return {
    manifest: { ...manifest, plan: { ...plan, cells, data: ofKnown(plan.data) }, tasks: ofKnown(manifest.tasks) },
    tasks: scored.tasks,
    has: (cell) => known.has(cell),
    unknownMetrics,
    leftOut,
  };
}

/** Tells what is left out. Throws UsageError where nothing is left. */
export function tellLeftOut(
  { manifest, leftOut }: Pick<KnownPart, "manifest" | "leftOut">,
  io: Pick<Io, "tell">,
): void {
  if (manifest.plan.cells.length === 0) throw new UsageError(`${leftOut.join("; ")}; nothing is left`);
  for (const line of leftOut) io.tell(line);
}

/** A run as far as it can be read; tells what is left out. */
export function openKnown(
  run: string,
  io: Pick<Io, "cwd" | "catalogue" | "tell">,
): { readonly folder: StoredRun; readonly tasks: Catalogue["tasks"] } {
  const { path, manifest } = openRunFolder(run, io.cwd);
  const part = knownPart(manifest, catalogueOf(io), run);
  tellLeftOut(part, io);
  return { folder: storedRun(path, part.manifest, part.has), tasks: part.tasks };
}

const AGAIN = "give it again: --plugin FILE";

function absent(kind: string, name: string, { plugins = [] }: Manifest): string {
  const from = plugins.find(({ brings }) => brings.includes(`${kind} ${name}`));
  return `${kind} ${name}${from === undefined ? "" : ` (plug-in ${from.name})`} is not known here`;
}
