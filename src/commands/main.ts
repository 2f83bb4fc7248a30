import { Command, CommanderError } from "commander";
import { fileErrorOf } from "../disk/file-error.js";
import { UnreachableError, UsageError } from "../errors.js";
import { ownTaskFiles } from "../extend/plugins/own-task.js";
import { withPlugins, withTasksOfRuns } from "../extend/plugins/with-plugins.js";
import { version } from "../plan/io.js";
import { allOptions } from "../plan/options.js";
import { withRuns } from "../record/stored-run.js";
import { choices } from "../registry/registry.js";
import { shellWord } from "../text/words.js";
import { commandGroups, commandNames } from "./commands.js";
import { exitCodeOf, exitCodes } from "./exit-code.js";
import { gather } from "./flags.js";
import {
  type CommandIo,
  escapingTerminal,
  fetchThroughProxy,
  processIo,
  realTerminal,
  type Terminal,
} from "./terminal.js";

/** The command line on the terminal and in the outside world of this process. Returns the exit code, and ends nothing. */
export const commandLine = (args: readonly string[]): Promise<number> =>
  main(args, realTerminal(processIo()), fetchThroughProxy);

/** Prints an error that nobody caught as any other. Returns the exit code. */
export const uncaught = (error: unknown): number => report(error, realTerminal(processIo()));

/** Runs the command line, `begin` first, and returns the exit code. Nothing here ends the process. */
export async function main(
  typed: readonly string[],
  terminal: Terminal,
  begin?: (io: Terminal) => Promise<void>,
): Promise<number> {
  const quiet = typed.includes("--quiet");
  const verbose = typed.includes("--verbose");
  const args = typed.filter((word) => word !== "--quiet" && word !== "--verbose");
  const io = { ...escapingTerminal(terminal), quiet, verbose };
  try {
    await begin?.(io);
    const program = await withRuns(quiet ? { ...io, tell: () => undefined } : io, async (commandIo) => {
      const made = await programFor(args[0] === "help" ? args[1] : args[0], commandIo);
      return made.parseAsync(args, { from: "user" });
    });
    return exitCodeOf(program);
  } catch (error) {
    return report(error, io, args);
  }
}

async function programFor(name: string | undefined, terminal: CommandIo): Promise<Command> {
  const io = { ...terminal }; // a command's plug-ins enter its catalogue
  const program = new Command("lamp-eval")
    .description("Runner for the LaMP personalization benchmark.")
    .version(version(), "-V, --version")
    .enablePositionalOptions() // options after a subcommand belong to it
    .addHelpText(
      "after",
      "\nlamp-eval COMMAND --help prints a command's options.\nFirst run, no key needed: lamp-eval run --task lamp2m --method rag",
    );
  for (const [group, entries] of Object.entries(commandGroups))
    for (const [known, { summary, example, load }] of Object.entries(entries)) {
      const command = known === name ? withSharedFlags(await load(io), io) : new Command(known);
      if (example !== undefined) command.addHelpText("after", `\nExample: lamp-eval ${example}`);
      program.addCommand(command.description(summary).helpGroup(group));
    }
  program.addHelpCommand(new Command("help").argument("[command]").description("print this help").helpGroup("Set-up:"));
  if (name !== undefined && !name.startsWith("-") && ![...commandNames, "help"].includes(name))
    throw new UsageError(`unknown command "${name}"${choices(name, commandNames, "commands")}`);
  if (name === undefined) program.action(() => program.outputHelp());
  return throwInsteadOfExit(program, io);
}

/** Makes commander throw instead of exit, and write through our Terminal. */
function throwInsteadOfExit(command: Command, io: Terminal): Command {
  command.exitOverride().configureOutput({
    writeOut: (text) => io.out(text.trimEnd()),
    writeErr: (text) => io.err(text.trimEnd()),
    outputError: () => undefined, // the error is thrown as well and printed once, in report()
  });
  for (const child of command.commands) throwInsteadOfExit(child, io);
  return command;
}

/** Says what ended a command, and gives its exit code. */
export function report(error: unknown, io: Terminal, args: readonly string[] = []): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitCodes.done; // --help, --version
    if (error.code === "commander.help") return exitCodes.usage; // a command without its subcommand: the help is printed
    const line = error.message.replace(/^error: /, "").replace(/\s*\n\s*/g, " ");
    io.err(`lamp-eval: ${line.replace(WRONG_VALUE, "$1 $2: $3")}${optionHint(error, args)}`);
    return exitCodes.usage;
  }
  const mistake = error instanceof UsageError ? error : fileErrorOf(error);
  if (mistake !== undefined) {
    io.err(`lamp-eval: ${mistake.message}`);
    return error instanceof UnreachableError ? exitCodes.refused : exitCodes.usage;
  }
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  io.err(`lamp-eval: internal error, please report it\n${trace}`);
  return exitCodes.internal;
}

/** `option '--limit <n>' argument 'x' is invalid. expected ...` of commander, which becomes `--limit x: expected ...`. */
const WRONG_VALUE = /^option '(?:-\w, )?(--[\w-]+)[^']*' argument '(.*?)' is invalid\. (.*?)\.?$/s;

/** `; did you mean --set rag.k=3?`, where an unknown flag is called as an option is, of the named methods first. */
function optionHint({ code, message }: CommanderError, args: readonly string[]): string {
  const [, name = ""] = /unknown option '--([\w-]+)'(?!.*Did you mean)/s.exec(message) ?? [];
  if (code !== "commander.unknownOption" || name === "") return "";
  const fold = (text: string): string => text.toLowerCase().replaceAll(/[-_.]/g, "");
  const options = Object.keys(allOptions()).filter((option) => !option.startsWith("model.")); // no flag is meant as a further model
  const meant = options.filter((option) => fold(option.replace(/^[^.]*\./, "")) === fold(name));
  const named = meant.filter((option) => args.some((word) => word.split(",").includes(option.split(".")[0]!)));
  const value = args[args.indexOf(`--${name}`) + 1] ?? "VALUE";
  const shown = (named.length > 0 ? named : meant)
    .slice(0, MOST_HINTS)
    .map((option) => `--set ${shellWord(`${option}=${value}`)}`);
  return shown.length === 0 ? "" : `; did you mean ${shown.join(" or ")}?`;
}

const MOST_HINTS = 3;

/** Gives a command and all below it the flags that all have. Before one acts, what plug-ins bring enters the catalogue of `io`. */
function withSharedFlags(command: Command, io: CommandIo): Command {
  for (const child of command.commands) withSharedFlags(child, io);
  if (command.commands.length > 0 && command.registeredArguments.length === 0) return command; // does nothing itself
  return command
    .option("--plugin <file>", "load a plug-in; repeatable (docs/EXTENDING.md)", gather)
    .option("--quiet", "print results and errors only") // `main` reads both: no command sees them
    .option("--verbose", "print every event of a run, a line each")
    .hook("preAction", async (_, acting) => {
      const { plugin = [], task = [] }: { plugin?: readonly string[]; task?: string | readonly string[] } =
        acting.opts();
      const names = [...plugin, ...ownTaskFiles([task].flat())];
      Object.assign(io, withTasksOfRuns(await withPlugins(io, { names, from: io.cwd }), acting.args));
    });
}
