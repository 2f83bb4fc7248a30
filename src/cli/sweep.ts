import { Argument, Command } from "commander";
import { type AskedConfig, configSettings } from "../app/run/settings.js";
import { setExitCode } from "./exit-code.js";
import { addRunFlags, type RunFlags } from "./flags/add-run-flags.js";
import { startRun } from "./start-run.js";
import type { Terminal } from "./terminal.js";

/** `lamp-eval sweep KIND`: a run whose arms differ by method, model or option, with a table for each axis. */
export function sweepCommand(io: Terminal): Command {
  const command = addRunFlags(new Command("sweep"))
    .addArgument(
      new Argument(
        "<kind>",
        "ablation: a method and its ablations; scaling: one axis at a time around the base; backbones: several models; grid: all combinations; controls: each method with the right past and with spoilt ones",
      ).choices(configSettings.kind.type.options),
    )
    .action(async (kind: NonNullable<AskedConfig["kind"]>, flags: RunFlags) =>
      setExitCode(command, await startRun({ ...flags, kind, report: true }, io)),
    );
  return command;
}
