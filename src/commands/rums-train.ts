import type { Command } from "commander";
import { UsageError } from "../errors.js";
import type { Terminal } from "./terminal.js";

interface Flags {
  readonly out?: string;
  readonly data?: string;
  readonly labels?: string;
  readonly threshold?: boolean;
  readonly multi?: boolean;
  readonly json?: boolean;
}

/** `lamp-eval rums train`: takes a run that is there; asks no model. */
export function addTrain(rums: Command, io: Terminal): void {
  rums
    .command("train")
    .description("train on a run's utilities: a classifier rums-binary or rums-multi, or a value for rums.threshold")
    .argument("<run>", "run folder with utilities, of training users (run --method rums,prompt,rag)")
    .option("--out <file.json>", "where the weights of the classifier go")
    .option("--data <dir>", "the data of the run (default: the built-in ones)")
    .option(
      "--multi",
      "rums-multi: one output an attribute, of the question alone, where profiles have fixed attributes",
    )
    .option("--threshold", "print values for rums.threshold instead: by Youden's J, and by the right answers at each")
    .option(
      "--labels <file.json>",
      "of --threshold: which questions gain from the past (default: where rag is right and prompt is not)",
    )
    .option("--json", "print as JSON")
    .action(async (run: string, flags: Flags) => {
      const [trained, text] = await train(run, flags, io);
      io.out(flags.json === true ? JSON.stringify(trained, undefined, 2) : text);
    });
}

/** What was learned, and the same in words. */
async function train(run: string, { out, data, labels, threshold, multi }: Flags, io: Terminal) {
  if (threshold === true) {
    const { renderThresholds, trainThresholds } = await import("../app/rums/thresholds.js");
    const found = trainThresholds({ run, labels }, io);
    return [found, renderThresholds(found)] as const;
  }
  if (out === undefined) throw new UsageError("name where the weights go with --out FILE, or ask for a --threshold");
  const { trainBinary, trainMulti, renderMulti, renderTrained } = await import("../app/rums/train.js");
  const asked = { run, data, out };
  if (multi === true) {
    const file = await trainMulti(asked, io);
    return [file, renderMulti(file, out)] as const;
  }
  const trained = await trainBinary(asked, io);
  return [trained, renderTrained(trained)] as const;
}
