import { Command, Option } from "commander";
import * as z from "zod";
import { UsageError } from "../errors.js";
import { type AskedConfig, commandSettings, configSettings, type RunRequest, type Setting } from "../plan/settings.js";
import type { Delegate } from "../run/run.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import { collect, gather, integer, number } from "./flags.js";
import { run } from "./run-request.js";
import type { CommandIo } from "./terminal.js";
import { watched } from "./watch.js";

/** Settings that the flags of `run` and `sweep` give. */
export interface RunFlags extends AskedConfig {
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly plugin?: readonly string[];
}

/** Prints what a run would ask for, and sends nothing. Loaded only where it is asked for. */
export type DryRun = (flags: RunFlags, io: CommandIo) => Promise<void>;

/** `lamp-eval run`: plans, runs or resumes, and prints the tables. */
export function runCommand(io: CommandIo, dryRun: DryRun): Command {
  const command = addRunFlags(new Command("run"));
  return command.action(async (flags: RunFlags) => setExitCode(command, await startRun(flags, io, dryRun)));
}

/** Plans, runs or resumes, and prints the tables. Returns the exit code. */
export async function startRun(flags: RunFlags, io: CommandIo, dryRun: DryRun): Promise<number> {
  if (flags.dryRun !== true)
    return watched(io, flags, (watch, told) => run({ ...requestOf(flags), ...watch }, told, delegate));
  await dryRun(flags, io);
  return exitCodes.done;
}

/** Loaded only where there are workers. */
export const delegate: Delegate = async (...given) =>
  (await import("../workers/delegate.js")).delegateToWorkers(...given);

/** Adds the flags that `run` and `sweep` share: those of the settings, and how a run is shown. */
export function addRunFlags(command: Command): Command {
  return addSettings(command, () => true)
    .option("--dry-run", "print calls, tokens and dollars: expected and most; send nothing")
    .option("--json", "print the results as JSON");
}

/** Adds the flags of those settings that are wanted, by their keys. */
export function addSettings(command: Command, isWanted: (key: string) => boolean): Command {
  for (const [key, { flag, type, group, help, default: usual }] of Object.entries(settings)) {
    if (flag === undefined || !isWanted(key)) continue;
    const said = usual === undefined || usual === false ? help : `${help} (default: ${usual})`;
    const option = new Option(flag, said).helpGroup(group);
    const read = key === "config" ? one : key === "reuse" ? gather : readerOf(type);
    command.addOption(
      read === undefined ? option : option.argParser(read as (text: string, before: unknown) => unknown),
    );
  }
  return command;
}

const settings: Readonly<Record<string, Setting>> = { ...configSettings, ...commandSettings };

/** Returns how a flag's text is read; undefined: as it is. */
function readerOf(type: z.ZodType) {
  if (type instanceof z.ZodNumber) return type.isInt ? integer : number;
  return type instanceof z.ZodRecord ? collect : undefined;
}

const one = (file: string, before: string | undefined): string => {
  if (before !== undefined) throw new UsageError("--config: one at most; give a command for each");
  return file;
};

/** What the flags ask for. */
export const requestOf = ({ set: options, dryRun: _, json: __, plugin: ___, ...flags }: RunFlags): RunRequest => ({
  ...flags,
  options,
});
