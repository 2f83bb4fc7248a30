import { Command } from "commander";
import { type CompareSettings, compare, renderComparisons } from "../app/compare/compare.js";
import { integer } from "./flags.js";
import type { Terminal } from "./terminal.js";

interface Flags extends Omit<CompareSettings, "a" | "b"> {
  readonly flipped: number;
  readonly wide?: boolean;
  readonly json?: boolean;
}

/** `lamp-eval compare A B`: paired tests between two runs, or between methods of one. Sends nothing, writes nothing. */
export function compareCommand(io: Terminal): Command {
  return new Command("compare")
    .argument("<a>", "run folder")
    .argument("[b]", "another run folder (default: the same)")
    .option("--method <name>", "method of A (default: all that both runs have; within one run it is needed)")
    .option("--method-b <name>", "method of B (default: as --method; within one run all others)")
    .option("--variant <settings>", "arm of A in a sweep, as tables name it, e.g. align.iterations=3")
    .option("--variant-b <settings>", "arm of B (default: as --variant)")
    .option("--model <provider/id>", "model of A, where a run has several")
    .option("--model-b <provider/id>", "model of B (default: as --model)")
    .option("--metric <name>", "only this metric (default: all of the task)")
    .option("--flipped <n>", "questions to list on which B is worse, and on which it is better", integer, 5)
    .option("--wide", "with the users who are better and worse, and the gain that these users can find")
    .option("--json", "print JSON, with every flipped question")
    .action(async (a: string, b: string | undefined, { flipped, wide, json, ...chosen }: Flags) => {
      const comparisons = await compare({ ...chosen, a, ...(b === undefined ? {} : { b }) }, io);
      io.out(
        json === true ? JSON.stringify(comparisons, undefined, 2) : renderComparisons(comparisons, { flipped, wide }),
      );
    });
}
