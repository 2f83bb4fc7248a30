import type { Command } from "commander";
import { number } from "./flags/run-flags.js";
import type { Terminal } from "./terminal.js";

interface Flags {
  readonly out?: string;
  readonly data?: string;
  readonly threshold?: number;
  readonly multi?: boolean;
  readonly json?: boolean;
}

/** `lamp-eval rums train`: takes a run that is there; asks no model. */
export function addTrain(rums: Command, io: Terminal): void {
  rums
    .command("train")
    .description(
      "train a small classifier that chooses past events without asking a model: rums-binary, with --multi rums-multi",
    )
    .argument("<run>", "run folder with utilities, of training users (run --method rums)")
    .requiredOption("--out <file.json>", "where the weights go")
    .option("--data <dir>", "the data of the run (default: the built-in ones)")
    .option("--multi", "one output an attribute, of the question alone, where profiles have fixed attributes")
    .option("--threshold <x>", "utility from which the best subset counts (default: 0)", number)
    .option("--json", "print as JSON")
    .action(async (run: string, { out = "", json, multi, ...settings }: Flags) => {
      const { trainBinary, trainMulti, renderMulti, renderTrained } = await import("../app/rums/train.js");
      const asked = { ...settings, run, out };
      if (multi === true) {
        const file = await trainMulti(asked, io);
        return io.out(json === true ? JSON.stringify(file, undefined, 2) : renderMulti(file, out));
      }
      const trained = await trainBinary(asked, io);
      io.out(json === true ? JSON.stringify(trained, undefined, 2) : renderTrained(trained));
    });
}
