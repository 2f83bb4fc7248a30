import { resolve } from "node:path";
import { Command } from "commander";
import { baselineText, DEFAULT_MAX_FAILED, writeBaseline } from "../app/gate/baseline.js";
import {
  annotation,
  type GateResult,
  type GateSettings,
  gate,
  renderAnnotations,
  renderGate,
  renderGateMarkdown,
  renderJunit,
} from "../app/gate/gate.js";
import { appendWhole, writeText } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import { exitCodes, gateExitHelp, setExitCode } from "./exit-code.js";
import { names, number, upTo } from "./flags.js";
import type { Terminal } from "./terminal.js";

interface Flags extends Omit<GateSettings, "run" | "baseline"> {
  readonly baseline?: string;
  readonly writeBaseline?: string;
  readonly json?: boolean;
  readonly junit?: string;
  readonly summary?: string;
}

/** `lamp-eval gate <run>`: is the run no worse than a baseline? */
export function gateCommand(io: Terminal): Command {
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
    .option("--json", "print one JSON line, and the text to stderr")
    .option("--junit <file>", "write JUnit XML there")
    .option("--summary <file>", "append Markdown there (default: $GITHUB_STEP_SUMMARY where it is set)")
    .addHelpText("after", `\n${gateExitHelp}`)
    .action(async (run: string, flags: Flags) => {
      try {
        await act(command, run, flags, io);
      } catch (error) {
        if (error instanceof UsageError && io.env.GITHUB_ACTIONS === "true") io.err(annotation("error", error.message));
        throw error;
      }
    });
}

async function act(command: Command, run: string, flags: Flags, io: Terminal): Promise<void> {
  const { baseline, writeBaseline: file, json: _, junit: __, summary: ___, ...settings } = flags;
  if (file !== undefined) {
    refuseJudging(command);
    return io.out(`${file}: ${baselineText(await writeBaseline({ ...settings, run, file }, io))}`);
  }
  if (baseline === undefined)
    throw new UsageError("--baseline FILE or RUN is needed; make one with --write-baseline FILE");
  return setExitCode(command, publish(await gate({ ...settings, run, baseline }, io), flags, io));
}

/** Prints a gate's answer and writes its files. Returns the exit code. */
function publish(result: GateResult, { json, junit, summary }: Flags, io: Terminal): number {
  const exitCode = result.fails ? exitCodes.gate[result.verdict] : 0;
  (json === true ? io.err : io.out)(renderGate(result));
  if (junit !== undefined) writeText(resolve(io.cwd, junit), renderJunit(result));
  const file = summary ?? io.env.GITHUB_STEP_SUMMARY ?? "";
  if (file !== "") appendWhole(resolve(io.cwd, file), renderGateMarkdown(result));
  if (io.env.GITHUB_ACTIONS === "true") for (const line of renderAnnotations(result)) io.err(line);
  if (json === true) io.out(JSON.stringify({ exitCode, ...result }));
  return exitCode;
}

function refuseJudging(command: Command): void {
  const fitting = ["writeBaseline", "task", "method", "maxFailed"];
  const given = command.options.find((option) => {
    const name = option.attributeName();
    return !fitting.includes(name) && command.getOptionValueSource(name) === "cli";
  });
  if (given !== undefined) throw new UsageError(`--write-baseline judges nothing: leave ${given.long} out`);
}
