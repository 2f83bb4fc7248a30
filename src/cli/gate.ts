import { Command, Option } from "commander";
import { baselineText, gatePlan, renderPlan, writeBaseline } from "../app/gate/baseline.js";
import { claims, failOnAll, type GateSettings, gate, gateDefaults, readFailOn } from "../app/gate/gate.js";
import { UsageError } from "../errors.js";
import { gateExitHelp, setExitCode } from "./exit-code.js";
import { aboveZeroTo, names, number, upTo } from "./flags/run-flags.js";
import { type GateOutput, publishGate } from "./gate-output.js";
import type { Terminal } from "./terminal.js";

interface Flags extends Omit<GateSettings, "run" | "baseline">, GateOutput {
  readonly baseline?: string;
  readonly writeBaseline?: string;
  readonly plan?: boolean;
  readonly alpha: number;
  readonly noise: number;
  readonly maxFailed: number;
}

/** `lamp-eval gate <run>`: is the run no worse than a baseline? */
export function gateCommand(io: Terminal): Command {
  const command = new Command("gate");
  return command
    .argument("<run>", "run folder to be judged")
    .option("--baseline <file|run>", "what it is measured against: a file of --write-baseline, or a run folder")
    .option("--write-baseline <file>", "write the run as a baseline file, with its margins, and judge nothing")
    .option("--plan", "print the margins that the run could be gated at as a baseline, and judge nothing")
    .option("--task <names>", "only these tasks (default: all)", names)
    .option("--method <names>", "only these methods (default: all)", names)
    .option("--variant <settings>", "the arm of a sweep, as tables name it, e.g. align.iterations=3")
    .option("--model <provider/id>", "the arm of this model, where a run has several")
    .option("--metric <names>", "metrics that must hold (default: each task's first)", names)
    .addOption(
      new Option(
        "--claim <what>",
        "what a pass is about: these answers, this set run again, users drawn like these (default: users; of replays and SIMULATED runs: answers)",
      ).choices(claims),
    )
    .option("--margin <sizes>", "largest loss accepted: auto, .02, or accuracy=.02,mae=.05", gateDefaults.margin)
    .option("--alpha <risk>", "chance that a run worse by the margin passes", aboveZeroTo(0.5), gateDefaults.alpha)
    .option(
      "--noise <share>",
      "answers that another run would change, for margins from one repeat",
      upTo(1),
      gateDefaults.noise,
    )
    .option(
      "--fail-on <findings>",
      `verdicts that fail the gate: ${failOnAll.join(", ")}`,
      readFailOn,
      gateDefaults.failOn,
    )
    .option(
      "--max-failed <share>",
      "largest share of failed or absent answers accepted",
      upTo(1),
      gateDefaults.maxFailed,
    )
    .option("--max-usd <dollars>", "most that the run may have cost at list prices", number)
    .option("--json", "print one JSON line, and the text to stderr")
    .option("--junit <file>", "write JUnit XML there")
    .option("--summary <file>", "append Markdown there (default: $GITHUB_STEP_SUMMARY where it is set)")
    .addHelpText("after", `\n${gateExitHelp}`)
    .action(async (run: string, flags: Flags) => {
      const { baseline, writeBaseline: file, plan, json: _, junit: __, summary: ___, ...judged } = flags;
      if (file !== undefined) {
        refuseJudging(command, "writeBaseline", ["maxFailed", "noise"]);
        return io.out(`${file}: ${baselineText(await writeBaseline({ ...judged, run, file }, io))}`);
      }
      if (plan === true) {
        refuseJudging(command, "plan", []);
        return io.out(renderPlan(await gatePlan({ ...judged, run }, io)));
      }
      if (baseline === undefined)
        throw new UsageError("--baseline FILE or RUN is needed; make one with --write-baseline FILE");
      return setExitCode(command, publishGate(await gate({ ...judged, run, baseline }, io), flags, io));
    });
}

function refuseJudging(command: Command, what: "writeBaseline" | "plan", more: readonly string[]): void {
  const fitting = [what, "task", "method", "variant", "model", "alpha", ...more];
  const given = command.options.find((option) => {
    const name = option.attributeName();
    return !fitting.includes(name) && command.getOptionValueSource(name) === "cli";
  });
  if (given === undefined) return;
  throw new UsageError(`--${what === "plan" ? "plan" : "write-baseline"} judges nothing: leave ${given.long} out`);
}
