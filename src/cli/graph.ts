import { closeSync, openSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { UsageError } from "../errors.js";
import { gexfLines } from "../memory/graph/gexf.js";
import { graphJsonLines } from "../memory/graph/graph-json.js";
import type { Keep } from "../memory/graph/keep.js";
import { type ContextNote, type GraphNote, graphNote } from "../memory/graph/notes.js";
import { graphOptions } from "../memory/graph/options.js";
import { openTopicGraph, type TopicGraph } from "../memory/graph/shared-graph.js";
import { neighbourhood, type Subgraph, wholeGraph } from "../memory/graph/subgraph.js";
import { graphSvg } from "../memory/graph/svg.js";
import { complete, readOptions, refuseUnknown } from "../options.js";
import { seeded } from "../random/seeded.js";
import { artifactsFolder, fileArtifacts, readArtifact } from "../run/artifact-store.js";
import type { LoadedTask } from "../run/plan.js";
import { tasks } from "../tasks/index.js";
import type { Trace } from "../types.js";
import { renderContext, renderGraph } from "./graph-text.js";
import type { Io } from "./io.js";
import { allOptions } from "./list.js";
import { loadTask } from "./load-task.js";
import { refuseOtherPictures, writePicture } from "./picture.js";
import { openRunFolder, type RunFolder } from "./run-folder.js";
import { runSettings } from "./run-settings.js";

interface Flags {
  readonly task?: string;
  readonly data?: string;
  readonly seed?: number;
  readonly set?: Readonly<Record<string, string>>;
  readonly question?: string;
  readonly user?: string;
  readonly export?: keyof typeof formats;
  readonly picture?: string;
  readonly out?: string;
}

/** `lamp-eval graph`: the knowledge graph of data, or what of it entered the prompts of a run. Sends nothing. */
export function graphCommand(io: Io): Command {
  return new Command("graph")
    .description("print, export or draw the knowledge graph of a run or of data")
    .argument("[run]", "run folder with graph-rag, or an agent with the graph_memory tool; left out: --task and --data")
    .option("-t, --task <name>", "task whose graph is built")
    .option("--data <dir>", "data folder (default: the built-in demo data)")
    .option("--seed <n>", "seed of the communities (default: 0)", wholeNumber)
    .option(
      "--set <name=value>",
      "set an option by its dotted name, e.g. graph.concepts=linguistic; repeatable",
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
      else ofRun(openRunFolder(run, io.cwd), run, flags, io);
    });
}

// --- internal ---

const formats = { gexf: gexfLines, json: graphJsonLines } as const;

function ofRun(folder: RunFolder, run: string, flags: Flags, io: Io): void {
  const alone = (["task", "data", "seed", "set", "user", "export", "picture", "out"] as const).find(
    (name) => flags[name] !== undefined,
  );
  if (alone !== undefined)
    throw new UsageError(
      `--${alone} is for the graph of data: leave out ${run} and name the task (--task, --data), or leave out --${alone}`,
    );
  const traces = folder.traces.filter(({ question }) => question === flags.question);
  const kind = flags.question === undefined ? "graph-size" : "graph";
  const shown = new Set<string>(); // units of one cell share one graph
  for (const trace of traces)
    for (const data of notesOf(trace, kind)) {
      const cell = folder.cell(trace.cell);
      const key = `${trace.cell}\t${trace.question ?? ""}\t${JSON.stringify(data)}`;
      if (shown.has(key)) continue;
      shown.add(key);
      const title = [
        cell?.task,
        cell?.method,
        ...(trace.question === undefined ? [] : [`user ${trace.unit}`, `question ${trace.question}`]),
      ];
      const text = trace.question === undefined ? renderGraph(data as GraphNote) : renderContext(data as ContextNote);
      io.out(`${title.join(" · ")}\n${text}\n`);
    }
  if (shown.size === 0)
    throw new UsageError(
      flags.question === undefined
        ? `${run}: no method of this run used the graph; run graph-rag, or name --task for the graph of data`
        : `--question ${flags.question}: no graph entered this question's prompt in ${run}; lamp-eval show ${run} lists questions`,
    );
}

