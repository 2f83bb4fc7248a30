import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { Command } from "commander";
import * as z from "zod";
import { inTemporaryFolder, readText } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import { openCommands } from "../extend/exec/open-commands.js";
import { withImported } from "../extend/import/imported.js";
import { withRecordedTasks } from "../extend/plugins/with-plugins.js";
import { type ReadLog, readLog } from "../log/log.js";
import { SCORES } from "../log/pack.js";
import { armTitle } from "../plan/arms.js";
import { catalogueOf, changedPlugins, refuseAbsentPlugins } from "../plan/catalogue.js";
import type { Io } from "../plan/io.js";
import { version } from "../plan/io.js";
import { asKept, RunFolder } from "../record/folder.js";
import { changedSetting, type Manifest, manifestOf } from "../record/manifest.js";
import { readLines, runFiles } from "../record/rows.js";
import { groupBy } from "../results/samples.js";
import type { Summary } from "../results/summary.js";
import { judgingAgain } from "../run/judging.js";
import { execute } from "../run/run.js";
import { openWorld, type World } from "../run/world.js";
import { baselinesOf } from "../tasks/baselines.js";
import { countOf } from "../text/count.js";
import { firstLine } from "../text/file-trouble.js";
import type { Row, RowLine } from "../types/index.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import { writeResults } from "./run-request.js";
import type { Terminal } from "./terminal.js";

export interface VerifySettings {
  /** A run folder, or a pack. */
  readonly run: string;
  /** As `run --data`. For a judge's run: the data of the judged run; for a pack of a judge's run: the judged run's folder. */
  readonly data?: string | undefined;
}

/** Outcome for one arm, or for a result file. */
export interface Verified {
  readonly arm: string;
  /** `recomputed and equal`, or what differs. */
  readonly said: string;
  readonly equal: boolean;
}

const scores = z.array(
  z.object({
    /** The repeats of the arm. */
    arms: z.array(z.string()),
    ...{ task: z.string(), method: z.string(), questions: z.number(), failed: z.number() },
    scores: z.array(z.object({ name: z.string(), value: z.number().nullable() })),
  }),
);
type ArmScores = z.infer<typeof scores>[number];

/** Returns what a pack says of each arm, to the last digit. */
export const packScores = (summaries: readonly Summary[]): ArmScores[] =>
  summaries.map(({ arms, task, method, counts, metrics }) => ({
    ...{ arms: [...arms], task, method, questions: counts.questions, failed: counts.failed },
    scores: metrics.map(({ name, strict }) => ({ name, value: strict ?? null })),
  }));

export const LIMITATION = "Verification does not detect invented replies, or a run chosen as the best of several.";

/**
 * Executes a finished run again with its log in the place of everything outside, and compares rows and scores. Sends nothing and
 * writes nothing. Throws UsageError where there is no finished run, and where its data or plug-ins are not at hand.
 */
export async function verify({ run, data }: VerifySettings, io: Io): Promise<readonly Verified[]> {
  const path = resolve(io.cwd, run);
  const folder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? path : undefined;
  const file = folder === undefined ? path : join(folder, runFiles.log);
  if (!existsSync(file)) throw new UsageError(`${run}: no run here (no ${runFiles.log})`);
  const log = readLog(file, run);
  try {
    const { corrupt, end, facts } = log.state;
    if (corrupt.length > 0)
      throw new UsageError(`${run}: ${countOf(corrupt.length, "line")} of the log corrupt (first: line ${corrupt[0]})`);
    const manifest = manifestOf(log.state, run);
    if (manifest === undefined) throw new UsageError(`${run}: neither a run nor a pack (export RUN --form pack)`);
    if (manifest.finishedAt === undefined || end === undefined)
      throw new UsageError(`${run}: it has not finished; the same lamp-eval run command finishes it`);
    const claimed = folder === undefined ? scores.safeParse(facts.get(SCORES)).data : [];
    if (claimed === undefined) throw new UsageError(`${run}: the pack holds no scores`);
    return await inTemporaryFolder((recomputed) =>
      compared({ run, data, log, folder, manifest, recomputed }, claimed, io),
    );
  } finally {
    log.close();
  }
}

