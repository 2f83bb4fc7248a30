import { existsSync, readdirSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { writeWhole } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";
import { isLocked } from "../../log/lock.js";
import { type RankedArm, type RunLine, runsTable, type TaskRanking } from "../../report/page/runs-page.js";
import { renderText } from "../../report/tables/text.js";
import { settingsApart } from "../../results/arms.js";
import { ranked } from "../../results/gains.js";
import { groupBy } from "../../results/grouped.js";
import type { Summary } from "../../results/summary.js";
import { catalogueOf } from "../../run/catalogue.js";
import type { Io } from "../../run/io.js";
import { runFiles } from "../../run/run-files.js";
import type { Cell } from "../../types/index.js";
import { factsOf, type LoadedResults, loadResults } from "./results.js";

interface RunsSettings {
  /** Run folders, or one folder that holds run folders. */
  readonly runs: readonly string[];
  /** Default: text. */
  readonly form?: "text" | "json" | undefined;
  /** Writes into this file. */
  readonly out?: string | undefined;
}

interface RunsReport {
  /** By name. */
  readonly runs: readonly RunLine[];
  /** Arms of all runs that were asked the same questions by the same kind of model, the best first. */
  readonly rankings: readonly TaskRanking[];
  /** In the asked form. */
  readonly text: string;
  /** Where it was written, absolute; undefined: nowhere. */
  readonly file: string | undefined;
}

export const holdsRuns = (folder: string): boolean => !isRun(folder) && runsIn(folder).length > 0;

/**
 * What several runs came to: state, spend and scores of each, and over those that were asked the same questions a ranking. Sends
 * nothing, writes only what it is asked to. A run that cannot be read is a line that says why. Throws UsageError where there is none.
 */
export function reportRuns(
  { runs, form = "text", out }: RunsSettings,
  io: Pick<Io, "cwd" | "catalogue" | "clock">,
): RunsReport {
  const [first = "."] = runs;
  const isFolder = runs.length === 1 && holdsRuns(resolve(io.cwd, first));
  const folders = isFolder ? runsIn(resolve(io.cwd, first)) : runs.map((run) => resolve(io.cwd, run));
  for (const folder of folders)
    if (!isRun(folder)) throw new UsageError(`${relative(io.cwd, folder) || "."}: no run here (no ${runFiles.log})`);
  const read = toldApart(folders.map((folder) => readRun(folder, relative(io.cwd, folder) || ".", io)));
  const lines = read.map(lineOf);
  const rankings = rankingsOf(read);
  const file = out === undefined ? undefined : resolve(io.cwd, out);
  const text =
    form === "json"
      ? `${JSON.stringify({ runs: lines, rankings }, undefined, 2)}\n`
      : `${renderText(runsTable(lines))}\n`;
  if (file !== undefined) writeWhole(file, text, { shared: true });
  return { runs: lines, rankings, text, file };
}

const isRun = (folder: string): boolean => existsSync(join(folder, runFiles.log));

/** Returns the run folders in a folder, by name. */
export function runsIn(folder: string): string[] {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return [];
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
    .filter(isRun);
}

interface ReadRun {
  readonly run: string;
  readonly locked?: boolean;
  /** What it came to, or why it cannot be read. */
  readonly results: LoadedResults | UsageError;
}

function readRun(folder: string, shown: string, io: Pick<Io, "catalogue" | "clock">): ReadRun {
  try {
    return { run: shown, locked: isLocked(folder, io.clock.now()), results: loadResults(folder, catalogueOf(io)) };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { run: shown, results: error };
  }
}

const resultsOf = ({ results }: ReadRun): LoadedResults | undefined =>
  results instanceof UsageError ? undefined : results;

/** The same runs, each arm with the settings that tell it from the arms of its method in all of them (`rag (rag.k=2)`); the model stands by itself. */
function toldApart(read: readonly ReadRun[]): ReadRun[] {
  const settings = new Map(
    read.flatMap((one) => {
      const { summaries = [], manifest } = resultsOf(one) ?? {};
      return summaries.map((summary) => [summary, ownSettings(summary, manifest?.plan.cells ?? [])] as const);
    }),
  );
  const variantIn = (summary: Summary): string => {
    const { task, dataset, method } = summary;
    const peers = [...settings].filter(
      ([other]) => other.task === task && other.dataset === dataset && other.method === method,
    );
    return settingsApart(
      settings.get(summary) ?? {},
      peers.map(([, other]) => other),
    );
  };
  return read.map((one) => {
    const results = resultsOf(one);
    if (results === undefined) return one;
    const summaries = results.summaries.map((summary) => ({ ...summary, variant: variantIn(summary) }));
    return { ...one, results: { ...results, summaries } };
  });
}

/** Every setting of the summary's arm, its seed among them; not the files of imported predictions, which the name of the run tells apart. */
function ownSettings({ cells: [id] }: Summary, cells: readonly Cell[]): Cell["options"] {
  const { options, seed } = cells.find((cell) => cell.id === id)!; // every summary is of a cell
  return Object.fromEntries(Object.entries({ ...options, seed }).filter(([name]) => !name.startsWith("import.")));
}

function lineOf({ run, locked = false, results }: ReadRun): RunLine {
  if (results instanceof UsageError) return { run, state: "not readable", why: results.message, arms: 0, scores: [] };
  const { manifest, summaries, leftOut } = results;
  const planned = manifest.plan.data.reduce((sum, { task, facts }) => {
    const cells = manifest.plan.cells.filter((cell) => cell.task === task).length;
    return sum + cells * (typeof facts.questions === "number" ? facts.questions : 0);
  }, 0);
  const asked = summaries.reduce((sum, { counts }) => sum + counts.questions, 0);
  const failed = summaries.reduce((sum, { counts }) => sum + counts.failed, 0);
  const priced = summaries.flatMap(({ usd }) => usd ?? []);
  return {
    run,
    state: manifest.finishedAt !== undefined ? "done" : locked ? "at work" : "not ended",
    simulated: manifest.simulated,
    arms: summaries.length,
    questions: asked,
    planned: Math.max(asked, planned),
    failed,
    ...(priced.length === 0 ? {} : { usd: priced.reduce((sum, usd) => sum + usd, 0) }),
    ...(priced.length === summaries.length ? {} : { unpriced: summaries.length - priced.length }),
    scores: bestOfTasks(summaries),
    ...(leftOut.length === 0 ? {} : { why: leftOut.join("; ") }),
  };
}

/** The best arm of each task by its headline metric; of a run with one arm, that. */
const bestOfTasks = (summaries: readonly Summary[]): RunLine["scores"] =>
  [...groupBy(summaries, ({ task, dataset }) => `${task}\t${dataset}`).values()].flatMap((arms) => {
    const { task, dataset, method, variant, metrics } = ranked(arms, (arm) => arm)[0]!; // groups are never empty
    const [metric] = metrics;
    if (metric?.strict === undefined) return [];
    return [{ task, dataset, metric: metric.name, score: metric.strict, method, variant }];
  });

/** One ranking for what was asked the same: task, data, what could be seen of it, and kind of model. */
function rankingsOf(read: readonly ReadRun[]): TaskRanking[] {
  const groups = new Map<string, { ranking: Omit<TaskRanking, "arms">; arms: RankedArm[] }>();
  for (const one of read) {
    const results = resultsOf(one);
    const facts = results === undefined ? [] : factsOf(results);
    for (const summary of results?.summaries ?? []) {
      const data = results?.manifest.plan.data.find(
        ({ task, name }) => task === summary.task && name === summary.dataset,
      );
      const { title = summary.task, floor } =
        facts.find(({ task, dataset }) => task === summary.task && dataset === summary.dataset) ?? {};
      const { part } = results?.manifest ?? {};
      const asked = part === undefined ? "all" : `${part.shard}/${part.of}`; // a shard has the data of the whole run
      const key = [summary.task, summary.dataset, data?.units, asked, summary.simulated].join("\t");
      const { task, dataset, simulated } = summary;
      const ranking = { task, title, dataset, simulated, ...(floor === undefined ? {} : { floor }) };
      const group = groups.get(key) ?? { ranking, arms: [] };
      group.arms.push({ run: one.run, summary });
      groups.set(key, group);
    }
  }
  return [...groups.values()].map(({ ranking, arms }) => ({
    ...ranking,
    arms: ranked(arms, ({ summary }) => summary),
  }));
}
