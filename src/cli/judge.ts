import { Command } from "commander";
import { judgeRun, sentText } from "../app/judge/judge.js";
import type { JudgeSettings } from "../app/judge/open-judge.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import { collect, number, positive, wholeNumber } from "./flags/run-flags.js";
import { stopOnInterrupt } from "./interrupt.js";
import type { Terminal } from "./terminal.js";

interface Flags extends Omit<JudgeSettings, "run"> {
  readonly json?: boolean;
}

/** `lamp-eval judge <run>`: a model judges the stored replies. Asks no question of the run again. */
export function judgeCommand(io: Terminal): Command {
  const command = new Command("judge");
  return command
    .argument("<run>", "run folder")
    .option("--model <provider/model>", "the judge's model (default: the embedded one, SIMULATED)")
    .option("--judge <name>", "the judge: dialogue-score, better-reply, profile-pair, or a plug-in's")
    .option(
      "--against <method>",
      "compare the replies of all other methods with those of this one (or of select=NAME), in both orders",
    )
    .option("--data <dir>", "the data of the run (default: the built-in demo data)")
    .option(
      "--set <option=value>",
      "an option of judges: judge.onParseFail, judge.history, judge.temperature; repeatable",
      collect,
    )
    .option("--concurrency <n>", "most calls in flight", positive)
    .option("--max-calls <n>", "stop after n calls; a higher cap resumes", wholeNumber)
    .option("--max-usd <n>", "stop before spending more US dollars than this; a higher cap resumes", number)
    .option(
      "--workers [url]",
      "hand the calls to workers (lamp-eval worker) by this PostgreSQL database (default: LAMP_EVAL_WORKERS; docs/SCALE.md)",
    )
    .option("--base-url <url>", "server of the provider")
    .option("--json", "print JSON, with every judgement")
    .action(async (run: string, { json, ...flags }: Flags) => {
      const interrupt = new AbortController();
      const release = stopOnInterrupt(interrupt, io, () => "the same command goes on; what is answered is kept");
      const judged = await judgeRun({ ...flags, run }, io, interrupt.signal).finally(release);
      const { text, folder: _, interrupted, ...result } = judged;
      if (!interrupted) io.out(json === true ? JSON.stringify(result, undefined, 2) : text);
      io.err(sentText(judged, io.cwd));
      if (interrupted) setExitCode(command, exitCodes.interrupted);
    });
}
