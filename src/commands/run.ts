import { Command, Option } from "commander";
import * as z from "zod";
import { UsageError } from "../errors.js";
import { commandSettings, configSettings, type RunRequest, type Setting } from "../plan/settings.js";
import type { Delegate } from "../run/run.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import { collect, gather, integer, number } from "./flags.js";
import { run } from "./run-request.js";
import type { CommandIo } from "./terminal.js";
import { watched } from "./watch.js";

/** A request as commander parses it from flags. */
interface Flags extends Omit<RunRequest, "options"> {
  readonly set?: RunRequest["options"];
  readonly dryRun?: boolean;
  readonly json?: boolean;
  /** `main` has loaded these. */
  readonly plugin?: readonly string[];
}

/** Prints the estimate of a run, and sends nothing. Its code is loaded on demand. */
export type DryRun = (request: RunRequest, io: CommandIo, json: boolean) => Promise<void>;

/** `lamp-eval run`: plans, runs or resumes, and prints the tables. */
export function runCommand(io: CommandIo, dryRun: DryRun): Command {
  const command = addRunFlags(new Command("run"));
  return command.action(async (flags: Flags) => setExitCode(command, await startRun(flags, io, dryRun)));
}

/** Plans, runs or resumes, and prints the tables. Returns the exit code. */
export async function startRun(flags: Flags, io: CommandIo, estimate: DryRun): Promise<number> {
  const { set: options, dryRun = false, json = false, plugin: _, ...settings } = flags;
  const request = { ...settings, options };
  if (!dryRun) return watched(io, { json }, (watch, runIo) => run({ ...request, ...watch }, runIo, delegate));
  await estimate(request, io, json);
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

/** Adds the flags of settings. `isWanted`: chooses them by their keys. */
export function addSettings(command: Command, isWanted: (key: string) => boolean): Command {
  for (const [key, { flag, type, group, help, default: usual }] of Object.entries(settings)) {
    if (flag === undefined || !isWanted(key)) continue;
    const text = usual === undefined || usual === false ? help : `${help} (default: ${usual})`;
    const option = new Option(flag, text).helpGroup(group);
    const parse = (parsers[key] ?? parserOf(type)) as ((text: string, before: unknown) => unknown) | undefined;
    command.addOption(parse === undefined ? option : option.argParser(parse));
  }
  return command;
}

const settings: Readonly<Record<string, Setting>> = { ...configSettings, ...commandSettings };

/** Returns the parser of a flag's text; undefined for plain text. */
function parserOf(type: z.ZodType) {
  if (type instanceof z.ZodNumber) return type.isInt ? integer : number;
  return type instanceof z.ZodRecord ? collect : undefined;
}

const parsers: Readonly<Record<string, unknown>> = {
  config(file: string, before: string | undefined): string {
    if (before !== undefined) throw new UsageError("--config: one at most; give a command for each");
    return file;
  },
  reuse: gather,
};