/** What the graph's own methods noted under that name, as they wrote it. */
const notesOf = ({ notes }: Trace, kind: string): readonly unknown[] =>
  notes.filter((note) => note.kind === kind).map(({ data }) => data);

async function ofData(flags: Flags, io: Io): Promise<void> {
  if (flags.task === undefined)
    throw new UsageError("name a run folder, or a task: lamp-eval graph results/RUN, or lamp-eval graph --task lamp2n");
  if (flags.question !== undefined)
    throw new UsageError(
      `--question ${flags.question}: prompts belong to a run; name its folder: lamp-eval graph results/RUN`,
    );
  if (flags.picture !== undefined) refuseOtherPictures(flags.picture);
  if (flags.picture !== undefined && flags.user === undefined)
    throw new UsageError(`--picture ${flags.picture}: name the user to draw: --user ID`);
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
  const task = tasks.get(name, "--task");
  const loaded = await loadTask(task, settings, io.cwd);
  const knobs = readOptions(graphOptions, complete(graphOptions, settings.set));
  // The streams of a run's kit, so that this is the graph that graph-rag builds with this seed.
  const runRandom = (label: string) => seeded(`${settings.seed}/${task.name}/graph-rag//${label}`);
  const kit = { task, runRandom, others: loaded.others, shared: keptWithRuns(io) };
  const topics = await openTopicGraph(knobs, kit);
  io.out(`${task.name} · ${loaded.dataset.name} · ${loaded.others.kind}\n${renderGraph(graphNote(topics, task))}`);
  await write(flags, topics, loaded, io);
}

/** Reads and keeps costly parts where runs of `results/` do. */
function keptWithRuns(io: Io): Keep {
  const artifacts = fileArtifacts(resolve(io.cwd, "results", artifactsFolder), { clock: io.clock });
  return async (_key, build, codec) => {
    const known = codec && readArtifact(codec, artifacts);
    if (known !== undefined) return known.value;
    const value = await build();
    if (codec !== undefined) artifacts.put(codec.content, codec.encode(value));
    return value;
  };
}

async function write(flags: Flags, topics: TopicGraph, loaded: LoadedTask, io: Io): Promise<void> {
  const around = flags.user === undefined ? undefined : aroundUser(flags.user, topics, loaded);
  if (flags.export !== undefined) {
    const file = flags.out ?? `graph.${flags.export}`;
    writeLines(resolve(io.cwd, file), formats[flags.export](around ?? wholeGraph(topics)));
    io.out(`written: ${file}`);
  }
  if (flags.picture !== undefined && around !== undefined) {
    await writePicture(flags.picture, graphSvg(around, `User ${flags.user} of ${loaded.dataset.name}`), io.cwd);
    io.out(`written: ${flags.picture}`);
  }
}

/** Of a test user the longest visible past, of a training user all that the pool has. */
function aroundUser(user: string, topics: TopicGraph, loaded: LoadedTask): Subgraph {
  const pasts = loaded.units.filter((unit) => unit.user.id === user).map((unit) => unit.user.history);
  const [longest] = pasts.sort((a, b) => b.length - a.length);
  const pooled = topics.graph.interactions.filter(({ owner }) => owner === user).map(({ event }) => event);
  const events = longest ?? pooled;
  if (longest === undefined && pooled.length === 0)
    throw new UsageError(
      `--user ${user}: no such user in ${loaded.dataset.name}; its first user is ${loaded.units[0]?.user.id}`,
    );
  return neighbourhood(user, events, topics);
}

function writeLines(path: string, lines: Iterable<string>): void {
  let file: number;
  try {
    file = openSync(path, "w");
  } catch (error) {
    throw new UsageError(`${path}: cannot be written (${(error as NodeJS.ErrnoException).code}); name another file`);
  }
  try {
    for (const line of lines) writeSync(file, `${line}\n`);
  } finally {
    closeSync(file);
  }
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("expected a whole number of 0 or more.");
  return Number(text);
}

function collect(pair: string, sofar: Record<string, string> = {}): Record<string, string> {
  const equals = pair.indexOf("=");
  if (equals < 1) throw new InvalidArgumentError("expected name=value, e.g. graph.concepts=linguistic.");
  return { ...sofar, [pair.slice(0, equals)]: pair.slice(equals + 1) };
}
