import { Argument, Command } from "commander";
import { configSettings, type RunRequest } from "../plan/settings.js";
import { namesIn } from "../text/words.js";
import { setExitCode } from "./exit-code.js";
import { axes } from "./flags.js";
import { addRunFlags, type DryRun, startRun } from "./run.js";
import type { CommandIo } from "./terminal.js";

interface Flags extends RunRequest {
  readonly vary?: RunRequest["sweep"];
}

/** `lamp-eval sweep [KIND]`: a run whose arms differ by method, model or option, with a table for each axis. */
export function sweepCommand(io: CommandIo, dryRun: DryRun): Command {
  const command = addRunFlags(new Command("sweep"))
    .addArgument(
      new Argument(
        "[kind]",
        "ablation: a method and its ablations; scaling: one axis at a time around the base; backbones: several models; grid: all combinations (default); controls: each method with the user's own history and with changed ones",
      ).choices(configSettings.kind.type.options),
    )
    .option(
      "--vary <option=values>",
      "an axis: the values that an option takes, e.g. rag.k=1,2,4; repeatable; in place of the axes of a config",
      axes,
    )
    .action(async (named: RunRequest["kind"], { vary, ...flags }: Flags) => {
      const kind = named ?? (saysWhatVaries(flags) ? undefined : "grid");
      setExitCode(
        command,
        await startRun({ ...flags, ...(kind && { kind }), ...(vary && { sweep: vary }) }, io, dryRun),
      );
    });
  return command;
}

/** A config or preset may have a kind of its own; several models are the kind `backbones`. */
function saysWhatVaries({ config, preset, model }: Flags): boolean {
  return config !== undefined || preset !== undefined || namesIn(String(model ?? "")).length > 1;
}
