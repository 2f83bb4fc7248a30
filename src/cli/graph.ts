import { resolve } from "node:path";
import { Command, Option } from "commander";
import { buildGraph } from "../app/graph/build.js";
import { graphOfRun, type RunGraphFlags } from "../app/graph/of-run.js";
import { outputGraph, refuseOutput } from "../app/graph/output.js";
import { loadTask } from "../app/run/load-task.js";
import { runSettings } from "../app/run/settings.js";
import { openRunFolder } from "../app/run-folder.js";
import { UsageError } from "../errors.js";
import { refuseUnknown } from "../options.js";
import { artifactsFolder } from "../run/artifact-store.js";
import { tasks } from "../tasks/index.js";
import { allOptions } from "./list.js";
import { collect, integer } from "./run-flags.js";
import type { Terminal } from "./terminal.js";

interface Flags extends RunGraphFlags {
  readonly seed?: number;
  readonly set?: Readonly<Record<string, string>>;
}

/** `lamp-eval graph`: the knowledge graph of data, or what of it entered the prompts of a run. Sends nothing. */
export function graphCommand(io: Terminal): Command {
  return new Command("graph")
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
    .option("--picture <file>", "draw a user's neighbourhood (--user) as FILE.svg or FILE.png")
    .option("--out <file>", "file of --export (default: graph.gexf or graph.json)")
    .action(async (run: string | undefined, flags: Flags) => {
      if (run === undefined) await ofData(flags, io);
      else await ofRun(run, flags, io);
    });
}

// --- internal ---

async function ofRun(run: string, flags: Flags, io: Terminal): Promise<void> {
  const alone = (["seed", "set"] as const).find((name) => flags[name] !== undefined);
  if (alone !== undefined)
    throw new UsageError(
      `--${alone} is for the graph of data, a run has its own: leave out ${run} and name the task (--task, --data), or leave out --${alone}`,
    );
  await graphOfRun(openRunFolder(run, io.cwd), run, flags, io);
}

async function ofData(flags: Flags, io: Terminal): Promise<void> {
  if (flags.task === undefined)
    throw new UsageError("name a run folder, or a task: lamp-eval graph results/RUN, or lamp-eval graph --task lamp2n");
  const ofRuns = (["question", "method"] as const).find((name) => flags[name] !== undefined);
  if (ofRuns !== undefined)
    throw new UsageError(
      `--${ofRuns} ${flags[ofRuns]}: ${ofRuns === "question" ? "prompts" : "methods"} belong to a run; name its folder: lamp-eval graph results/RUN`,
    );
  refuseOutput(flags);
  const { task: name, data, seed, set } = flags;
  refuseUnknown(Object.keys(set ?? {}), Object.keys(allOptions()), "--set");
  const settings = runSettings(
    {
      task: name,
      method: "graph-rag",
      ...(data === undefined ? {} : { data }),
      ...(seed === undefined ? {} : { seed }),
      ...(set === undefined ? {} : { set }),
    },
    {},
    io.cwd,
  );
  const loaded = await loadTask(tasks.get(name, "--task"), settings, io.cwd);
  const artifacts = resolve(io.cwd, "results", artifactsFolder);
  const source = { loaded, given: settings.set, seed: settings.seed, method: "graph-rag", artifacts };
  const heading = `${loaded.task.name} · ${loaded.dataset.name} · ${loaded.others.kind}`;
  await outputGraph(heading, await buildGraph(source, io), loaded, flags, io);
}
