import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { writeNew } from "../disk/whole-file.js";
import { openCommands } from "../extend/exec/open-commands.js";
import { withPlugins } from "../extend/plugins/with-plugins.js";
import { LOCK_FILE } from "../log/lock.js";
import { type Catalogue, catalogueOf } from "../plan/catalogue.js";
import type { Notice } from "../plan/io.js";
import { type Io, version } from "../plan/io.js";
import { type Planned, planRequest, pluginsOf } from "../plan/plan.js";
import type { RunRequest } from "../plan/settings.js";
import type { Plan } from "../plan/types.js";
import { asJson, isFinished } from "../record/folder.js";
import { commandOf, type Manifest } from "../record/manifest.js";
import { rowsOf, runFiles } from "../record/rows.js";
import type { ReadingIo, StoredRun } from "../record/stored-run.js";
import { type LoadedResults, loadResults } from "../report/load.js";
import { renderRun } from "../report/render.js";
import { armLabel } from "../results/arms.js";
import type { Summary } from "../results/summary.js";
import { hasSameFiles } from "../run/data.js";
import { portable } from "../run/describe.js";
import { ending, failuresOf, openTally, type RunEnd, sentText } from "../run/ending.js";
import { unreadableArms } from "../run/health.js";
import { type Delegate, type Executed, execute, WORKERS } from "../run/run.js";
import { openWorld, type World, type WorldInputs } from "../run/world.js";
import type { Row } from "../types/index.js";

