import type { Command } from "commander";
import type { DryRun } from "./run.js";
import type { CommandIo } from "./terminal.js";

interface Entry {
  /** In the list of commands, and above the command's own help. */
  readonly summary: string;
  /** Below the command's own help; absent where its subcommands have them. */
  readonly example?: string;
  /** Loaded only when the command is used, so that `--help` costs nothing. */
  load(io: CommandIo): Promise<Command>;
}

const dryRun: DryRun = async (...given) => (await import("./estimate.js")).dryRun(...given);

/** Every command by the group that the help shows it in, in the order of the help. */
export const commandGroups: Readonly<Record<string, Readonly<Record<string, Entry>>>> = {
  "Run:": {
    run: {
      summary: "run methods on tasks and print the results table; the same command again resumes",
      example: "run --task lamp2m --method rag --model openai/gpt-6-luna",
      load: async (io) => (await import("./run.js")).runCommand(io, dryRun),
    },
    sweep: {
      summary: "run several methods, models or option values on the same questions, with a table for each axis",
      example: "sweep --task lamp2m --method rag --vary rag.k=1,2,4",
      load: async (io) => (await import("./sweep.js")).sweepCommand(io, dryRun),
    },
    judge: {
      summary: "let a model judge the replies of a run; several judges: how far they agree",
      example: "judge results/talk --model openai/gpt-6-luna",
      load: async (io) => (await import("./judge.js")).judgeCommand(io),
    },
    worker: {
      summary: "do the users of runs that were started elsewhere with --workers",
      example: "worker --model openai/gpt-6-luna",
      load: async (io) => (await import("./worker.js")).workerCommand(io),
    },
    rums: {
      summary: "train and evaluate the RUMS selector",
      load: async (io) => (await import("./rums.js")).rumsCommand(io),
    },
  },
  "Read results:": {
    report: {
      summary: "print the tables of a run again, or write an HTML page, charts, Markdown, LaTeX or CSV",
      example: "report results/demo --html",
      load: async (io) => (await import("./report.js")).reportCommand(io),
    },
    show: {
      summary: "print transcripts of a run: prompts, tool calls, replies, personas",
      example: "show results/demo --method rag --limit 2",
      load: async (io) => (await import("./show.js")).showCommand(io),
    },
    compare: {
      summary: "compare two runs, or two methods of one run, question by question, with paired tests",
      example: "compare results/old results/new",
      load: async (io) => (await import("./compare.js")).compareCommand(io),
    },
    reproduce: {
      summary: "set own runs beside a paper's table, or say what its printed values imply",
      example: "reproduce personaagent/T2 --published-only",
      load: async (io) => (await import("./reproduce.js")).reproduceCommand(io),
    },
  },
  "Check:": {
    gate: {
      summary: "tell by exit code whether a run is no worse than a baseline",
      example: "gate results/new --baseline results/old",
      load: async (io) => (await import("./gate.js")).gateCommand(io),
    },
    verify: {
      summary: "execute a run, or a pack of one, again from its log and compare",
      example: "verify results/demo",
      load: async (io) => (await import("./verify.js")).verifyCommand(io),
    },
    score: {
      summary: "score predictions against golds exactly as the benchmark's own script does",
      example: "score --task lamp3 --predictions p.json --golds golds.json",
      load: async (io) => (await import("./score.js")).scoreCommand(io),
    },
  },
  "Data and exchange:": {
    data: {
      summary: "download, prepare and audit LaMP data",
      load: async (io) => (await import("./data.js")).dataCommand(io),
    },
    import: {
      summary: "make a run folder from the predictions of another program",
      example: "import --task lamp3 --name theirs --predictions p.json",
      load: async (io) => (await import("./import.js")).importCommand(io),
    },
    export: {
      summary: "write a run's answers as files of LaMP, CSV or EvalEval, or the run as one file that others verify",
      example: "export results/demo --form pack --out demo.pack",
      load: async (io) => (await import("./export.js")).exportCommand(io),
    },
  },
  "Set-up:": {
    init: {
      summary: "write a task of your own with three questions, a commented config and a script for CI",
      example: "init tickets",
      load: async (io) => (await import("./init.js")).initCommand(io),
    },
    doctor: {
      summary: "check the keys of this machine and a model's endpoint; or plug-ins and programs",
      example: "doctor --model openai/gpt-6-luna",
      load: async (io) => (await import("./doctor.js")).doctorCommand(io),
    },
    list: {
      summary: "list tasks, methods, options and more; or explain one of them",
      example: "list persona-agent",
      load: async (io) => (await import("./list.js")).listCommand(io),
    },
    completion: {
      summary: "print a script that completes commands and flags in bash, zsh or fish",
      example: 'completion bash   # eval "$(...)" in .bashrc',
      load: async (io) => (await import("./completion.js")).completionCommand(io, commandGroups),
    },
  },
};

export const commandNames: readonly string[] = Object.values(commandGroups).flatMap((group) => Object.keys(group));
