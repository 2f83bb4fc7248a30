import { Command } from "commander";
import { addTrain } from "./rums-train.js";
import type { Terminal } from "./terminal.js";

interface Flags {
  readonly labels?: string;
  readonly json?: boolean;
}

/** `lamp-eval rums train|eval`: what is made of the utilities that a run measured. None asks a model. */
export function rumsCommand(io: Terminal): Command {
  const command = new Command("rums");
  addTrain(command, io);
  command
    .command("eval")
    .description("set a run's choices beside what people said: hypotheses H1, H1', H2 and H3 of the RUMS paper")
    .argument("<run>", "run folder")
    .option("--labels <file.json>", "what people said, by question id (default: the labels of the built-in data)")
    .option("--json", "print as JSON")
    .action(async (run: string, { labels, json }: Flags) => {
      const { evaluateSelections, renderSelections } = await import("../app/rums/evaluate.js");
      const { judgedWins, renderWins } = await import("../app/rums/wins.js");
      const reports = evaluateSelections({ run, labels }, io);
      const wins = judgedWins(run, labels, io);
      const blocks = [renderSelections(reports), ...(wins.length === 0 ? [] : [renderWins(wins)])];
      io.out(json === true ? JSON.stringify({ reports, wins }, undefined, 2) : blocks.join("\n\n"));
    });
  return command;
}
