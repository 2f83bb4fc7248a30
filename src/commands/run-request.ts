import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { readText, writeNew } from "../disk/whole-file.js";
import { openCommands } from "../extend/exec/open-commands.js";
import { withPlugins } from "../extend/plugins/with-plugins.js";
import { knownSecrets } from "../net/secrets.js";
import { type LoadedResults, loadResults } from "../report/load.js";
import { renderRun } from "../report/render.js";
import type { Summary } from "../results/summary.js";
import { type Catalogue, catalogueOf } from "../run/catalogue.js";
import { commandWithout } from "../run/command-line.js";
import { described } from "../run/describe.js";
import { ending, failuresOf, type RunEnd, shardRemarks } from "../run/ending.js";
import type { Notice } from "../run/events.js";
import { RunFolder } from "../run/folder.js";
import type { Io } from "../run/io.js";
import { changedSetting, type Manifest } from "../run/manifest.js";
import { serverSettings } from "../run/plan/options.js";
import { askedOf, layersOf, planOf, pluginsOf, withOwnThings } from "../run/plan/plan.js";
import type { RunRequest } from "../run/plan/settings.js";
import type { Plan } from "../run/plan/types.js";
import { changedArms, rowHashes, rowsOf } from "../run/rows.js";
import { type Executed, execute, type HandOut } from "../run/run.js";
import { runFiles } from "../run/run-files.js";
import { openTally, type Tally } from "../run/tally.js";
import { version } from "../run/version.js";
import { type Means, openWorld, type World } from "../run/world.js";
import { countOf, nounOf } from "../text/count.js";
import type { Row } from "../types/index.js";

export interface RunResult {
  readonly ended: RunEnd;
  /** The run folder, absolute. */
  readonly folder: string;
  /** What its names stand for, own things and plug-ins included: hand it to whatever reads the run. */
  readonly catalogue: Catalogue;
  readonly manifest: Manifest;
  /** One an arm. */
  readonly summaries: readonly Summary[];
  /** The last row of every question, read from the folder each time: keep it where it is needed twice. */
  readonly rows: readonly Row[];
  /** The tables; `text` is empty where the run ended before its first answer. */
  readonly tables: { readonly text: string; readonly json: string };
  /** Calls of this process, and the US dollars that its replies were billed at (absent: no price is known). */
  readonly calls: { readonly sent: number; readonly fromStore: number; readonly paidUsd?: number };
  /** All that was told, and at the end what a person should read below the tables: failures, where everything is, what to do next. */
  readonly notices: readonly Notice[];
}

/** Makes a plan of a request, with its plug-ins and own things in the catalogue. Throws UsageError on whatever is wrong with it. */
async function planRequest(request: RunRequest, io: Io): Promise<{ plan: Plan; catalogue: Catalogue }> {
  const { catalogue: known } = await withPlugins({ ...io, catalogue: catalogueOf(io) }, ...pluginsOf(request, io.cwd));
  const catalogue = withOwnThings(known, request);
  return { plan: planOf(layersOf(askedOf(request), catalogue, io.cwd), catalogue), catalogue };
}

/** Plans and opens a request. Sends nothing. */
export async function openRequest(
  request: RunRequest,
  io: Io,
  more: Pick<Means, "dryRun" | "judging"> = {},
): Promise<World> {
  const { plan, catalogue } = await planRequest(request, io);
  return openWorld(plan, { catalogue, io: { openPrograms: openCommands, ...io }, request, ...more });
}

/**
 * Runs methods on tasks, or resumes where the folder holds a part of the same run, and writes the tables. Throws UsageError
 * before the first call where something is wrong with the request; a run that begins ends as `ended` says. `handOut`: how workers
 * are reached.
 */
export const run = async (request: RunRequest, io: Io, handOut?: HandOut): Promise<RunResult> =>
  runWorld(await openRequest(request, io), handOut);

/** Does the same with what is planned and opened. */
export async function runWorld(world: World, handOut?: HandOut): Promise<RunResult> {
  const { folder, stops, plan, io } = world;
  const home = new RunFolder(folder, {
    now: () => io.clock.now(),
    onLost: (error) => stops.stop.abort(error),
    secrets: knownSecrets(io.env),
  });
  const settle = stops.drainWithin(serverSettings(plan.set).drainSeconds * 1000);
  try {
    return await runIn(home, world, handOut);
  } finally {
    settle();
    home.close();
  }
}

