import { dirname, join, resolve } from "node:path";
import type { Terminal } from "../../cli/terminal.js";
import { UsageError } from "../../errors.js";
import { graphNote } from "../../memory/graph/notes.js";
import type { GraphNote } from "../../notes/note.js";
import { notesOf } from "../../notes/read-note.js";
import { suggest } from "../../registry.js";
import { armLabel, variantOf } from "../../report/arms.js";
import { artifactsFolder } from "../../run/artifact-store.js";
import type { LoadedTask } from "../../run/plan.js";
import { tasks } from "../../tasks/index.js";
import { contentId } from "../../text/content-id.js";
import type { Cell } from "../../types.js";
import { reloadTask } from "../reload-task.js";
import { planData } from "../run/data-facts.js";
import type { RunFolder } from "../run-folder.js";
import { buildGraph } from "./build.js";
import { type GraphOutput, outputGraph, refuseOutput } from "./output.js";
import { renderContext, renderGraph } from "./text.js";

export interface RunGraphFlags extends GraphOutput {
  readonly task?: string;
  readonly method?: string;
  readonly data?: string;
  readonly question?: string;
}

/** What of the graph the run noted; built again from the run's data where more is wanted than was noted, or nothing was. */
export async function graphOfRun(folder: RunFolder, run: string, flags: RunGraphFlags, io: Terminal): Promise<void> {
  const cells = chosenCells(folder, run, flags);
  refuseOutput(flags);
  if (flags.question !== undefined) return showContexts(folder, run, cells, { ...flags, question: flags.question }, io);
  const noted = cells.filter((cell) => sizeNotes(folder, cell).length > 0);
  const written = flags.export !== undefined || flags.picture !== undefined;
  if (noted.length > 0 && !written) return showSizes(folder, noted, io);
  await rebuilt(folder, run, noted.length > 0 ? noted : cells, flags, io);
}

// --- internal ---

function chosenCells({ manifest }: RunFolder, run: string, { task, method }: RunGraphFlags): readonly Cell[] {
  const { cells } = manifest.plan;
  const wanted = task === undefined ? undefined : tasks.get(task, "--task").name;
  const ofTask = cells.filter((cell) => wanted === undefined || cell.task === wanted);
  if (ofTask.length === 0)
    throw new UsageError(`--task ${task}: not in ${run}; its tasks: ${listed(cells.map((cell) => cell.task))}`);
  const chosen = ofTask.filter((cell) => method === undefined || cell.method === method);
  if (chosen.length > 0) return chosen;
  const known = ofTask.map((cell) => cell.method);
  throw new UsageError(
    `--method ${method}: not in ${run}${suggest(method ?? "", known)}; its methods: ${listed(known)}`,
  );
}

const listed = (names: readonly string[]): string => [...new Set(names)].join(", ");

const sizeNotes = ({ traces }: RunFolder, { id }: Cell): readonly GraphNote[] =>
  traces
    .filter(({ cell, question }) => cell === id && question === undefined)
    .flatMap(({ notes }) => notesOf(notes, "graph-size"));

interface Block {
  readonly head: string;
  readonly place: string;
  readonly text: string;
  readonly arms: Set<string>;
}

/** One block for each different text of a task and place, in the order of the plan, under all arms that have it. */
class Blocks {
  readonly #blocks = new Map<string, Block>();
  readonly #cells: readonly Cell[];

  constructor({ manifest }: RunFolder) {
    this.#cells = manifest.plan.cells;
  }

