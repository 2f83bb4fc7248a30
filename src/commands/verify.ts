import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { Command } from "commander";
import { inTemporaryFolder, readText } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import { openCommands } from "../extend/exec/open-commands.js";
import { withImported } from "../extend/import/imported.js";
import { withRecordedTasks } from "../extend/plugins/with-plugins.js";
import { type ReadLog, readLog } from "../log/log.js";
import { SCORES } from "../log/pack.js";
import type { Summary } from "../results/summary.js";
import { type Catalogue, catalogueOf, changedPlugins, refuseAbsentPlugins } from "../run/catalogue.js";
import { RunFolder } from "../run/folder.js";
import type { Io } from "../run/io.js";
import { version } from "../run/io.js";
import { judgingAgain } from "../run/judging.js";
import { changedSetting, type Manifest, manifestOf } from "../run/manifest.js";
import { armTitle } from "../run/plan/arms.js";
import { readLines, runFiles } from "../run/rows.js";
import { execute } from "../run/run.js";
import { openWorld } from "../run/world.js";
import { countOf } from "../text/count.js";
import type { RowLine } from "../types/index.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import { writeResults } from "./run-request.js";
import type { Terminal } from "./terminal.js";

export interface VerifySettings {
  /** A run folder, or a pack. */
  readonly run: string;
  /**
   * The data of the run, or `task=dir,task=dir`; the built-in demo data are always at hand. Of a judge's run those of the judged run; of
   * a pack of one the judged run itself.
   */
  readonly data?: string | undefined;
}

/** What came of one arm, or of the result files. */
export interface Verified {
  readonly arm: string;
  /** `recomputed and equal`, or what differs. */
  readonly said: string;
  readonly equal: boolean;
}

/** The scores of one arm; `cells` are its repeats. */
interface ArmScores {
  readonly cells: readonly string[];
  readonly task: string;
  readonly method: string;
  readonly questions: number;
  readonly failed: number;
  readonly scores: readonly { readonly name: string; readonly value: number | null }[];
}

/** Returns what a pack says of each arm, to the last digit. */
export const scoresOf = (summaries: readonly Summary[]): ArmScores[] =>
  summaries.map(({ cells, task, method, counts, metrics }) => ({
    ...{ cells: [...cells], task, method, questions: counts.questions, failed: counts.failed },
    scores: metrics.map(({ name, strict }) => ({ name, value: strict ?? null })),
  }));

/** What no recomputation can find, in one sentence. */
export const NOT_FOUND =
  "What this cannot find: replies that were invented, and a run that was chosen as the best of several.";

/**
 * Executes a finished run again with its log in the place of everything outside, and compares rows and scores. Sends nothing and
 * writes nothing. Throws UsageError where there is no finished run, and where its data or plug-ins are not at hand.
 */
export async function verify({ run, data }: VerifySettings, io: Io): Promise<readonly Verified[]> {
  const { log, folder } = openRecorded(run, io.cwd);
  const { corrupt, end } = log.state;
  if (corrupt.length > 0)
    throw new UsageError(`${run}: ${countOf(corrupt.length, "line")} of the log corrupt (first: line ${corrupt[0]})`);
  const manifest = manifestOf(log.state, run);
  if (manifest === undefined) throw new UsageError(`${run}: neither a run nor a pack (export RUN --form pack)`);
  if (manifest.finishedAt === undefined || end === undefined)
    throw new UsageError(`${run}: it has not finished; the same lamp-eval run command finishes it`);
  try {
    return await inTemporaryFolder((recomputed) => compared({ run, data, log, folder, manifest, recomputed }, io));
  } finally {
    log.close();
  }
}

interface Recorded {
  readonly run: string;
  readonly data: string | undefined;
  readonly log: ReadLog;
  /** Undefined for a pack. */
  readonly folder: string | undefined;
  readonly manifest: Manifest;
  /** Where the run is made again. */
  readonly recomputed: string;
}

