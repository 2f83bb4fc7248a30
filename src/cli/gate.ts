import { appendFileSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { Command } from "commander";
import { chosenArms, type GateFlags, judgedArms, readMargins } from "../app/gate/arms.js";
import { costOf } from "../app/gate/cost.js";
import { readJson } from "../app/read-json.js";
import { refuseMixed } from "../app/refuse-mixed.js";
import { openRunFolder, type RunFolder } from "../app/run-folder.js";
import { UsageError } from "../errors.js";
import { isSimulated } from "../models/index.js";
import { type Baseline, type BaselineArm, baselineOf, readBaseline, renderBaseline } from "../report/gate/baseline.js";
import { type GateLine, gateLines } from "../report/gate/gate.js";
import { renderJunit } from "../report/gate/junit.js";
import {
  checkBudget,
  checkCassette,
  checkFailedRows,
  type GateCheck,
  type GateResult,
  remarksOf,
  verdictOf,
} from "../report/gate/result.js";
import { renderAnnotations, renderGate, renderGateMarkdown } from "../report/gate/text.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import { aboveZeroTo, names, number, upTo } from "./run-flags.js";
import type { Terminal } from "./terminal.js";

/** `lamp-eval gate <run>`: is the run no worse than a baseline? One JSON line on stdout, the rest on stderr. */
export function gateCommand(io: Terminal): Command {
  const command = new Command("gate");
  return command
    .argument("<run>", "run folder to be judged")
    .option("--baseline <file|run>", "what it is measured against: a file of --write-baseline, or a run folder")
    .option("--write-baseline <file>", "write the run as a baseline file, and judge nothing")
    .option("--task <names>", "only these tasks (default: all)", names)
    .option("--method <names>", "only these methods (default: all)", names)
    .option("--variant <settings>", "the arm of a sweep, as tables name it, e.g. align.iterations=3")
    .option("--model <provider/id>", "the arm of this model, where a run has several")
    .option("--metric <names>", "metrics that must hold (default: each task's first)", names)
    .option("--margin <sizes>", "largest loss accepted, as .02 or as accuracy=.02,mae=.05", "0.02")
    .option("--alpha <risk>", "about the chance to pass a run that is worse by the margin", aboveZeroTo(0.5), 0.05)
    .option("--max-failed <share>", "largest share of failed or absent answers accepted", upTo(1), 0.01)
    .option("--max-usd <dollars>", "most that the run may have cost at list prices", number)
    .option("--junit <file>", "write JUnit XML there")
    .option("--summary <file>", "append Markdown there (default: $GITHUB_STEP_SUMMARY where it is set)")
    .addHelpText("after", `\n${EXIT_HELP}`)
    .action(async (run: string, flags: GateFlags) => {
      const folder = openRunFolder(run, io.cwd);
      if (flags.writeBaseline !== undefined) {
        refuseJudging(command);
        return writeBaseline(folder, { ...flags, writeBaseline: flags.writeBaseline }, run, io);
      }
      if (flags.baseline === undefined)
        throw new UsageError("--baseline FILE or RUN is needed; make one with --write-baseline FILE");
      const result = judge(run, folder, await openBaseline(flags.baseline, io.cwd), flags.baseline, flags);
      publish(result, flags, io);
      setExitCode(command, exitCodes.gate[result.verdict]);
    });
}

// --- internal ---

const EXIT_HELP = `Exit codes: 0 pass, ${Object.entries(exitCodes.gate)
  .filter(([verdict]) => verdict !== "pass")
  .map(([verdict, code]) => `${code} ${verdict}`)
  .join(", ")}, ${exitCodes.usage} wrong use or other data.`;

/** What `--write-baseline` goes with; all other flags are about judging. */
const writing = ["writeBaseline", "task", "method", "variant", "model", "maxFailed"];

function refuseJudging(command: Command): void {
  const given = command.options.find(
    (option) =>
      !writing.includes(option.attributeName()) && command.getOptionValueSource(option.attributeName()) === "cli",
  );
  if (given !== undefined) throw new UsageError(`--write-baseline judges nothing: leave ${given.long} out`);
}

type WritingFlags = GateFlags & Required<Pick<GateFlags, "writeBaseline">>;

function writeBaseline(folder: RunFolder, flags: WritingFlags, run: string, io: Terminal): void {
  if (folder.manifest.finishedAt === undefined)
    throw new UsageError(`${folder.path} is not finished: the same lamp-eval run command finishes it`);
  const { replay } = folder.manifest;
  if (replay !== undefined && replay.stale > 0)
    throw new UsageError(
      `${run} is a replay with ${replay.stale} requests that its cassette does not hold: no baseline; record the cassette again`,
    );
  const whole = baselineOf(partsOf(folder));
  const made = { ...whole, arms: [...chosenArms(whole, flags, run)] };
  const failed = made.arms.reduce((sum, arm) => sum + failedAnswers(arm, flags.maxFailed, run), 0);
  const { writeBaseline: file } = flags;
  writeText(resolve(io.cwd, file), renderBaseline(made));
  const count = made.arms.reduce((sum, { questions }) => sum + questions.length, 0);
  const facts = [
    `${made.arms.length} arms`,
    `${count} questions`,
    ...(failed === 0 ? [] : [`${failed} failed answers`]),
  ];
  io.err(`${file}: ${facts.join(", ")}${made.simulated ? ", SIMULATED" : ""}`);
}

/** Throws UsageError where they are more than the accepted share: nothing could be measured against such an arm. */
function failedAnswers({ task, method, questions, repeats }: BaselineArm, most: number, run: string): number {
  const failed = questions.reduce((sum, question) => sum + question.failed, 0);
  const all = questions.length * repeats;
  if (failed <= most * all) return failed;
  throw new UsageError(
    `${run}: ${failed} of ${all} answers of ${task} ${method} failed, more than --max-failed ${most}: no baseline; run it again, or accept them with --max-failed`,
  );
}

async function openBaseline(name: string, cwd: string): Promise<Baseline> {
  const path = resolve(cwd, name);
  if (existsSync(path) && statSync(path).isDirectory()) return baselineOf(partsOf(openRunFolder(name, cwd)));
  const baseline = readBaseline(await readJson(name, "--baseline", cwd), `--baseline ${name}`);
  const embedded = baseline.arms.find(({ model }) => isSimulated(model));
  if (!baseline.simulated && embedded !== undefined)
    throw new UsageError(
      `--baseline ${name}: it says simulated: false, and its ${embedded.method} is of ${embedded.model}, which is SIMULATED: the file was changed; write it again with --write-baseline`,
    );
  return baseline;
}

const partsOf = ({ manifest, rows }: RunFolder) => ({
  simulated: manifest.simulated,
  version: manifest.plan.version,
  cells: manifest.plan.cells,
  data: manifest.plan.data,
  requests: manifest.requests ?? {},
  rows,
});

function judge(run: string, folder: RunFolder, baseline: Baseline, name: string, flags: GateFlags): GateResult {
  refuseMixed(
    { name: run, simulated: folder.manifest.simulated },
    { name, simulated: baseline.simulated },
    "a SIMULATED baseline gates only SIMULATED runs; write a baseline of the same kind of model",
  );
  const candidate = baselineOf(partsOf(folder));
  const { arms, unjudged } = judgedArms(baseline, candidate, folder, flags, { baseline: name, candidate: run });
  const lines: readonly GateLine[] = gateLines(arms, {
    alpha: flags.alpha,
    margin: readMargins(flags.margin, arms),
    seed: arms[0]?.arm.candidate.seed ?? 0,
  });
  const checks: readonly GateCheck[] = [
    checkFailedRows(
      arms.map(({ arm }) => arm),
      flags.maxFailed,
    ),
    ...(flags.maxUsd === undefined
      ? []
      : [
          checkBudget(
            costOf(
              run,
              folder,
              arms.map(({ arm }) => arm.candidate),
            ),
            flags.maxUsd,
          ),
        ]),
    ...(folder.manifest.replay === undefined ? [] : [checkCassette(folder.manifest.replay)]),
  ];
  return {
    verdict: verdictOf(lines, checks),
    run,
    baseline: name,
    simulated: baseline.simulated,
    alpha: flags.alpha,
    lines,
    checks,
    remarks: [
      ...(folder.manifest.finishedAt === undefined ? [`${run} is not finished`] : []),
      ...remarksOf(arms.map(({ arm }) => arm)),
      ...(unjudged.length === 0 ? [] : [`not in the baseline, not judged: ${unjudged.join(", ")}`]),
    ],
  };
}

function publish(result: GateResult, flags: GateFlags, io: Terminal): void {
  io.err(renderGate(result));
  if (flags.junit !== undefined) writeText(resolve(io.cwd, flags.junit), renderJunit(result));
  const summary = flags.summary ?? io.env.GITHUB_STEP_SUMMARY;
  if (summary !== undefined && summary !== "") {
    const path = resolve(io.cwd, summary);
    write(path, () => appendFileSync(path, renderGateMarkdown(result)));
  }
  if (io.env.GITHUB_ACTIONS === "true") for (const line of renderAnnotations(result)) io.err(line);
  io.out(JSON.stringify({ exitCode: exitCodes.gate[result.verdict], ...result }));
}

const writeText = (path: string, text: string): void => write(path, () => writeFileSync(path, text));

function write(path: string, work: () => void): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    work();
  } catch (error) {
    throw new UsageError(`${path}: cannot be written (${error instanceof Error ? error.message : error})`);
  }
}
