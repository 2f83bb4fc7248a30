import { Command } from "commander";
import { merge } from "../app/merge/merge.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import type { Terminal } from "./terminal.js";

interface Flags {
  readonly out?: string;
  readonly json?: boolean;
}

/** `lamp-eval merge A B ...`: the whole run from its shards. Sends nothing. */
export function mergeCommand(io: Terminal): Command {
  const command = new Command("merge")
    .argument("<shards...>", "folders of all shards of a run")
    .option("--out <dir>", "run folder (default: results/<tasks>-<methods>-<plan>, as of the run without shards)")
    .option("--json", "print the results as JSON")
    .action((shards: readonly string[], { out, json }: Flags) => {
      const { ended, tables, remarks } = merge({ shards, out }, io);
      io.out(json === true ? tables.json.trimEnd() : tables.text);
      for (const remark of remarks) io.err(remark);
      setExitCode(command, ended === "done" ? exitCodes.done : exitCodes.failures);
    });
  return command;
}