function openRecorded(run: string, cwd: string): Pick<Recorded, "log" | "folder"> {
  const path = resolve(cwd, run);
  if (!existsSync(path)) throw new UsageError(`${run}: no such run or file`);
  if (!statSync(path).isDirectory()) return { log: readLog(path, run), folder: undefined };
  const file = join(path, runFiles.log);
  if (!existsSync(file)) throw new UsageError(`${run}: no run here (no ${runFiles.log})`);
  return { log: readLog(file, run), folder: path };
}

async function compared(recorded: Recorded, io: Io): Promise<Verified[]> {
  const { run, data, log, folder, manifest, recomputed } = recorded;
  const { judged } = manifest;
  const again = judged === undefined ? undefined : await judgingAgain(judged, { folder, data }, io);
  refuseAbsentPlugins(run, manifest.plugins, catalogueOf(io));
  for (const line of changedPlugins(manifest.plugins, catalogueOf(io))) io.tell(`${run}: ${line}`);
  const catalogue = again?.catalogue ?? catalogueOfRun(manifest, run, io);
  const plan = { ...manifest.settings, ...(data === undefined || again !== undefined ? {} : { data }) };
  const world = await openWorld(plan, {
    ...{ catalogue, io: { openPrograms: openCommands, ...io }, recorded: { log, name: run, manifest } },
    request: { out: recomputed, onEvent: () => undefined },
    ...(again === undefined ? {} : { judging: again.judging }),
  });
  const changed = changedSetting(manifest.plan, JSON.parse(JSON.stringify(world.identity)));
  if (changed !== undefined)
    throw new UsageError(
      `${run}: ${changed.path} was ${changed.was} and is ${changed.is} here; give its own data with --data, and its version of lamp-eval`,
    );
  const home = new RunFolder(recomputed, {
    now: () => io.clock.now(),
    onLost: (error) => world.stops.stop.abort(error),
  });
  let missed: readonly string[];
  try {
    home.begin(manifest);
    const { reason, tally } = await execute(world, home, manifest);
    if (reason !== undefined) throw reason;
    missed = tally.missed;
  } finally {
    home.close();
  }
  const { summaries } = writeResults(recomputed, world.catalogue);
  const stored = storedRows(folder, log);
  const scores = scoresOf(summaries);
  const claimed = (log.state.facts.get(SCORES) ?? []) as unknown as readonly ArmScores[]; // a pack's
  const fresh = groupByCell(readLines<RowLine>(join(recomputed, runFiles.rows)));
  const arms = world.arms.map(({ cell }): Verified => {
    const arm = armTitle(cell, world.arms);
    const missing = missed.filter((what) => what.startsWith(`${arm},`));
    const difference =
      missing.length > 0
        ? `the log lacks ${countOf(missing.length, "request")}: ${missing[0]}`
        : ((stored && firstDifference(stored.get(cell.id) ?? [], fresh.get(cell.id) ?? [])) ??
          (folder === undefined ? scoreDifference(claimed, scores, cell.id) : undefined));
    return { arm, said: difference ?? "recomputed and equal", equal: difference === undefined };
  });
  const known = new Set(world.arms.map(({ cell }) => cell.id));
  const foreign = [...(stored?.keys() ?? []), ...claimed.flatMap(({ cells }) => cells)].filter((id) => !known.has(id));
  const others = [...new Set(foreign)].slice(0, MOST_FOREIGN).map((id): Verified => {
    return { arm: shown(id), said: "is no arm of this run: its rows and scores are made up", equal: false };
  });
  return [...arms, ...others, ...(folder === undefined ? [] : resultFiles(folder, recomputed))];
}

/** The catalogue with the tasks in YAML of a run, and the method that it was imported as: both stand in its log only. */
function catalogueOfRun(manifest: Manifest, run: string, io: Io): Catalogue {
  const known = catalogueOf(io);
  return withImported(withRecordedTasks(known, manifest, run), manifest);
}

