import { existsSync, statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { Command } from "commander";
import { appendText, readText, writeText } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import { catalogueOf } from "../plan/catalogue.js";
import type { Manifest } from "../record/manifest.js";
import { type ReadingIo, refuseAbsent, refuseMixed, refusePart } from "../record/stored-run.js";
import {
  annotation,
  failsBy,
  type GateCheck,
  type GateResult,
  gateVerdict,
  renderAnnotations,
  renderGate,
  renderGateMarkdown,
  renderJunit,
} from "../report/gate.js";
import { sameFiles } from "../report/join.js";
import { type LoadedResults, loadResults } from "../report/load.js";
import { armsOf, ofArm } from "../results/arms.js";
import { type Baseline, type BaselineArm, baselineOf, readBaseline, renderBaseline } from "../results/baseline.js";
import { changesOf, type GatedResult, gateArms, marginOf, nameOf, type Pair, pairOf } from "../results/gate.js";
import { failuresOf } from "../run/ending.js";
import { countOf, nounOf } from "../text/count.js";
import type { Metric, Task } from "../types/index.js";
import { exitCodes, gateExitHelp, setExitCode } from "./exit-code.js";
import { names, number, upTo } from "./flags.js";
import { printJson } from "./json.js";
import type { CommandIo } from "./terminal.js";

interface ArmSelection {
  /** Only these tasks, methods. Absent: all. */
  readonly task?: readonly string[];
  readonly method?: readonly string[];
  /** Largest accepted share of failed answers (baseline), of unanswered questions (gate) of an arm. Default: .01. */
  readonly maxFailed?: number;
}

export interface BaselineSettings extends ArmSelection {
  readonly run: string;
  readonly file: string;
}

export interface WrittenBaseline {
  readonly arms: number;
  readonly questions: number;
  /** Answers that failed, over all arms and repeats. */
  readonly failed: number;
  readonly simulated: boolean;
}

export interface GateSettings extends ArmSelection {
  readonly run: string;
  /** A file that `writeBaseline` wrote, or a run folder. */
  readonly baseline: string;
  /** Largest loss accepted of the primary metric. Default: by the metric (docs/STATISTICS.md). */
  readonly margin?: number;
  /** True: UNSURE fails. */
  readonly strict?: boolean;
  /** Most that the run may have cost at list prices, in US dollars. Absent: not looked at. */
  readonly maxUsd?: number;
}

const DEFAULT_MAX_FAILED = 0.01;

/** Writes a finished run as a baseline file. Throws UsageError on a run that nothing could be compared with. */
export async function writeBaseline(settings: BaselineSettings, io: ReadingIo): Promise<WrittenBaseline> {
  const { run, file, maxFailed = DEFAULT_MAX_FAILED, ...wanted } = settings;
  const { loaded, holds } = openRun(run, io);
  const { finishedAt, missed = 0 } = loaded.manifest;
  if (finishedAt === undefined)
    throw new UsageError(`${run} is not finished: the same lamp-eval run command finishes it`);
  if (missed > 0)
    throw new UsageError(`${run} is a replay, and its pack lacks ${countOf(missed, "request")}: make a new pack first`);
  const arms = chosenArms(run, holds, wanted);
  for (const arm of arms) {
    const answers = arm.questions.reduce((sum, { replies }) => sum + replies.length, 0);
    if (arm.failed <= maxFailed * answers) continue;
    const failed = `${arm.failed} of ${answers} answers of ${nameOf(arm)} failed`;
    throw new UsageError(`${run}: ${failed}, more than --max-failed ${maxFailed}: run it again, or raise the share`);
  }
  writeText(resolve(io.cwd, file), renderBaseline({ ...holds, arms }));
  const sum = (of: (arm: BaselineArm) => number): number => arms.reduce((total, arm) => total + of(arm), 0);
  const questions = sum((arm) => arm.questions.length);
  return { arms: arms.length, questions, failed: sum(({ failed }) => failed), simulated: holds.simulated };
}

/** Opens a whole run as a baseline. Throws UsageError on a shard. */
function openRun(run: string, io: ReadingIo): { readonly loaded: LoadedResults; readonly holds: Baseline } {
  const stored = io.runs.get(run);
  const loaded = loadResults(stored, catalogueOf(io));
  const { manifest, rows, tasks } = loaded;
  refusePart(stored);
  const holds = baselineOf({
    ...{ simulated: manifest.simulated, version: manifest.by ?? "", rows, data: manifest.identity.data },
    arms: armsOf(manifest.identity.arms),
    metricsOf: (task) => metricsOf(tasks.get(task)),
  });
  return { loaded, holds };
}

/** Returns the metrics that a gate goes by: no judge, whose verdicts a baseline does not hold. */
const metricsOf = ({ metrics }: Task): Metric[] => metrics.filter(({ takes }) => takes === undefined);

/** Opens a baseline file, or a run folder as a baseline. Throws UsageError on anything else. */
function openBaseline(name: string, io: ReadingIo): Baseline {
  const path = resolve(io.cwd, name);
  if (!existsSync(path)) throw new UsageError(`--baseline ${name}: no such file`);
  if (statSync(path).isDirectory()) return openRun(name, io).holds;
  return readBaseline(readText(path), `--baseline ${name}`);
}

/** Throws UsageError on names that it does not have. */
function chosenArms(name: string, { arms: all }: Baseline, { task: tasks, method: methods }: ArmSelection) {
  const known = { tasks: all.map(({ task }) => task), methods: all.map(({ method }) => method) };
  for (const method of methods ?? []) refuseAbsent(name, { flag: "--method", name: method }, known.methods);
  for (const task of tasks ?? []) refuseAbsent(name, { flag: "--task", name: task }, known.tasks);
  const isOf = (names: readonly string[] | undefined, one: string): boolean => names?.includes(one) ?? true;
  const arms = all.filter(({ task, method }) => isOf(tasks, task) && isOf(methods, method));
  if (arms.length === 0) throw new UsageError(`${name} has nothing of this choice of --task and --method`);
  return arms;
}

/**
 * Compares every arm of a baseline with the run's own. Throws UsageError where the two cannot be compared: other data, a missing
 * arm, SIMULATED against real, an unknown cost.
 */
export async function gate(settings: GateSettings, io: ReadingIo): Promise<GateResult> {
  const { run: name, baseline: file, margin, strict = false, maxFailed = DEFAULT_MAX_FAILED, maxUsd } = settings;
  const { loaded, holds: runHolds } = openRun(name, io);
  const { manifest, tasks } = loaded;
  const baseline = openBaseline(file, io);
  refuseMixed(
    { name, simulated: manifest.simulated },
    { name: file, simulated: baseline.simulated },
    "write a baseline of the same kind of model",
  );
  const gated = chosenArms(file, baseline, settings).map((arm) => {
    const pair = pairOf(arm, { name: file, holds: baseline }, { name, holds: runHolds });
    refuseOtherFiles(pair);
    const [metric] = metricsOf(tasks.get(arm.task));
    if (metric === undefined || !arm.metrics.some((one) => one.name === metric.name))
      throw new UsageError(`${pair.name}: the baseline has no ${metric?.name ?? "metric"}; write a new one`);
    const ids = armsOf(manifest.identity.arms)[runHolds.arms.indexOf(pair.run)]!; // a baseline has the arms of its run
    return { ...pair, metric, margin: marginOf(metric, margin), failures: failuresOf(ofArm(loaded.rows, ids), name) };
  });
  const arms = gateArms(gated, maxFailed);
  const checks = [...packCheck(manifest), ...(maxUsd === undefined ? [] : [costCheck(loaded, arms, maxUsd)])];
  const verdict = gateVerdict({ arms, checks });
  const { simulated, startedAt, finishedAt = startedAt } = manifest;
  return {
    ...{ verdict, fails: failsBy(verdict, strict), strict, run: name, baseline: file, simulated, maxFailed },
    ...{ arms, checks, changes: gated.flatMap(changesOf), timestamp: startedAt },
    seconds: (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000,
  };
}

function refuseOtherFiles({ baseline, run }: Pair): void {
  if (sameFiles(baseline.data.files, run.data.files)) return;
  const [was, is] = [baseline, run].map(({ dataset, data: { files } }) => {
    const named = files.map(({ name, sha256 }) => `${basename(name)} ${sha256.slice(0, 8)}`);
    return [dataset, ...named].join(" ");
  });
  throw new UsageError(`different data on ${baseline.task}: ${was} before, ${is} now; write a new baseline`);
}

function packCheck({ replayed, missed = 0 }: Pick<Manifest, "replayed" | "missed">): GateCheck[] {
  if (replayed === undefined) return [];
  const lacks = `${missed} ${nounOf(missed, "request is", "requests are")} not in ${replayed}: make a new pack`;
  const finding = missed === 0 ? `all requests are in ${replayed}` : lacks;
  return [{ name: "stale-pack", passed: missed === 0, finding }];
}

/** Throws UsageError where the cost is not known: it is not 0. */
function costCheck({ summaries, manifest }: LoadedResults, arms: readonly GatedResult[], most: number): GateCheck {
  const ofArms = summaries.filter((one) => arms.some(({ task, method }) => one.task === task && one.method === method));
  const unknown = manifest.simulated ? "SIMULATED calls" : ofArms.find(({ usd }) => usd === undefined)?.method;
  const what = manifest.identity.imported === undefined ? unknown : "imported predictions";
  if (what !== undefined)
    throw new UsageError(`--max-usd: the cost of ${what} is not known; give prices to the run with --prices`);
  const usd = ofArms.reduce((sum, arm) => sum + (arm.usd ?? 0), 0);
  const finding = `the run cost $${usd.toFixed(4)} at list prices, at most $${most.toFixed(4)} accepted`;
  return { name: "budget", passed: usd <= most, finding };
}

interface Flags extends Omit<GateSettings, "run" | "baseline"> {
  readonly baseline?: string;
  readonly writeBaseline?: string;
  readonly json?: boolean;
  readonly junit?: string;
  readonly summary?: string;
}

/** `lamp-eval gate <run>`: is the run no worse than a baseline? */
export function gateCommand(io: CommandIo): Command {
  const command = new Command("gate");
  return command
    .argument("<run>", "run folder to be judged")
    .option("--baseline <file|run>", "what it is compared with: a file of --write-baseline, or a run folder")
    .option("--write-baseline <file>", "write the run as a baseline file, and judge nothing")
    .option("--task <names>", "only these tasks (default: all)", names)
    .option("--method <names>", "only these methods (default: all)", names)
    .option(
      "--margin <size>",
      "largest loss accepted (default: .05 of accuracy, match, mention; .02 of ROUGE; .1 of MAE)",
      number,
    )
    .option("--strict", "UNSURE fails, too")
    .option("--max-failed <share>", "largest share of unanswered questions accepted", upTo(1), DEFAULT_MAX_FAILED)
    .option("--max-usd <dollars>", "most that the run may have cost at list prices", number)
    .option("--json", "print JSON, and the text to stderr")
    .option("--junit <file>", "write JUnit XML there")
    .option("--summary <file>", "append Markdown there (default: $GITHUB_STEP_SUMMARY where it is set)")
    .addHelpText("after", `\n${gateExitHelp}`)
    .action(async (run: string, flags: Flags) => {
      try {
        setExitCode(command, await act(run, flags, io));
      } catch (error) {
        if (error instanceof UsageError && io.env.GITHUB_ACTIONS === "true") io.err(annotation("error", error.message));
        throw error;
      }
    });
}

async function act(run: string, flags: Flags, io: CommandIo): Promise<number> {
  const { baseline, writeBaseline: file, json, junit, summary, ...settings } = flags;
  if ((baseline === undefined) === (file === undefined))
    throw new UsageError("give either --baseline FILE (or RUN), or --write-baseline FILE");
  if (file !== undefined) {
    const written = await writeBaseline({ ...settings, run, file }, io);
    const { arms, questions, failed, simulated } = written;
    const more = `${failed === 0 ? "" : `, ${countOf(failed, "failed answer")}`}${simulated ? ", SIMULATED" : ""}`;
    if (json === true) printJson(io, "gate", { run, file, ...written });
    (json === true ? io.err : io.out)(`${file}: ${countOf(arms, "arm")}, ${countOf(questions, "question")}${more}`);
    return exitCodes.done;
  }
  const result = await gate({ ...settings, run, baseline: baseline! }, io);
  const exitCode = result.fails ? exitCodes.gate[result.verdict] : exitCodes.done;
  (json === true ? io.err : io.out)(renderGate(result));
  if (junit !== undefined) writeText(resolve(io.cwd, junit), renderJunit(result));
  const markdown = summary ?? io.env.GITHUB_STEP_SUMMARY ?? "";
  if (markdown !== "") appendText(resolve(io.cwd, markdown), renderGateMarkdown(result));
  if (io.env.GITHUB_ACTIONS === "true") for (const line of renderAnnotations(result)) io.err(line);
  const arms = result.arms.map(({ effective, holm, ...arm }) => ({ ...arm, n_e: effective, p_holm: holm }));
  if (json === true) printJson(io, "gate", { ...result, arms }, exitCode);
  return exitCode;
}
