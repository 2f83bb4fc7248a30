import type { Command } from "commander";
import { withPlugins } from "../../app/plugins/plugins.js";
import type { Terminal } from "../terminal.js";

/** Gives `--plugin` to a command and all below it: before one acts, what the plug-ins bring enters the catalogue of `io`. */
export function pluggable(command: Command, io: Terminal): Command {
  if (command.commands.length > 0) {
    for (const child of command.commands) pluggable(child, io);
    return command;
  }
  return command
    .option(
      "--plugin <file>",
      "methods, tasks, metrics, ... of your own: a .js or .ts file, or a package; repeatable (docs/PLUGINS.md)",
      (name: string, sofar: readonly string[] = []) => [...sofar, name],
    )
    .hook("preAction", async (_, acting) => {
      const names: readonly string[] = acting.opts().plugin ?? [];
      Object.assign(io, await withPlugins(io, { names, from: io.cwd }));
    });
}
