import { resolve } from "node:path";
import { Command } from "commander";
import { appendText, writeText } from "../app/common/write-text.js";
import { type BaselineSettings, writeBaseline } from "../app/gate/baseline.js";
import {
  type GateResult,
  type GateSettings,
  gate,
  gateDefaults,
  renderAnnotations,
  renderGate,
  renderGateMarkdown,
  renderJunit,
} from "../app/gate/gate.js";
import { UsageError } from "../errors.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import { aboveZeroTo, names, number, upTo } from "./run-flags.js";
import type { Terminal } from "./terminal.js";

interface Flags extends Omit<GateSettings, "run" | "baseline"> {
  readonly baseline?: string;
  readonly writeBaseline?: string;
  readonly maxFailed: number;
  readonly junit?: string;
  readonly summary?: string;
}

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
    .option("--margin <sizes>", "largest loss accepted, as .02 or as accuracy=.02,mae=.05", gateDefaults.margin)
    .option(
      "--alpha <risk>",
      "about the chance to pass a run that is worse by the margin",
      aboveZeroTo(0.5),
      gateDefaults.alpha,
    )
    .option(
      "--max-failed <share>",
      "largest share of failed or absent answers accepted",
      upTo(1),
      gateDefaults.maxFailed,
    )
    .option("--max-usd <dollars>", "most that the run may have cost at list prices", number)
    .option("--junit <file>", "write JUnit XML there")
    .option("--summary <file>", "append Markdown there (default: $GITHUB_STEP_SUMMARY where it is set)")
    .addHelpText("after", `\n${EXIT_HELP}`)
    .action(async (run: string, flags: Flags) => {
      const { baseline, writeBaseline: file, junit: _, summary: __, ...judged } = flags;
      if (file !== undefined) {
        refuseJudging(command);
        return io.err(await written({ ...judged, run, file }, io));
      }
      if (baseline === undefined)
        throw new UsageError("--baseline FILE or RUN is needed; make one with --write-baseline FILE");
      const result = await gate({ ...judged, run, baseline }, io);
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

async function written(settings: BaselineSettings, io: Terminal): Promise<string> {
  const { arms, questions, failed, simulated } = await writeBaseline(settings, io);
  const facts = [`${arms} arms`, `${questions} questions`, ...(failed === 0 ? [] : [`${failed} failed answers`])];
  return `${settings.file}: ${facts.join(", ")}${simulated ? ", SIMULATED" : ""}`;
}

function publish(result: GateResult, flags: Flags, io: Terminal): void {
  io.err(renderGate(result));
  if (flags.junit !== undefined) writeText(resolve(io.cwd, flags.junit), renderJunit(result));
  const summary = flags.summary ?? io.env.GITHUB_STEP_SUMMARY;
  if (summary !== undefined && summary !== "") appendText(resolve(io.cwd, summary), renderGateMarkdown(result));
  if (io.env.GITHUB_ACTIONS === "true") for (const line of renderAnnotations(result)) io.err(line);
  io.out(JSON.stringify({ exitCode: exitCodes.gate[result.verdict], ...result }));
}
