import { relative } from "node:path";
import { Command } from "commander";
import { type RescoreSettings, rescoreRun } from "../app/rescore.js";
import type { Terminal } from "./terminal.js";

interface Flags extends Omit<RescoreSettings, "run"> {
  readonly json?: boolean;
}

/** `lamp-eval rescore <run>`: today's reading and metrics on the stored replies. Sends nothing; writes only with `--write`. */
export function rescoreCommand(io: Terminal): Command {
  return new Command("rescore")
    .argument("<run>", "run folder")
    .option("--data <dir>", "the data of the run, or task=dir,task=dir: LaMP-1's lenient reading needs the questions")
    .option("--write", "also write a new run folder with the fresh readings")
    .option("--out <dir>", "that folder (default: <run>-rescored)")
    .option("--json", "print JSON, with every changed reading")
    .action(async (run: string, { json, ...flags }: Flags) => {
      const { text, written, ...result } = await rescoreRun({ ...flags, run }, io);
      io.out(json === true ? JSON.stringify(result, undefined, 2) : text);
      if (written !== undefined) io.err(`the fresh readings are in ${relative(io.cwd, written) || "."}`);
    });
}
