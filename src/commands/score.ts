import { Command, Option } from "commander";
import { score, scoreEvaluators, scoreJson, scoreTable } from "../app/score.js";
import type { Terminal } from "./terminal.js";

/** `lamp-eval score`: a drop-in replacement for the benchmark's own script, whose flag spellings it takes too. */
export function scoreCommand(io: Terminal): Command {
  const command = new Command("score")
    .option("--task <name>", "task of the files, e.g. lamp3 or LaMP_3")
    .option("--predictions <file>", "predictions JSON")
    .option("--golds <file>", "golds JSON (the official ..._outputs.json)")
    .option(
      "--evaluator <name>",
      `whose file checks to apply: ${scoreEvaluators.map(({ name }) => name).join(", ")}`,
      "strict",
    )
    .option(
      "--official-bootstrap",
      "ROUGE as the official script prints it (bootstrap median), seeded by --seed",
      false,
    )
    .option("--seed <n>", "seed of --official-bootstrap, as np.random.seed(n)", "0")
    .option("--output <file>", "also write the official result JSON to a file")
    .option("--json", "print JSON with full precision", false);
  for (const flag of Object.keys(OFFICIAL_SPELLINGS)) command.addOption(new Option(`${flag} <value>`).hideHelp());
  command.addHelpText("after", evaluatorHelp);
  return command.action(async (flags: Flags) => {
    const { officialBootstrap, seed, json, ...settings } = withOfficialSpellings(flags);
    const scored = await score({ ...settings, bootstrapSeed: officialBootstrap ? seed : undefined }, io);
    io.out(json ? scoreJson(scored) : scoreTable(scored));
  });
}

/** Flags of LaMP's eval/eval_task.py. */
const OFFICIAL_SPELLINGS = {
  "--task_name": "task",
  "--preds_json": "predictions",
  "--golds_json": "golds",
  "--output_file": "output",
} as const;

interface Flags {
  readonly task?: string;
  readonly predictions?: string;
  readonly golds?: string;
  readonly output?: string;
  readonly evaluator: string;
  readonly officialBootstrap: boolean;
  readonly seed: string;
  readonly json: boolean;
  readonly [official: string]: string | boolean | undefined;
}

function withOfficialSpellings(flags: Flags): Flags {
  const merged: Record<string, string | boolean | undefined> = { ...flags };
  for (const [spelling, name] of Object.entries(OFFICIAL_SPELLINGS)) merged[name] ??= flags[spelling.slice(2)];
  return { ...flags, ...merged };
}

function evaluatorHelp(): string {
  const lines = scoreEvaluators.map(({ name, summary }) => `  ${name.padEnd(7)} ${summary}`);
  return `\nEvaluators:\n${lines.join("\n")}\n`;
}
