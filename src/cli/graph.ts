import { Command, Option } from "commander";
import { type DataGraphSettings, graphOfData } from "../app/graph/of-data.js";
import { graphOfRun, type RunGraphSettings } from "../app/graph/of-run.js";
import type { GraphReport } from "../app/graph/output.js";
import { UsageError } from "../errors.js";
import { collect, integer } from "./flags/run-flags.js";
import type { Terminal } from "./terminal.js";

type Flags = Omit<RunGraphSettings, "run"> & Partial<Pick<DataGraphSettings, "seed" | "set">>;

/** `lamp-eval show graph`: the knowledge graph of data, or what of it entered the prompts of a run. Sends nothing. */
export function graphCommand(io: Terminal): Command {
  return new Command("graph")
    .description("print, export or draw the knowledge graph of a run or of data; sends nothing")
    .argument("[run]", "run folder with graph-rag, or an agent with the graph_memory tool; left out: --task and --data")
    .option("-t, --task <name>", "task whose graph is built; with a run: only this task")
    .option("--method <name>", "with a run: only this method")
    .option(
      "--data <dir>",
      "data folder (default: the built-in demo data; with a run: where its command line had them)",
    )
    .option("--seed <n>", "seed of the communities (default: 0); not with a run, which has its own", integer)
    .option(
      "--set <name=value>",
      "set an option by its dotted name, e.g. graph.concepts=linguistic; repeatable; not with a run",
      collect,
    )
    .option("--question <id>", "with a run: the subgraph that entered this question's prompt")
    .option("--user <id>", "with --picture or --export: only this user's neighbourhood")
    .addOption(
      new Option("--export <form>", "write the graph: gexf (opens in Gephi) or json").choices(["gexf", "json"]),
    )
    .option("--picture <file>", "draw a user's neighbourhood (--user) as SVG")
    .option("--out <file>", "file of --export (default: graph.gexf or graph.json)")
    .action(async (run: string | undefined, flags: Flags) => {
      const { parts, built, written } = await (run === undefined ? ofData(flags, io) : ofRun(run, flags, io));
      for (const { heading, text } of parts) io.out(`${heading}\n${text}${built ? "" : "\n"}`);
      for (const file of written) io.out(`written: ${file}`);
    });
}

function ofRun(run: string, { seed, set, ...flags }: Flags, io: Terminal): Promise<GraphReport> {
  const alone = seed !== undefined ? "seed" : set !== undefined ? "set" : undefined;
  if (alone !== undefined)
    throw new UsageError(
      `--${alone} is for the graph of data, a run has its own: leave out ${run} and name the task (--task, --data), or leave out --${alone}`,
    );
  return graphOfRun({ ...flags, run }, io);
}

function ofData({ task, question, method, ...flags }: Flags, io: Terminal): Promise<GraphReport> {
  if (task === undefined)
    throw new UsageError(
      "name a run folder, or a task: lamp-eval show graph results/RUN, or lamp-eval show graph --task lamp2n",
    );
  if (question !== undefined)
    throw new UsageError(
      `--question ${question}: prompts belong to a run; name its folder: lamp-eval show graph results/RUN`,
    );
  if (method !== undefined)
    throw new UsageError(
      `--method ${method}: methods belong to a run; name its folder: lamp-eval show graph results/RUN`,
    );
  return graphOfData({ ...flags, task }, io);
}
