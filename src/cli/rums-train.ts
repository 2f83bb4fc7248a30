import type { Command } from "commander";
import { exitCodes, setExitCode } from "./exit-code.js";
import { collect, integer, number } from "./flags/run-flags.js";
import type { Terminal } from "./terminal.js";

interface Flags {
  readonly out?: string;
  readonly data?: string;
  readonly threshold?: number;
  readonly multi?: boolean;
  readonly json?: boolean;
  readonly task?: string;
  readonly model?: string;
  readonly users?: number;
  readonly queriesPerUser?: number;
  readonly set?: Readonly<Record<string, string>>;
  readonly maxUsd?: number;
}

/** `lamp-eval rums train`: with --task it first makes the run, which asks the model; without, it takes a run that is there. */
export function addTrain(rums: Command, io: Terminal): void {
  const command = rums
    .command("train")
    .description(
      "train a small classifier that chooses past events without asking a model: rums-binary, with --multi rums-multi",
    )
    .argument("<run>", "run folder with utilities, of training users; with --task it is made or resumed here")
    .requiredOption("--out <file.json>", "where the weights go")
    .option("--data <dir>", "the data of the run (default: the built-in ones)")
    .option("--multi", "one output an attribute, of the question alone, where profiles have fixed attributes")
    .option("--threshold <x>", "utility from which the best subset counts (default: 0)", number)
    .option("-t, --task <name>", "measure the utilities first: method rums on this task, as lamp-eval run does")
    .option("--model <provider/id>", "with --task: the model that is asked")
    .option("--users <n>", "with --task: the first n users", integer)
    .option("--queries-per-user <n>", "with --task: at most n questions a user", integer)
    .option("--set <name=value>", "with --task: an option by its dotted name; repeatable", collect)
    .option("--max-usd <x>", "with --task: stop before more dollars than this are spent", number)
    .option("--json", "print as JSON")
    .action(async (run: string, { out = "", threshold, json, multi, ...measured }: Flags) => {
      const { trainBinary, trainMulti, refuseUnmeasured, renderMulti, renderTrained } = await import(
        "../app/rums/train.js"
      );
      const { task, data } = measured;
      refuseUnmeasured(measured);
      if (task !== undefined) {
        const { startRun } = await import("./start-run.js");
        const code = await startRun({ ...measured, method: "rums", out: run }, { ...io, out: io.err });
        if (code !== exitCodes.done) return setExitCode(command, code);
      }
      if (multi === true) {
        const file = await trainMulti({ run, out, data, threshold }, io);
        return io.out(json === true ? JSON.stringify(file, undefined, 2) : renderMulti(file, out));
      }
      const trained = await trainBinary({ run, out, data, threshold }, io);
      io.out(json === true ? JSON.stringify(trained, undefined, 2) : renderTrained(trained));
    });
}
