import { Command, Option } from "commander";
import { auditData, inspectData, type LookSettings } from "../app/data/data.js";
import { auditText, partText } from "../app/data/texts.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import type { Terminal } from "./terminal.js";

type WithJson<T> = T & { readonly json?: boolean };

/** `lamp-eval data inspect`. */
export function inspectCommand(io: Terminal): Command {
  return lookCommand("inspect", "print counts, history lengths, date ranges and how often each label occurs").action(
    async ({ json, ...flags }: WithJson<LookSettings>) => {
      const parts = await inspectData(flags, io);
      io.out(json === true ? JSON.stringify(parts) : parts.map((part) => partText(part, io.cwd)).join("\n\n"));
    },
  );
}

/** `lamp-eval data audit`. */
export function auditCommand(io: Terminal): Command {
  const command = lookCommand(
    "audit",
    "look for test answers that methods could see; exit 1 on leaks that a run would show, 16 on suspicions only",
  );
  return command.action(async ({ json, ...flags }: WithJson<LookSettings>) => {
    const examples = json === true ? Number.POSITIVE_INFINITY : undefined;
    const result = await auditData(flags, io, examples);
    io.out(json === true ? JSON.stringify(result) : auditText(result));
    if (result.verdict !== "clean") setExitCode(command, exitCodes.audit[result.verdict]);
  });
}

function lookCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .requiredOption("--task <name>", "task of the files")
    .option("--data <dir>", "folder or file (default: the built-in demo data)")
    .addOption(
      new Option("--split <part>", "which official file is the test")
        .choices(["auto", "train", "dev", "test"])
        .default("auto"),
    )
    .option("--json", "print JSON");
}