/** The rows that the run ended with; undefined in a pack without them. */
function storedRows(folder: string | undefined, log: ReadLog): Map<string, RowLine[]> | undefined {
  if (folder !== undefined) return groupByCell(readLines<RowLine>(join(folder, runFiles.rows)));
  const rows = [...log.entries()].flatMap((entry) => (entry.t === "row" ? [entry.row] : []));
  return rows.length === 0 ? undefined : groupByCell(rows);
}

function groupByCell(lines: Iterable<RowLine>): Map<string, RowLine[]> {
  const byCell = new Map<string, RowLine[]>();
  for (const line of lines) byCell.set(line.cell, [...(byCell.get(line.cell) ?? []), line]);
  return byCell;
}

function firstDifference(stored: readonly RowLine[], fresh: readonly RowLine[]): string | undefined {
  if (stored.length !== fresh.length) return `${countOf(stored.length, "line")} stored, ${fresh.length} recomputed`;
  const at = stored.findIndex((line, n) => !isDeepStrictEqual(line, fresh[n]));
  if (at === -1) return undefined;
  const [old, now] = [stored[at], fresh[at]].map((line) => ({ ...line }) as Readonly<Record<string, unknown>>);
  const name = Object.keys({ ...old, ...now }).find((one) => !isDeepStrictEqual(old?.[one], now?.[one])) ?? "";
  const place = old?.question === undefined ? `user ${old?.unit}` : `question ${old.question}`;
  return `${place}: ${name} is ${shown(old?.[name])}, the log gives ${shown(now?.[name])}`;
}

function scoreDifference(stored: readonly ArmScores[], fresh: readonly ArmScores[], cell: string): string | undefined {
  const [old, now] = [stored, fresh].map((all) => all.find(({ cells }) => cells.includes(cell)));
  const metric = now?.scores.find(({ name, value }) => old?.scores.find((one) => one.name === name)?.value !== value);
  if (metric === undefined) return undefined;
  const before = old?.scores.find(({ name }) => name === metric.name)?.value;
  return `${metric.name} is ${shown(before)}, the log gives ${shown(metric.value)}`;
}

/** The tables that people read. */
function resultFiles(folder: string, recomputed: string): Verified[] {
  const names = [runFiles.json, runFiles.csv].filter((name) => existsSync(join(folder, name)));
  return names.map((name) => {
    const equal = readText(join(folder, name)) === readText(join(recomputed, name));
    return {
      arm: name,
      said: equal ? "recomputed and equal" : "not what the log gives: it was edited, or another version wrote it",
      equal,
    };
  });
}

/** Most arms that are named although the run has none of them: a pack may invent thousands. */
const MOST_FOREIGN = 20;
const LONGEST = 100;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "absent";
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text;
}

interface Flags extends Omit<VerifySettings, "run"> {
  readonly json?: boolean;
}

/** `lamp-eval verify RUN` or `FILE`: executes it again with its log in the place of everything outside. Calls no model. */
export function verifyCommand(io: Terminal): Command {
  const command = new Command("verify")
    .argument("<run>", "run folder, or pack (export --form pack)")
    .option("--data <dir>", "the data of the run, or task=dir,task=dir (the built-in demo data are always found)")
    .option("--json", "print JSON");
  return command.action(async (run: string, { json = false, ...flags }: Flags) => {
    const verified = await verify({ ...flags, run }, io);
    io.out(json ? JSON.stringify(verified, undefined, 2) : renderVerified(verified));
    if (!verified.every(({ equal }) => equal)) setExitCode(command, exitCodes.failures);
  });
}

/** Prints a line an arm. */
export function renderVerified(verified: readonly Verified[], by = version()): string {
  const width = Math.max(...verified.map(({ arm }) => arm.length));
  return [
    ...verified.map(({ arm, said, equal }) => `${equal ? "equal   " : "DIFFERS "}  ${arm.padEnd(width)}  ${said}`),
    `Recomputed by lamp-eval ${by}. ${NOT_FOUND}`,
  ].join("\n");
}
