import { existsSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { Command } from "commander";
import * as z from "zod";
import { inTemporaryFolder, readText } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import { openCommands } from "../extend/exec/open-commands.js";
import { withImported } from "../extend/import/imported.js";
import { withRecordedTasks } from "../extend/plugins/with-plugins.js";
import { SCORES } from "../log/pack.js";
import { armTitle } from "../plan/arms.js";
import { catalogueOf, changedPlugins, refuseAbsentPlugins } from "../plan/catalogue.js";
import { version } from "../plan/io.js";
import { runFiles } from "../record/rows.js";
import type { ReadingIo, StoredRun } from "../record/stored-run.js";
import { groupBy } from "../results/samples.js";
import type { Summary } from "../results/summary.js";
import { reopen, storedJudging } from "../run/reopen.js";
import { execute } from "../run/run.js";
import type { World } from "../run/world.js";
import { baselinesOf } from "../tasks/baselines.js";
import { countOf } from "../text/count.js";
import type { Row, RowLine } from "../types/index.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import { printJson } from "./json.js";
import { writeResults } from "./run-request.js";
import type { CommandIo } from "./terminal.js";

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
export async function verify({ run: name, data }: VerifySettings, io: ReadingIo): Promise<readonly Verified[]> {
  const run = io.runs.getWithPacks(name);
  const { corrupt, end, facts } = run.log.state;
  if (corrupt.length > 0 && end === undefined)
    throw new UsageError(
      `${name}: ${countOf(corrupt.length, "line")} of the log corrupt (first: line ${corrupt[0]}); the same lamp-eval run command asks again what is lost`,
    );
  if (run.manifest.finishedAt === undefined || end === undefined)
    throw new UsageError(`${name}: it has not finished; the same lamp-eval run command finishes it`);
  const claimed = run.isPack ? scores.safeParse(facts.get(SCORES)).data : [];
  if (claimed === undefined) throw new UsageError(`${name}: the pack holds no scores`);
  return inTemporaryFolder((recomputed) => compared({ run, data, recomputed }, claimed, io));
}

/** Recomputes a run and compares it arm by arm. `claimed`: the scores that a pack states. */
async function compared(recorded: Recorded, claimed: readonly ArmScores[], io: ReadingIo): Promise<Verified[]> {
  const { run, recomputed } = recorded;
  const world = await openRecorded(recorded, io);
  const executed = await execute(world, { manifest: run.manifest });
  const { missed } = executed.tally;
  if (executed.reason !== undefined) throw executed.reason;
  const fresh = packScores(writeResults(executed.run, world.catalogue).summaries);
  const lines = [...run.lines()];
  const stored = run.isPack && lines.length === 0 ? undefined : byArm(lines); // a pack may lack them
  const rows = byArm(executed.run.lines());
  const differenceOf = (id: string, arm: string): string | undefined => {
    const [first, ...more] = missed.filter((what) => what.startsWith(`${arm},`));
    if (first !== undefined) return `the log lacks ${countOf(more.length + 1, "request")}: ${first}`;
    const inRows = stored && rowDifference(stored.get(id) ?? [], rows.get(id) ?? []);
    if (inRows !== undefined || !run.isPack) return inRows; // only a pack claims scores
    const scoresIn = (all: readonly ArmScores[]) => all.find(({ arms: armIds }) => armIds.includes(id));
    return difference(scoresIn(claimed), scoresIn(fresh));
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
    const old = run.manifest.tasks.find((facts) => facts.task === task.name)?.baselines; // a pack without texts has none
    return old === undefined || isDeepStrictEqual(old, baselinesOf(task, units, world.plan.online))
      ? []
      : [verified(`${task.name} baselines`, "not what the data give: they are made up")];
  });
  return [...arms, ...invented, ...baselines, ...(run.isPack ? [] : resultFiles(run.path, recomputed))];
}

const verified = (arm: string, difference: string | undefined): Verified => ({
  ...{ arm, said: difference ?? "recomputed and equal", equal: difference === undefined },
});

interface Recorded extends Pick<VerifySettings, "data"> {
  readonly run: StoredRun;
  /** Where the run is made again. */
  readonly recomputed: string;
}

/** Opens a run as its log says. Throws UsageError where something of it is not at hand. */
async function openRecorded({ run: stored, data, recomputed }: Recorded, io: ReadingIo): Promise<World> {
  const { name: run, manifest } = stored;
  const judge = await storedJudging(stored, data, io);
  const known = catalogueOf(io);
  refuseAbsentPlugins(run, manifest.plugins, known);
  for (const line of changedPlugins(manifest.plugins, known)) io.tell(`${run}: ${line}`);
  const plan = { ...manifest.plan, ...(data === undefined || judge !== undefined ? {} : { data }) };
  return reopen(manifest, {
    plan,
    catalogue: judge?.catalogue ?? withImported(withRecordedTasks(known, manifest, run), manifest),
    io: { openPrograms: openCommands, ...io },
    files: stored.files,
    recorded: stored,
    request: { out: recomputed, onEvent: () => undefined },
    ...(judge === undefined ? {} : { judging: judge.judging }),
    shown: `${run}: `,
    hint: "give its own data with --data, and its version of lamp-eval",
  });
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
export function verifyCommand(io: CommandIo): Command {
  const command = new Command("verify")
    .argument("<run>", "run folder, or pack (export --form pack)")
    .option("--data <dir>", "the data of the run, or task=dir,task=dir (the built-in demo data are always found)")
    .option("--json", "print JSON");
  return command.action(async (run: string, { data, json }: { readonly data?: string; readonly json?: boolean }) => {
    const verified = await verify({ run, data }, io);
    const exitCode = verified.every(({ equal }) => equal) ? exitCodes.done : exitCodes.failures;
    if (json === true) printJson(io, "verify", { run, checks: verified }, exitCode);
    else io.out(renderVerified(verified));
    setExitCode(command, exitCode);
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
