import { Command, CommanderError } from "commander";
import { version } from "../app/version.js";
import { UsageError } from "../errors.js";
import { suggest } from "../registry.js";
import { exitCodeOf, exitCodes } from "./exit-code.js";
import { realTerminal, type Terminal } from "./terminal.js";

interface Entry {
  /** In the list of commands, and above the command's own help. */
  readonly summary: string;
  /** Loaded only when the command is used, so that `--help` costs nothing. */
  load(io: Terminal): Promise<Command>;
}

const commands: Readonly<Record<string, Entry>> = {
  run: {
    summary: "run methods on tasks and print the results table; the same command again resumes",
    load: async (io) => (await import("./run.js")).runCommand(io),
  },
  sweep: {
    summary: "run arms that differ in method, model or options on common samples, with a table for each axis",
    load: async (io) => (await import("./sweep.js")).sweepCommand(io),
  },
  validate: {
    summary: "check config files key by key and print the arms that they would run; sends nothing, reads no data",
    load: async (io) => (await import("./validate.js")).validateCommand(io),
  },
  report: {
    summary: "print the tables of a finished or interrupted run again, or write them as one HTML page",
    load: async (io) => (await import("./report.js")).reportCommand(io),
  },
  import: {
    summary: "make a run folder from the predictions of another program, for report, compare and gate",
    load: async (io) => (await import("./import.js")).importCommand(io),
  },
  compare: {
    summary: "compare two runs, or two methods of one run, question by question, with paired tests",
    load: async (io) => (await import("./compare.js")).compareCommand(io),
  },
  gate: {
    summary: "tell by exit code whether a run is no worse than a baseline, question by question",
    load: async (io) => (await import("./gate.js")).gateCommand(io),
  },
  reproduce: {
    summary:
      "set own runs beside a paper's table, or say what its printed values imply: counts, intervals, possible paired tests",
    load: async (io) => (await import("./reproduce.js")).reproduceCommand(io),
  },
  rescore: {
    summary: "read a run's stored replies by today's rules and show old and new numbers side by side; calls no model",
    load: async (io) => (await import("./rescore.js")).rescoreCommand(io),
  },
  verify: {
    summary:
      "make every number of a run again from its rows, and check rows, readings, requests and data; exit 1 on a failure",
    load: async (io) => (await import("./verify.js")).verifyCommand(io),
  },
  cassette: {
    summary: "make a portable recording of a run (for lamp-eval run --replay), look into one, or begin a run with one",
    load: async (io) => (await import("./cassette.js")).cassetteCommand(io),
  },
  show: {
    summary: "print readable transcripts of a run: prompts, tool calls, observations, replies",
    load: async (io) => (await import("./show.js")).showCommand(io),
  },
  persona: {
    summary: "print a user's persona, and what alignment changed",
    load: async (io) => (await import("./persona.js")).personaCommand(io),
  },
  graph: {
    summary: "print, export or draw the knowledge graph of a run or of data",
    load: async (io) => (await import("./graph.js")).graphCommand(io),
  },
  score: {
    summary: "score predictions against golds, both in the official form, exactly as the benchmark's own script",
    load: async (io) => (await import("./score.js")).scoreCommand(io),
  },
  data: {
    summary: "download, prepare, inspect and audit LaMP data",
    load: async (io) => (await import("./data.js")).dataCommand(io),
  },
  list: {
    summary: "list tasks, methods, retrievers, providers and every option with its default",
    load: async (io) => (await import("./list.js")).listCommand(io),
  },
};

/** Runs the command line and returns the exit code. Nothing here ends the process. */
export async function main(args: readonly string[], io: Terminal = realTerminal()): Promise<number> {
  try {
    const program = await programFor(args[0], io);
    await program.parseAsync([...args], { from: "user" });
    return exitCodeOf(program);
  } catch (error) {
    return report(error, io);
  }
}

// --- internal ---

async function programFor(name: string | undefined, io: Terminal): Promise<Command> {
  const program = new Command("lamp-eval")
    .description("Runner for the LaMP personalization benchmark.")
    .version(version(), "-V, --version")
    .addHelpText(
      "after",
      "\nlamp-eval <command> --help shows a command's options.\nFirst run, no key needed: lamp-eval run --task lamp2m --method rag",
    );
  const chosen = name === undefined ? undefined : commands[name];
  for (const [known, { summary, load }] of Object.entries(commands))
    program.addCommand(
      (chosen !== undefined && known === name ? await load(io) : new Command(known)).description(summary),
    );
  if (name !== undefined && chosen === undefined && !name.startsWith("-") && name !== "help")
    throw new UsageError(
      `unknown command "${name}"${suggest(name, Object.keys(commands))}; commands: ${Object.keys(commands).join(", ")}`,
    );
  if (name === undefined) program.action(() => program.outputHelp());
  return quiet(program, io);
}

/** Commander throws instead of exiting, and writes through our Terminal. */
function quiet(command: Command, io: Terminal): Command {
  command.exitOverride().configureOutput({
    writeOut: (text) => io.out(text.trimEnd()),
    writeErr: (text) => io.err(text.trimEnd()),
    outputError: () => undefined, // the error is thrown as well and printed once, in report()
  });
  for (const child of command.commands) quiet(child, io);
  return command;
}

function report(error: unknown, io: Terminal): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitCodes.done; // --help, --version
    io.err(`lamp-eval: ${error.message.replace(/^error: /, "").replace(/\s*\n\s*/g, " ")}`);
    return exitCodes.usage;
  }
  if (error instanceof UsageError) {
    io.err(`lamp-eval: ${error.message}`);
    return exitCodes.usage;
  }
  io.err(
    `lamp-eval: internal error, please report it\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  );
  return exitCodes.failures;
}
