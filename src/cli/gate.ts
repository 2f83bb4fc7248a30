import { appendFileSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { Command } from "commander";
import { UsageError } from "../errors.js";
import { type GateLine, gateLines } from "../report/gate.js";
import { type Baseline, baselineOf, readBaseline, renderBaseline } from "../report/gate-baseline.js";
import {
  checkBudget,
  checkCassette,
  checkFailedRows,
  type GateCheck,
  type GateResult,
  remarksOf,
  verdictOf,
} from "../report/gate-result.js";
import { renderAnnotations, renderGate, renderGateMarkdown } from "../report/gate-text.js";
import { renderJunit } from "../report/junit.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import { type GateFlags, judgedArms, readMargins } from "./gate-arms.js";
import { inRange, list } from "./gate-flags.js";
import type { Io } from "./io.js";
import { readJson } from "./read-json.js";
import { loadResults } from "./report.js";
import { openRunFolder, type RunFolder } from "./run-folder.js";

/** `lamp-eval gate <run>`: is the run no worse than a baseline? One JSON line on stdout, the rest on stderr. */
export function gateCommand(io: Io): Command {
  const command = new Command("gate");
  return command
    .description("tell by exit code whether a run is no worse than a baseline, question by question")
    .argument("<run>", "run folder to be judged")
    .option("--baseline <file|run>", "what it is measured against: a file of --write-baseline, or a run folder")
    .option("--write-baseline <file>", "write the run as a baseline file, and judge nothing")
    .option("--task <names>", "only these tasks (default: all of the baseline)", list)
    .option("--method <names>", "only these methods (default: all of the baseline)", list)
    .option("--metric <names>", "metrics that must hold (default: each task's first)", list)
    .option("--margin <sizes>", "largest loss accepted, as .02 or as accuracy=.02,mae=.05", "0.02")
    .option("--alpha <risk>", "chance to pass a run that is worse by the margin", inRange(0, 0.5), 0.05)
    .option("--max-failed <share>", "largest share of failed or absent answers accepted", inRange(-1e-9, 1), 0.01)
    .option("--max-usd <dollars>", "most that the run may have cost at list prices", inRange(-1e-9, 1e9))
    .option("--junit <file>", "write JUnit XML there")
    .option("--summary <file>", "append Markdown there (default: $GITHUB_STEP_SUMMARY where it is set)")
    .addHelpText("after", `\n${EXIT_HELP}`)
    .action(async (run: string, flags: GateFlags) => {
      const folder = openRunFolder(run, io.cwd);
      if (flags.writeBaseline !== undefined) return writeBaseline(folder, flags, io);
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

function writeBaseline(folder: RunFolder, { writeBaseline: file, baseline }: GateFlags, io: Io): void {
  if (baseline !== undefined) throw new UsageError("--write-baseline judges nothing: leave --baseline out");
  if (folder.manifest.finishedAt === undefined)
    throw new UsageError(`${folder.path} is not finished: the same lamp-eval run command finishes it`);
  const made = baselineOf(partsOf(folder));
  writeText(resolve(io.cwd, file!), renderBaseline(made));
  const count = made.arms.reduce((sum, { questions }) => sum + questions.length, 0);
  io.err(`${file}: ${made.arms.length} arms, ${count} questions${made.simulated ? ", SIMULATED" : ""}`);
}

async function openBaseline(name: string, cwd: string): Promise<Baseline> {
  const path = resolve(cwd, name);
  if (existsSync(path) && statSync(path).isDirectory()) return baselineOf(partsOf(openRunFolder(name, cwd)));
  return readBaseline(await readJson(name, "--baseline", cwd), `--baseline ${name}`);
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
  refuseMixed(run, folder.manifest.simulated, name, baseline.simulated);
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
    ...(flags.maxUsd === undefined ? [] : [checkBudget(costOf(folder), flags.maxUsd)]),
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

function refuseMixed(run: string, runSimulated: boolean, baseline: string, baselineSimulated: boolean): void {
  if (runSimulated === baselineSimulated) return;
  const [simulated, real] = runSimulated ? [run, baseline] : [baseline, run];
  throw new UsageError(
    `${simulated} is SIMULATED (embedded model) and ${real} is not: a SIMULATED baseline gates only SIMULATED runs; write a baseline of the same kind of model`,
  );
}

/** Throws UsageError where a model has no list price: an unknown cost is not 0. */
function costOf(folder: RunFolder): number {
  return loadResults(folder.path).summaries.reduce((sum, { usd, model }) => {
    if (usd === undefined) throw new UsageError(`--max-usd: no list price is known for ${model}; leave the flag out`);
    return sum + usd;
  }, 0);
}

function publish(result: GateResult, flags: GateFlags, io: Io): void {
  io.err(renderGate(result));
  if (flags.junit !== undefined) writeText(resolve(io.cwd, flags.junit), renderJunit(result));
  const summary = flags.summary ?? io.env.GITHUB_STEP_SUMMARY;
  if (summary !== undefined && summary !== "") {
    const path = resolve(io.cwd, summary);
    writing(path, () => appendFileSync(path, renderGateMarkdown(result)));
  }
  if (io.env.GITHUB_ACTIONS === "true") for (const line of renderAnnotations(result)) io.err(line);
  io.out(JSON.stringify({ exitCode: exitCodes.gate[result.verdict], ...result }));
}

const writeText = (path: string, text: string): void => writing(path, () => writeFileSync(path, text));

function writing(path: string, write: () => void): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    write();
  } catch (error) {
    throw new UsageError(`${path}: cannot be written (${error instanceof Error ? error.message : error})`);
  }
}
