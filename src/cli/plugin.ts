import { Command } from "commander";
import { renderTested, testPlugin } from "../app/plugins/test.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import type { Terminal } from "./terminal.js";

/** `lamp-eval plugin test FILE`: what is promised of everything built in, asked of things from outside. */
export function pluginCommand(io: Terminal): Command {
  const command = new Command("plugin");
  const test = command
    .command("test")
    .description("check a plug-in or a program against the rules, on made-up data without a model; exit 1 on a failure")
    .argument("<plugin>", "a .js or .ts file, a package, or exec:COMMAND (docs/PLUGINS.md)")
    .option("--json", "print JSON")
    .action(async (named: string, { json }: { readonly json?: boolean }) => {
      const tested = await testPlugin(named, io);
      io.out(json === true ? JSON.stringify(tested, undefined, 2) : renderTested(tested));
      setExitCode(test, tested.passed ? exitCodes.done : exitCodes.failures);
    });
  return command;
}
