import type { Command } from "commander";
import type { Terminal } from "./terminal.js";

interface Entry {
  /** In the list of commands, and above the command's own help. */
  readonly summary: string;
  /** Loaded only when the command is used, so that `--help` costs nothing. */
  load(io: Terminal): Promise<Command>;
}

/** Every command, in the order of the help. */
export const commands: Readonly<Record<string, Entry>> = {
  init: {
    summary: "write a commented config for a first run: asks, or takes flags",
    load: async (io) => (await import("./init.js")).initCommand(io),
  },
  run: {
    summary: "run methods on tasks and print the results table; the same command again resumes",
    load: async (io) => (await import("./run.js")).runCommand(io),
  },
  sweep: {
    summary:
      "run arms (a method, a model, settings) on the same questions, with a table for each option that is varied",
    load: async (io) => (await import("./sweep.js")).sweepCommand(io),
  },
  merge: {
    summary:
      "join the shards of a run (run --shard 3/8) into one run folder, as one process would have written it; calls no model",
    load: async (io) => (await import("./merge.js")).mergeCommand(io),
  },
  doctor: {
    summary: "look at this machine (Node, keys, data, encoder, Wikipedia, disk) and, with --model, at an endpoint",
    load: async (io) => (await import("./doctor.js")).doctorCommand(io),
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
  export: {
    summary: "hand a run's answers on: LaMP's submission form, or a row a question as CSV or Parquet",
    load: async (io) => (await import("./export.js")).exportCommand(io),
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
  judge: {
    summary:
      "let a model judge the stored replies of a run, one by one or two against each other; asks no question again",
    load: async (io) => (await import("./judge.js")).judgeCommand(io),
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
    summary: "record a run in one file (for lamp-eval run --replay), look into such a file, or begin a run with one",
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
  rums: {
    summary:
      "work with what the method rums measured: choose its threshold, train a small classifier, compare with people",
    load: async (io) => (await import("./rums.js")).rumsCommand(io),
  },
  graph: {
    summary: "print, export or draw the knowledge graph of a run or of data",
    load: async (io) => (await import("./graph.js")).graphCommand(io),
  },
  score: {
    summary: "score predictions against golds, both in the official form, exactly as the benchmark's own script",
    load: async (io) => (await import("./score.js")).scoreCommand(io),
  },
  plugin: {
    summary: "try whether methods, tasks, retrievers and metrics of your own keep the rules that built-in ones keep",
    load: async (io) => (await import("./plugin.js")).pluginCommand(io),
  },
  data: {
    summary: "download, prepare, inspect and audit LaMP data",
    load: async (io) => (await import("./data.js")).dataCommand(io),
  },
  explain: {
    summary:
      "tell what a method does step by step, what it calls, every knob and where its paper is silent; or what a task or an option is",
    load: async (io) => (await import("./explain.js")).explainCommand(io),
  },
  list: {
    summary: "list tasks, methods, retrievers, selectors, providers and every option with its default",
    load: async (io) => (await import("./list.js")).listCommand(io),
  },
};