/** Recomputes a run and compares it arm by arm. `claimed`: the scores that a pack states. */
async function compared(recorded: Recorded, claimed: readonly ArmScores[], io: Io): Promise<Verified[]> {
  const { run, log, folder, manifest, recomputed } = recorded;
  const world = await openRecorded(recorded, io).catch((error: unknown) => {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${run}: its plan cannot be opened: ${firstLine(error)}`); // whoever made the pack has written it
  });
  const missed = await recompute(world, manifest, recomputed);
  const fresh = packScores(writeResults(recomputed, world.catalogue).summaries);
  const [stored, rows] = [storedRows(folder, log), byArm(readLines<RowLine>(join(recomputed, runFiles.rows)))];
  const differenceOf = (id: string, arm: string): string | undefined => {
    const [first, ...more] = missed.filter((what) => what.startsWith(`${arm},`));
    if (first !== undefined) return `the log lacks ${countOf(more.length + 1, "request")}: ${first}`;
    const inRows = stored && rowDifference(stored.get(id) ?? [], rows.get(id) ?? []);
    if (inRows !== undefined || folder !== undefined) return inRows; // only a pack claims scores
    const [old, now] = [claimed, fresh].map((all) => all.find(({ arms: armIds }) => armIds.includes(id)));
    return difference(old, now);
  };
  const arms = world.arms.map(({ spec }) => {
    const arm = armTitle(spec, world.arms);
    return verified(arm, differenceOf(spec.id, arm));
  });
  const known = new Set(world.arms.map(({ spec }) => spec.id));
  const all = new Set([...(stored?.keys() ?? []), ...claimed.flatMap(({ arms: armIds }) => armIds)]);
  const foreign = [...all].filter((id) => !known.has(id)).slice(0, MOST_FOREIGN);
  const invented = foreign.map((id) => verified(shown(id), "is no arm of this run: its rows and scores are made up"));
  const baselines = world.loaded.flatMap(({ task, units }) => {
    const old = manifest.tasks.find((facts) => facts.task === task.name)?.baselines; // a pack without texts has none
    const given = () => asKept(baselinesOf(task, units, world.plan.online));
    return old === undefined || isDeepStrictEqual(asKept(old), given())
      ? []
      : [verified(`${task.name} baselines`, "not what the data give: they are made up")];
  });
  return [...arms, ...invented, ...baselines, ...(folder === undefined ? [] : resultFiles(folder, recomputed))];
}

const verified = (arm: string, difference: string | undefined): Verified => ({
  ...{ arm, said: difference ?? "recomputed and equal", equal: difference === undefined },
});

interface Recorded extends VerifySettings {
  readonly log: ReadLog;
  /** Undefined for a pack. */
  readonly folder: string | undefined;
  readonly manifest: Manifest;
  /** Where the run is made again. */
  readonly recomputed: string;
}

/** Opens a run as its log says. Throws UsageError where something of it is not at hand. */
async function openRecorded(recorded: Recorded, io: Io): Promise<World> {
  const { run, data, log, folder, manifest, recomputed } = recorded;
  const judge = manifest.judged === undefined ? undefined : await judgingAgain(manifest.judged, { folder, data }, io);
  const known = catalogueOf(io);
  refuseAbsentPlugins(run, manifest.plugins, known);
  for (const line of changedPlugins(manifest.plugins, known)) io.tell(`${run}: ${line}`);
  const plan = { ...manifest.settings, ...(data === undefined || judge !== undefined ? {} : { data }) };
  const world = await openWorld(plan, {
    catalogue: judge?.catalogue ?? withImported(withRecordedTasks(known, manifest, run), manifest),
    io: { openPrograms: openCommands, ...io },
    recorded: { log, name: run, manifest },
    request: { out: recomputed, onEvent: () => undefined },
    ...(judge === undefined ? {} : { judging: judge.judging }),
  });
  const changed = changedSetting(manifest.plan, JSON.parse(JSON.stringify(world.identity)));
  if (changed === undefined) return world;
  const { path, was, is } = changed;
  throw new UsageError(
    `${run}: ${path} was ${was} and is ${is} here; give its own data with --data, and its version of lamp-eval`,
  );
}

/** Executes a run into a folder. Returns the requests that its log lacks. */
async function recompute(world: World, manifest: Manifest, folder: string): Promise<readonly string[]> {
  const { io, stops } = world;
  const home = new RunFolder(folder, { now: () => io.clock.now(), onLost: (error) => stops.stop.abort(error) });
  try {
    home.begin(manifest);
    const { reason, tally } = await execute(world, home, manifest);
    if (reason !== undefined) throw reason;
    return tally.missed;
  } finally {
    home.close();
  }
}

/** Returns the rows that the run ended with; undefined for a pack without them. */
function storedRows(folder: string | undefined, log: ReadLog) {
  if (folder !== undefined) return byArm(readLines<RowLine>(join(folder, runFiles.rows)));
  const rows = [...log.entries()].flatMap((entry) => (entry.t === "row" ? [entry.row] : []));
  return rows.length === 0 ? undefined : byArm(rows);
}

const byArm = (lines: Iterable<RowLine>) => groupBy([...lines], ({ arm }) => arm);

function rowDifference(stored: readonly RowLine[], fresh: readonly RowLine[]): string | undefined {
  if (stored.length !== fresh.length) return `${countOf(stored.length, "line")} stored, ${fresh.length} recomputed`;
  const at = stored.findIndex((line, n) => !isDeepStrictEqual(line, fresh[n]));
  if (at === -1) return undefined;
  const { question, unit }: Partial<Row> = stored[at]!;
  return `${question === undefined ? `user ${unit}` : `question ${question}`}: ${difference(stored[at], fresh[at])}`;
}

/** Returns the first field in which two records differ. */
function difference(stored: object = {}, fresh: object = {}): string | undefined {
  const [old, now]: Readonly<Record<string, unknown>>[] = [{ ...stored }, { ...fresh }];
  const name = Object.keys({ ...old, ...now }).find((one) => !isDeepStrictEqual(old?.[one], now?.[one]));
  return name && `${name} is ${shown(old?.[name])}, the log gives ${shown(now?.[name])}`;
}

/** Compares the tables that people read. */
function resultFiles(folder: string, recomputed: string): Verified[] {
  const names = [runFiles.json, runFiles.csv].filter((name) => existsSync(join(folder, name)));
  return names.map((name) => {
    const isEqual = readText(join(folder, name)) === readText(join(recomputed, name));
    return verified(name, isEqual ? undefined : "not what the log gives: it was edited, or another version wrote it");
  });
}

/** Most arms that are named although the run has none of them: a pack may invent thousands. */
const MOST_FOREIGN = 20;
const LONGEST = 100;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "absent";
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text;
}

/** `lamp-eval verify RUN` or `FILE`: executes it again from its log. Calls no model. */
export function verifyCommand(io: Terminal): Command {
  const command = new Command("verify")
    .argument("<run>", "run folder, or pack (export --form pack)")
    .option("--data <dir>", "the data of the run, or task=dir,task=dir (the built-in demo data are always found)")
    .option("--json", "print JSON");
  return command.action(async (run: string, { data, json }: { readonly data?: string; readonly json?: boolean }) => {
    const verified = await verify({ run, data }, io);
    io.out(json === true ? JSON.stringify(verified, undefined, 2) : renderVerified(verified));
    if (!verified.every(({ equal }) => equal)) setExitCode(command, exitCodes.failures);
  });
}

/** Formats a line an arm. */
export function renderVerified(verified: readonly Verified[]): string {
  const width = Math.max(...verified.map(({ arm }) => arm.length));
  return [
    ...verified.map(({ arm, said, equal }) => `${equal ? "equal   " : "DIFFERS "}  ${arm.padEnd(width)}  ${said}`),
    `Recomputed by lamp-eval ${version()}. ${LIMITATION}`,
  ].join("\n");
}
