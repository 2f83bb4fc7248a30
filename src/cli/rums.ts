import { Command } from "commander";
import type { QuestionsSettings } from "../app/rums/questions.js";
import { wholeNumber } from "./flags/run-flags.js";
import { addTrain } from "./rums-train.js";
import type { Terminal } from "./terminal.js";

interface Flags {
  readonly labels?: string;
  readonly json?: boolean;
}

/** `lamp-eval rums train|eval`: what is made of the utilities that a run measured. None asks a model. */
export function rumsCommand(io: Terminal): Command {
  const command = new Command("rums");
  command
    .command("questions")
    .description(
      "make data for --task profile-questions out of the RUMS paper's files: PersonaFeedback, FreebaseQA, WildChat",
    )
    .requiredOption(
      "--queries <file>",
      "file with questions, its form is told by its records (repeatable)",
      collectPath,
    )
    .requiredOption("--profiles <file>", "profiles: attributes as fields, in sections, or as lines")
    .requiredOption("--out <dir>", "folder for users.json, users_label.json, people.json")
    .option("--limit <n>", "most questions drawn of each file; 0 = all (default)", wholeNumber)
    .option("--per-query <n>", "profiles that each question is asked for; 0 = all (default: 5)", wholeNumber)
    .option("--seed <n>", "seed of the draws (default: 0)", wholeNumber)
    .option("--json", "print as JSON")
    .action(async ({ json, ...flags }: QuestionsSettings & { readonly json?: boolean }) => {
      const { makeQuestions, renderQuestions } = await import("../app/rums/questions.js");
      const data = await makeQuestions(flags, io);
      const { files, profiles, pairs } = data;
      io.out(
        json === true
          ? JSON.stringify({ files, profiles: profiles.length, pairs: pairs.length }, undefined, 2)
          : renderQuestions(data, flags, io),
      );
    });
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

const collectPath = (path: string, before: readonly string[] = []): string[] => [...before, path];
