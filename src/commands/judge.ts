import { Command } from "commander";
import { type JudgeResult, type JudgesSettings, judgeRun, judgesOf } from "../app/judge/judge.js";
import { agreementText } from "../report/tables/judgements.js";
import { agreementsOf } from "../results/judge-scores.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import { names } from "./flags.js";
import { addSettings } from "./run-flags.js";
import type { Terminal } from "./terminal.js";
import { watched } from "./watch.js";

interface Flags extends Omit<JudgesSettings, "run"> {
  readonly json?: boolean;
}

/** Settings of a run that a judge has, too. */
const SETTINGS = [
  ...["set", "concurrency", "giveUpAfter", "baseUrl", "batch", "maxCalls", "maxUsd", "prices", "maxFailed", "out"],
  ...["reuse", "replay"],
];

/** `lamp-eval judge RUN`: a model judges the stored replies. Asks no question of the run again. */
export function judgeCommand(io: Terminal): Command {
  const command = new Command("judge")
    .argument("<run>", "run folder")
    .option("--judge <names>", "judges (lamp-eval list judges); several are compared", names)
    .option("--model <provider/id>", "models of the judges (default: the embedded one, SIMULATED)", names)
    .option("--against <method>", "compare all other methods with this one (or select=NAME), in both orders")
    .option("--data <dir>", "the data of the run, where its own command line does not say")
    .option("--json", "print JSON, with every judgement");
  return addSettings(command, (key) => SETTINGS.includes(key)).action(
    async (run: string, { json, ...flags }: Flags) => {
      const said: JudgeResult[] = [];
      for (const settings of judgesOf({ ...flags, run }, io)) {
        const code = await watched(io, {}, async (watch, told) => {
          const one = await judgeRun({ ...settings, ...watch }, told);
          said.push(one);
          return json === true ? { ...one.result, tables: { text: "", json: "" } } : one.result;
        });
        if (code !== exitCodes.done) setExitCode(command, code);
        if (code === exitCodes.refused || code === exitCodes.interrupted) break;
      }
      const agreements = agreementsOf(said);
      const found = said.map(({ result, ...one }) => ({ ...one, sent: result.calls.sent }));
      if (json === true)
        io.out(JSON.stringify(found.length === 1 ? found[0] : { judges: found, agreements }, undefined, 2));
      else if (agreements.length > 0) io.out(agreementText(agreements));
    },
  );
}