async function runIn(home: RunFolder, world: World, handOut?: HandOut): Promise<RunResult> {
  const { folder, plan, catalogue, replay, io } = world;
  const [before, ended] = [home.held, home.log.state.end];
  const manifest = described(world, home.isBegun ? before : undefined);
  const isSame = before !== undefined && changedSetting(before.plan, manifest.plan) === undefined;
  const isFinished = isSame && home.isFinished(version());
  home.begin(manifest);
  if (isFinished && ended !== undefined) home.finish(ended.rows, ended.by); // what was begun anew is finished all the same
  const oldRows = isFinished || ended === undefined || ended.by === version() ? undefined : rowHashes(folder);
  const executed = isFinished ? await unchanged(world, manifest) : await execute(world, home, manifest, handOut);
  const { reason, tally } = executed;
  const changed = oldRows === undefined || reason !== undefined ? [] : changedArms(oldRows, rowHashes(folder));
  const oldJson = textIfThere(join(folder, runFiles.json));
  const { manifest: written, summaries, rows, json, terminal } = writeResults(folder, catalogue);
  const questions = summaries.reduce((sum, { counts }) => sum + counts.questions, 0);
  const failed = summaries.reduce((sum, { counts }) => sum + counts.failed, 0);
  const shown = relative(io.cwd, folder) || ".";
  const { ended: end, remarks } = ending(executed, { questions, failed, shown, replay: replay?.name }, plan);
  const showsTables = questions > 0 || (reason === undefined && plan.shard === undefined); // a table of dashes says nothing
  const isOldPage = existsSync(join(folder, runFiles.page)) && oldJson !== json;
  const finished = isFinished ? before.finishedAt?.slice(0, 10) : undefined;
  const ends = [
    ...failuresOf(rows, shown),
    ...(changed.length === 0
      ? []
      : [`lamp-eval ${ended?.by} finished this run; this version reads ${countOf(changed.length, "arm")} differently`]),
    ...(isOldPage ? [`${runFiles.page} is of before: lamp-eval report ${shown} --html makes it anew`] : []),
    `${finished === undefined ? "" : `this run had finished (${finished}): `}${sentText(tally)}; everything is in ${shown}`,
    ...tally.remarks,
    ...remarks,
    ...shardRemarks(plan.shard, reason === undefined),
  ];
  return {
    ended: end,
    folder,
    catalogue,
    manifest: written,
    summaries,
    get rows() {
      return rowsOf(folder);
    },
    tables: { text: showsTables ? terminal : "", json },
    calls: {
      sent: tally.sent,
      fromStore: tally.fromStore,
      ...(tally.paid === undefined ? {} : { paidUsd: tally.paid.usd }),
    },
    notices: [...world.notices, ...ends.map((text) => ({ kind: "notice" as const, level: "end" as const, text }))],
  };
}

async function unchanged({ commands }: World, manifest: Manifest): Promise<Executed> {
  await commands.close();
  return { reason: undefined, tally: openTally(manifest) };
}

/** `12 calls sent ($0.0123 paid), 3 replies from the log`. */
function sentText({ sent, paid, fromStore }: Tally): string {
  const billed =
    sent === 0 || paid === undefined
      ? ""
      : ` ($${paid.usd.toFixed(4)} paid${paid.isPart ? ", without models of unknown price" : ""})`;
  return `${sent} ${nounOf(sent, "call")} sent${billed}, ${fromStore} ${nounOf(fromStore, "reply", "replies")} from the log`;
}

/** Undefined where there is no such file. */
const textIfThere = (path: string): string | undefined => (existsSync(path) ? readText(path) : undefined);

/** Writes the result files of a run folder, from its rows as they are now. Equal rows give equal files, byte for byte. */
export function writeResults(
  folder: string,
  catalogue: Catalogue,
): LoadedResults & { readonly terminal: string; readonly json: string } {
  const results = loadResults(folder, catalogue);
  const json = renderRun(results, "json");
  writeNew(join(folder, runFiles.markdown), renderRun(results, "markdown", { wide: true }));
  writeNew(join(folder, runFiles.latex), renderRun(results, "latex"));
  writeNew(join(folder, runFiles.csv), renderRun(results, "csv"));
  writeNew(join(folder, runFiles.json), json);
  writeNew(join(folder, runFiles.readme), readmeOf(folder, results.manifest));
  return { ...results, terminal: renderRun(results, "text").trimEnd(), json };
}

/** What a person finds in a run folder: the command that made it, and a line for each file that there is. */
function readmeOf(folder: string, { argv }: Manifest): string {
  const made = argv.length === 0 ? [] : ["", "Made by:", "", "```", commandWithout(argv, "--out"), "```"];
  const files = Object.entries(ABOUT).filter(([file]) => existsSync(join(folder, file)));
  return `${[
    "# A run of lamp-eval",
    ...made,
    "",
    "The same command takes it up again. `lamp-eval report` with this folder prints its tables (`--wide`: every column), `--html` writes the page, `--figures` the charts.",
    "",
    ...files.map(([file, about]) => `- \`${file}\`: ${about}`),
  ].join("\n")}\n`;
}

const ABOUT: Readonly<Record<string, string>> = {
  [runFiles.markdown]: "the tables, every column",
  [runFiles.csv]: "a line for each task, method and metric",
  [runFiles.json]: "the same numbers as JSON",
  [runFiles.latex]: "the tables for a paper",
  [runFiles.log]:
    "all that came from outside: settings, every call that was sent, every answer; the rest is made from it",
  [runFiles.rows]: "a line for each question and method (answer, gold, tokens), and for what preparing a user took",
  [runFiles.traces]: "what each method did: requests (by key), tool calls, notes; `lamp-eval show` prints it",
};
