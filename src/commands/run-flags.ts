import { type Command, Option } from "commander";
import * as z from "zod";
import { UsageError } from "../errors.js";
import {
  type AskedConfig,
  callSettings,
  configSettings,
  type RunRequest,
  type Setting,
  settingGroups,
} from "../run/plan/settings.js";
import { collect, gather, integer, number } from "./flags.js";

/** What the flags of `run` and `sweep` come to. */
export interface RunFlags extends AskedConfig {
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly plugin?: readonly string[];
}

/** Adds the flags that `run` and `sweep` share: those of the settings, and how a run is shown. */
export function addRunFlags(command: Command): Command {
  addSettings(command, () => true);
  return command
    .option("--dry-run", "print calls, tokens and dollars: expected and most; send nothing")
    .option("--json", "print the results as JSON");
}

/** Adds the flags of those settings that are wanted, by their keys. */
export function addSettings(command: Command, isWanted: (key: string) => boolean): Command {
  for (const { key, flag, help, heading, form } of flaggedSettings) {
    if (!isWanted(key)) continue;
    const option = new Option(flag, help).helpGroup(heading);
    if (typeof form === "object") option.choices(form);
    else if (key === "config") option.argParser(one);
    else if (key === "reuse") option.argParser(gather);
    else if (form !== "text") option.argParser(readers[form] as (text: string, before: unknown) => unknown);
    command.addOption(option);
  }
  return command;
}

const readers = { integer, number, gathered: gather, pairs: collect };

const one = (file: string, before: string | undefined): string => {
  if (before !== undefined) throw new UsageError("--config: one at most; give a command for each");
  return file;
};

/** What the flags ask for. */
export const requestOf = ({ set: options, ...flags }: RunFlags): RunRequest => ({
  ...Object.fromEntries(Object.entries(flags).filter(([key]) => !notAsked.includes(key))),
  options,
});

/** Flags of the command line alone, and those that a request has under another name. */
const notAsked = ["dryRun", "json", "report", "plugin"];

/** The settings with a flag, as the help has them. */
export const flaggedSettings = Object.entries<Setting>({ ...configSettings, ...callSettings }).flatMap(
  ([key, { flag, type, group, help, default: usual }]) => {
    if (flag === undefined) return [];
    const said = usual === undefined || usual === false ? help : `${help} (default: ${usual})`;
    return { key, flag, help: said, heading: settingGroups[group], form: formOf(type) };
  },
);

/** How a flag's text is read; a list: one of these words. */
function formOf(type: z.ZodType): "text" | "integer" | "number" | "gathered" | "pairs" | readonly string[] {
  if (type instanceof z.ZodEnum) return type.options.map(String);
  if (type instanceof z.ZodNumber) return type.isInt ? "integer" : "number";
  if (type instanceof z.ZodArray) return "gathered";
  if (type instanceof z.ZodRecord) return "pairs";
  const parts = type instanceof z.ZodUnion ? type.options : [];
  const words = parts.flatMap((part) => (part instanceof z.ZodLiteral ? [...part.values].map(String) : []));
  return words.length === 0 ? "text" : words;
}