export interface RunResult {
  readonly ended: RunEnd;
  /** The run folder, absolute. */
  readonly folder: string;
  /** Meaning of its names, own things and plug-ins included: hand it to whatever reads the run. */
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

/** Plans and opens a request, with its plug-ins and own things. Sends nothing. Throws UsageError on whatever is wrong with it. */
export async function openRequest(
  request: RunRequest,
  io: ReadingIo,
  more: Pick<WorldInputs, "dryRun" | "judging"> = {},
): Promise<World> {
  return openPlanned(await planned(request, io), request, { ...more, io });
}

/** Loads the plug-ins of a request, and resolves it. */
async function planned(request: RunRequest, io: Io): Promise<Planned> {
  const { catalogue } = await withPlugins({ ...io, catalogue: catalogueOf(io) }, ...pluginsOf(request, io.cwd));
  return planRequest(request, catalogue, io.cwd);
}

const openPlanned = (
  { plan, ...rest }: Planned,
  request: RunRequest,
  { io, ...more }: Pick<WorldInputs, "dryRun" | "judging" | "io">,
): Promise<World> => openWorld(plan, { ...rest, ...more, io: { openPrograms: openCommands, ...io }, request });

/**
 * Runs methods on tasks, or resumes where the folder holds a part of the same run, and writes the tables. Throws UsageError
 * before the first call where something is wrong with the request; a run that begins ends as `ended` says. `delegate`: how workers
 * are reached.
 */
export async function run(request: RunRequest, io: ReadingIo, delegate?: Delegate): Promise<RunResult> {
  const resolved = await planned(request, io);
  const { plan, catalogue } = resolved;
  const stored = request.out === undefined || request.replay !== undefined ? undefined : io.runs.find(request.out);
  if (stored !== undefined && isUnchanged(plan, catalogue, stored, io))
    return resultOf(stored, { catalogue, plan, io, notices: [], replay: undefined }, undefined);
  return runOpened(await openPlanned(resolved, request, { io }), delegate);
}

/**
 * Returns whether a folder holds the finished run of a plan, and neither code from outside nor any file but the same data took part:
 * then its tables are printed without opening anything.
 */
function isUnchanged(plan: Plan, catalogue: Catalogue, { path, log, manifest }: StoredRun, { cwd }: Io): boolean {
  if (existsSync(join(path, LOCK_FILE))) return false; // whoever takes a killed run over removes its lock
  if (catalogue.origins.size > 0 || plan.methods.some((name) => name.startsWith("exec:"))) return false;
  const { replayed, plugins, identity } = manifest;
  if (replayed !== undefined || plugins !== undefined || identity.wikipedia !== undefined) return false;
  const facts = [...log.state.facts.keys()];
  if (facts.includes(WORKERS)) return false;
  const isSamePlan = isDeepStrictEqual(manifest.plan, asJson(portable(plan)));
  return isSamePlan && hasSameFiles(identity.data, { plan, catalogue, cwd }) && isFinished(path, log.state, version());
}

/** Runs, or resumes, what is planned and opened, and writes its tables. Throws UsageError where its folder holds another run. */
export async function runOpened(world: World, delegate?: Delegate): Promise<RunResult> {
  const executed = await execute(world, { delegate });
  return resultOf(executed.run, world, executed);
}

/** Writes the result files of a folder and says how its run ended. `executed`: what this process did; absent where it had finished. */
function resultOf(
  run: StoredRun,
  { catalogue, plan, io, notices, replay }: Pick<World, "catalogue" | "plan" | "io" | "notices" | "replay">,
  executed: Executed | undefined,
): RunResult {
  const folder = run.path;
  const { manifest, summaries, rows, json, terminal } = writeResults(run, catalogue);
  const { reason, tally, isNew, remarks } = executed ?? {
    reason: undefined,
    tally: openTally(manifest),
    isNew: false,
    remarks: [],
  };
  const questions = summaries.reduce((sum, { counts }) => sum + counts.questions, 0);
  const failed = summaries.reduce((sum, { counts }) => sum + counts.failed, 0);
  const shown = relative(io.cwd, folder) || ".";
  const titleOf = new Map(
    summaries.flatMap((one) => one.arms.map((id) => [id, `${one.task} ${armLabel(one)}`] as const)),
  );
  const unreadable = unreadableArms(rows, (arm) => titleOf.get(arm) ?? arm);
  const end = ending({ reason, tally }, { questions, failed, unreadable, shown, replay: replay?.name }, plan);
  const showsTables = questions > 0 || (reason === undefined && plan.shard === undefined); // a table of dashes says nothing
  const finished = !isNew ? `this run had finished (${manifest.finishedAt?.slice(0, 10)}): ` : "";
  const ends = [
    ...(tally.missed.length > 0 ? [] : failuresOf(rows, shown)), // a replay names what it lacks
    ...remarks,
    `${finished}${sentText(tally)}; everything is in ${shown}`,
    ...tally.remarks,
    ...end.remarks,
  ];
  const { sent, fromStore, paid } = tally;
  return {
    ...{ ended: end.ended, folder, catalogue, manifest, summaries },
    get rows() {
      return rowsOf(folder);
    },
    tables: { text: showsTables ? terminal : "", json },
    calls: { sent, fromStore, ...(paid === undefined ? {} : { paidUsd: paid.usd }) },
    notices: [...notices, ...ends.map((text) => ({ kind: "notice" as const, level: "end" as const, text }))],
  };
}

/** Writes the result files of a run folder, from its rows as they are now. Equal rows give equal files, byte for byte. */
export function writeResults(
  run: StoredRun,
  catalogue: Catalogue,
): LoadedResults & { readonly terminal: string; readonly json: string } {
  const folder = run.path;
  const results = loadResults(run, catalogue);
  const json = renderRun(results, "json");
  writeNew(join(folder, runFiles.markdown), renderRun(results, "markdown", { wide: true }));
  writeNew(join(folder, runFiles.latex), renderRun(results, "latex"));
  writeNew(join(folder, runFiles.csv), renderRun(results, "csv"));
  writeNew(join(folder, runFiles.json), json);
  writeNew(join(folder, runFiles.readme), readmeOf(results.manifest));
  return { ...results, terminal: renderRun(results, "text").trimEnd(), json };
}

/** Text for a person who opens a run folder: the command that made it, and what the files are. */
function readmeOf({ argv }: Manifest): string {
  const made = argv.length === 0 ? "" : `Made by:\n\n\`\`\`\n${commandOf(argv)}\n\`\`\`\n\n`;
  return `# A run of lamp-eval

${made}The same command takes it up again. \`lamp-eval report\` with this folder prints its tables (\`--wide\`: every column), \`--html\` writes the page, \`--figures\` the charts.

- \`${runFiles.markdown}\`, \`${runFiles.csv}\`, \`${runFiles.json}\`, \`${runFiles.latex}\`: the tables
- \`${runFiles.log}\`: all that came from outside: settings, every call that was sent, every answer; the rest is made from it
- \`${runFiles.rows}\`: a line for each question and method (answer, gold, tokens), and for what preparing a user took
- \`${runFiles.traces}\`: what each method did: requests (by key), tool calls, notes; \`lamp-eval show\` prints it
`;
}