  add(cell: Cell, place: string, text: string): void {
    const key = JSON.stringify([cell.task, place, text]);
    const block = this.#blocks.get(key) ?? { head: cell.task, place, text, arms: new Set() };
    this.#blocks.set(key, block);
    block.arms.add(armLabel({ method: cell.method, variant: variantOf(cell, this.#cells) }));
  }

  print(io: Terminal): number {
    for (const { head, place, text, arms } of this.#blocks.values())
      io.out(`${head} · ${[...arms].join(", ")}${place}\n${text}\n`);
    return this.#blocks.size;
  }
}

function showSizes(folder: RunFolder, cells: readonly Cell[], io: Terminal): void {
  const blocks = new Blocks(folder);
  for (const cell of cells) for (const data of sizeNotes(folder, cell)) blocks.add(cell, "", renderGraph(data));
  blocks.print(io);
}

function showContexts(
  folder: RunFolder,
  run: string,
  cells: readonly Cell[],
  flags: RunGraphFlags & { readonly question: string },
  io: Terminal,
): void {
  const other = (["export", "picture", "user", "out", "data"] as const).find((name) => flags[name] !== undefined);
  if (other !== undefined)
    throw new UsageError(`--${other}: is for the whole graph; leave out --question ${flags.question} or --${other}`);
  const blocks = new Blocks(folder);
  for (const cell of cells)
    for (const trace of folder.traces)
      if (trace.cell === cell.id && trace.question === flags.question)
        for (const data of notesOf(trace.notes, "graph"))
          blocks.add(cell, ` · user ${trace.unit} · question ${trace.question}`, renderContext(data));
  if (blocks.print(io) === 0)
    throw new UsageError(
      `--question ${flags.question}: no graph entered this question's prompt in ${run}${narrowed(flags)}; lamp-eval show ${run} lists questions`,
    );
}

const narrowed = ({ task, method }: RunGraphFlags): string =>
  [task, method].map((name) => (name === undefined ? "" : ` with ${name}`)).join("");

/** Builds the graph of the first of these cells again and refuses another one than the run noted. */
async function rebuilt(
  folder: RunFolder,
  run: string,
  cells: readonly Cell[],
  flags: RunGraphFlags,
  io: Terminal,
): Promise<void> {
  const taskNames = [...new Set(cells.map(({ task }) => task))];
  if (taskNames.length > 1)
    throw new UsageError(`${run}: has several tasks; name one: --task ${taskNames.join(" or ")}`);
  const cell = cells[0]!; // chosenCells refuses an empty choice
  const notes = sizeNotes(folder, cell);
  const method = notes.length > 0 ? cell.method : BUILDER;
  const loaded = await dataOf(folder, run, cell, flags.data, io);
  const artifacts = join(dirname(folder.path), artifactsFolder);
  const topics = await buildGraph({ loaded, given: cell.options, seed: cell.seed, method, artifacts }, io);
  const fresh = contentId(graphNote(topics, loaded.task));
  if (notes.some((note) => contentId(note) !== fresh))
    throw new UsageError(
      `${run}: the graph of ${cell.method} cannot be built again: what this version builds differs from what the run noted; run it again`,
    );
  const others = new Set(cells.flatMap((one) => sizeNotes(folder, one)).map((note) => contentId(note)));
  const label = armLabel({ method, variant: notes.length > 0 ? variantOf(cell, folder.manifest.plan.cells) : "" });
  if (others.size > 1) io.tell(`${run} has ${others.size} graphs; this is that of ${label}; choose with --method`);
  if (notes.length === 0) io.tell(`no method of ${run} used the graph; this is the one that ${BUILDER} would build`);
  const heading = `${cell.task} · ${label} · ${loaded.dataset.name} · ${loaded.others.kind}`;
  await outputGraph(heading, topics, loaded, flags, io);
}

/** The method that is asked for the graph of a run that has none. */
const BUILDER = "graph-rag";

/** The run's data, refused where they are not what the plan says: from --data, or where the run's command line had them. */
async function dataOf(
  folder: RunFolder,
  run: string,
  { task: name }: Cell,
  given: string | undefined,
  io: Terminal,
): Promise<LoadedTask> {
  const { manifest } = folder;
  const facts = manifest.plan.data.find(({ task }) => task === name);
  const data = given ?? flagValue("--data", manifest.argv);
  const hint = `give the folder of ${facts?.name ?? name} with --data`;
  let loaded: LoadedTask | undefined;
  try {
    loaded = await reloadTask(manifest, name, data, io);
  } catch (error) {
    if (given !== undefined || !(error instanceof UsageError)) throw error;
    throw new UsageError(`${run}: its data cannot be read again (${error.message}); ${hint}`);
  }
  if (loaded === undefined) throw new UsageError(`${run}: where its data are is not known; ${hint}`);
  const fresh = planData(loaded);
  const same = contentId([fresh.files, fresh.units]) === contentId([facts?.files ?? [], facts?.units ?? ""]);
  if (same) return loaded;
  throw new UsageError(
    `${resolve(io.cwd, data ?? "")}: not the data that ${run} ran on (files or visible histories differ); ${hint}`,
  );
}

/** `--name value` or `--name=value` of a command line. */
function flagValue(name: string, argv: readonly string[]): string | undefined {
  const at = argv.findLastIndex((word) => word === name || word.startsWith(`${name}=`));
  return argv[at] === name ? argv[at + 1] : argv[at]?.slice(name.length + 1);
}
